import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  SKILL_LIMITS,
  type Skill,
  SkillCatalogError,
  skillEntry,
} from '@modelcontextprotocol/server/ext/skills';
import { utf8 } from '../base/utf8.js';
import { type SkillFolder, skillManifest } from '../extension/skill-folders.js';

/** A skill as hosts see it. */
export interface ReadSkill {
  readonly skill: Skill;
  /** Its files, by path in its folder with slashes. The URIs are from the skill. */
  readonly files: ReadonlyMap<string, SkillFile>;
}

interface SkillFile {
  readonly uri: string;
  readonly size: number;
  readonly isText: boolean;
}

/** A skill that cannot be served. */
export class SkillFault extends Error {
  /** Faults, one clause each, without a full stop. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** Skills that were read, with the state of their files. */
type ReadableFolder = Pick<SkillFolder, 'name' | 'directory'>;

const skillCache = new WeakMap<
  ReadableFolder,
  { readonly state: string; readonly read: Promise<ReadSkill> }
>();

/** Reads a skill, again only if its files have changed. @throws SkillFault if it cannot be served */
export async function readSkill(folder: ReadableFolder): Promise<ReadSkill> {
  const found = await filesIn(folder.directory);
  const state = JSON.stringify(found);
  const before = skillCache.get(folder);
  if (before?.state === state) return await before.read;
  const read = build(folder, found);
  skillCache.set(folder, { state, read });
  return await read;
}

interface FoundFile {
  /** Relative to the folder of the skill, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

/** The files of a skill. @throws SkillFault for a link, or over the limits @see SEP-2640, Limits */
async function filesIn(directory: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [''];
  // The loop also visits folders that it adds.
  for (const within of folders) {
    const entries = await readdir(path.join(directory, within), { withFileTypes: true });
    const files = entries
      .filter(({ name }) => !name.startsWith('.'))
      .flatMap((entry) => {
        const relative = within === '' ? entry.name : `${within}/${entry.name}`;
        if (entry.isFile()) return [relative];
        // A link may lead anywhere, and hosts expect the complete list of files.
        if (!entry.isDirectory()) throw new SkillFault([`${relative} is a link, or no file`]);
        folders.push(relative);
        return [];
      });
    const isTooMuch = found.length + files.length > SKILL_LIMITS.files || folders.length > SKILL_LIMITS.files;
    if (isTooMuch) throw new SkillFault([`it has more than ${SKILL_LIMITS.files} files or folders`]);
    const sizes = files.map(async (relative): Promise<FoundFile> => {
      const { size, mtimeMs } = await stat(path.join(directory, relative));
      return { path: relative, size, changed: mtimeMs };
    });
    found.push(...(await Promise.all(sizes)));
  }
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  if (bytes > SKILL_LIMITS.bytes) {
    throw new SkillFault([`it has ${bytes} bytes, and ${SKILL_LIMITS.bytes} are the most`]);
  }
  return found;
}

async function build({ name, directory }: ReadableFolder, found: readonly FoundFile[]): Promise<ReadSkill> {
  const read = found.map(
    async ({ path: relative }) => [relative, await readFile(path.join(directory, relative))] as const,
  );
  const contents = Object.fromEntries(await Promise.all(read));
  const skill = await skillEntry(name, contents).catch((error) => {
    if (!(error instanceof SkillCatalogError)) throw error;
    throw new SkillFault(error.problems.map(({ message }) => nameFolderInProblem(message)));
  });
  const root = skill.uri.slice(0, -skillManifest.length);
  const resources = skill.resources === 'dynamic' ? [] : skill.resources;
  const files = resources.map(({ uri, size }) => {
    const relative = uri.slice(root.length).split('/').map(decodeURIComponent).join('/');
    return [relative, { uri, size, isText: utf8(contents[relative]!) !== undefined }] as const;
  });
  return { skill, files: new Map(files) };
}

/** Authors know folders, not path segments of URIs. */
function nameFolderInProblem(problem: string): string {
  return problem.replace(/must match the last path segment (".*")$/, 'must be the name of its folder, $1');
}
