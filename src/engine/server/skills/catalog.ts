import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  SKILL_LIMITS,
  type Skill,
  SkillCatalogError,
  skillEntry,
} from '@modelcontextprotocol/server/ext/skills';
import { lookup } from 'mrmime';
import { type Calls, reportOnce } from '../../items/calls.js';
import type { SkillFolder } from '../../items/skills.js';
import type { Wire } from '../requests/handler.js';

/** @see SEP-2640, Directory Read */
const folderMimeType = 'inode/directory';

/** A file of a skill. */
interface SkillFile {
  readonly uri: string;
  /** Absolute path. */
  readonly path: string;
  readonly mimeType: string;
}

/** The skills of a server as they are now. */
interface SkillCatalog {
  /** By their addresses, in the order of these. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, SkillFile>;
  /** What is in folders, by their addresses. */
  readonly folders: ReadonlyMap<string, readonly Wire[]>;
}

/** Looks at the skills of a server. Those that are not in order are left out, and told once. */
export async function skillCatalog(calls: Calls): Promise<SkillCatalog> {
  const read = await Promise.all(calls.server.skills.map(async (folder) => await readSound(folder, calls)));
  const sound = read
    .flatMap((one) => one ?? [])
    .sort((one, other) => (one.skill.uri < other.skill.uri ? -1 : 1));
  return {
    skills: new Map(sound.map(({ skill }) => [skill.uri, skill])),
    files: new Map(sound.flatMap(({ files }) => files.map((file) => [file.uri, file] as const))),
    folders: new Map(sound.flatMap(({ folders }) => [...folders])),
  };
}

/** A skill that cannot be served. */
class SkillFault extends Error {}

interface ReadSkill {
  readonly skill: Skill;
  readonly files: readonly SkillFile[];
  readonly folders: ReadonlyMap<string, readonly Wire[]>;
}

async function readSound(folder: SkillFolder, calls: Calls): Promise<ReadSkill | undefined> {
  try {
    return await readSkill(folder);
  } catch (error) {
    const problem = problemOf(error);
    reportOnce(calls, `The skill "${folder.name}" is left out: ${problem}. Mend it in ${folder.directory}.`);
    return undefined;
  }
}

function problemOf(error: unknown): string {
  if (error instanceof SkillCatalogError) return error.problems.map(({ message }) => message).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** What was read, and of which state of the files. */
const known = new WeakMap<SkillFolder, { readonly state: string; readonly read: Promise<ReadSkill> }>();

/** Reads a skill, unless nothing of it has changed. */
async function readSkill(folder: SkillFolder): Promise<ReadSkill> {
  const found = await filesIn(folder.directory);
  requireWithinLimits(found);
  const state = JSON.stringify(found);
  const before = known.get(folder);
  if (before?.state === state) return await before.read;
  const read = build(folder, found);
  known.set(folder, { state, read });
  return await read;
}

interface FoundFile {
  /** Relative to the folder of the skill, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

async function filesIn(directory: string, within = ''): Promise<readonly FoundFile[]> {
  const entries = await readdir(path.join(directory, within), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.'))
      .map(async (entry) => {
        const relative = within === '' ? entry.name : `${within}/${entry.name}`;
        if (entry.isDirectory()) return await filesIn(directory, relative);
        // A link may lead anywhere, and hosts are told that what they get is all there is.
        if (!entry.isFile()) throw new SkillFault(`${relative} is a link or no file`);
        const { size, mtimeMs } = await stat(path.join(directory, relative));
        return [{ path: relative, size, changed: mtimeMs }];
      }),
  );
  return found.flat();
}

/** @see SEP-2640, Limits */
function requireWithinLimits(files: readonly FoundFile[]): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > SKILL_LIMITS.files) {
    throw new SkillFault(`it has ${files.length} files, and ${SKILL_LIMITS.files} are the most`);
  }
  if (bytes > SKILL_LIMITS.bytes) {
    throw new SkillFault(`it has ${bytes} bytes, and ${SKILL_LIMITS.bytes} are the most`);
  }
}

async function build({ name, directory }: SkillFolder, found: readonly FoundFile[]): Promise<ReadSkill> {
  const contents = await Promise.all(
    found.map(
      async ({ path: relative }) => [relative, await readFile(path.join(directory, relative))] as const,
    ),
  );
  const skill = await skillEntry(name, Object.fromEntries(contents));
  const root = skill.uri.slice(0, skill.uri.lastIndexOf('/'));
  const resources = skill.resources === 'dynamic' ? [] : skill.resources;
  const files = resources.map(({ uri }) => {
    const segments = uri
      .slice(root.length + 1)
      .split('/')
      .map(decodeURIComponent);
    return { uri, path: path.join(directory, ...segments), mimeType: mimeTypeOf(segments.at(-1)!) };
  });
  const sizes = new Map(resources.map(({ uri, size }) => [uri, size]));
  return { skill, files, folders: foldersOf(root, files, sizes) };
}

function mimeTypeOf(file: string): string {
  return lookup(file) ?? 'application/octet-stream';
}

/** What each folder of a skill holds: files, and folders that hold files. */
function foldersOf(
  root: string,
  files: readonly SkillFile[],
  sizes: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly Wire[]> {
  const folders = new Map<string, Map<string, Wire>>([[root, new Map()]]);
  const put = (uri: string, facts: Wire): void => {
    const cut = uri.lastIndexOf('/');
    const parent = uri.slice(0, cut);
    if (!folders.has(parent)) {
      folders.set(parent, new Map());
      put(parent, { mimeType: folderMimeType });
    }
    folders.get(parent)!.set(uri, { uri, name: decodeURIComponent(uri.slice(cut + 1)), ...facts });
  };
  for (const { uri, mimeType } of files) put(uri, { mimeType, size: sizes.get(uri) });
  return new Map([...folders].map(([uri, children]) => [uri, [...children.values()]]));
}
