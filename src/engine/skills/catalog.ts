import path from 'node:path';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { lookup } from 'mrmime';
import { isRecord, isString } from '../base/value-checks.js';
import type { SkillFolder } from '../extension/skill-folders.js';
import type { WireObject } from '../protocol/envelope.js';
import { reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';
import { type ReadSkill, readSkill } from './read-skill.js';

/** @see SEP-2640, Directory Read */
const folderMimeType = 'inode/directory';

/** A file of a skill. */
interface ServedSkillFile {
  readonly uri: string;
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
  readonly mimeType: string;
}

/** The present skills of a server. */
interface SkillCatalog {
  /** Skills by URI, sorted by URI. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, ServedSkillFile>;
  /** Contents of folders, by URI. */
  readonly folders: ReadonlyMap<string, readonly WireObject[]>;
}

/** Reads the skills of a server. Skips unusable skills and reports them once. */
export async function skillCatalog(calls: ServerRuntime): Promise<SkillCatalog> {
  const read = await Promise.all(
    calls.server.skills.map(async (folder) => {
      const sound = await readValidSkill(folder, calls);
      return sound ? [{ skill: sound.skill, files: listServedFiles(sound, folder) }] : [];
    }),
  );
  const skills = read.flat().sort((one, other) => (one.skill.uri < other.skill.uri ? -1 : 1));
  return {
    skills: new Map(skills.map(({ skill }) => [skill.uri, skill])),
    files: new Map(skills.flatMap(({ files }) => files.map((file) => [file.uri, file] as const))),
    folders: new Map(skills.flatMap(({ skill, files }) => [...groupByFolder(skill, files)])),
  };
}

async function readValidSkill(folder: SkillFolder, calls: ServerRuntime): Promise<ReadSkill | undefined> {
  try {
    return await readSkill(folder);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    reportOnce(calls, `The skill "${folder.name}" is left out: ${problem}. Fix it in ${folder.directory}.`);
    return undefined;
  }
}

function listServedFiles({ files }: ReadSkill, { directory }: SkillFolder): readonly ServedSkillFile[] {
  return [...files].map(([relative, { uri, size, isText }]) => {
    const mimeType = skillFileMimeType(relative, isText);
    return { uri, size, path: path.join(directory, relative), mimeType };
  });
}

/** Many script languages have no MIME type, and clients show models only text. */
function skillFileMimeType(file: string, isText: boolean): string {
  const known = lookup(file);
  if (isText && (known === undefined || /^(?:audio|video)\//.test(known))) return 'text/plain';
  return known ?? 'application/octet-stream';
}

/** A file in a folder of a skill. */
type FolderFile = Pick<ServedSkillFile, 'uri'> & Partial<Pick<ServedSkillFile, 'mimeType' | 'size'>>;

/** Contents of each folder of a skill: files and subfolders. */
function groupByFolder(
  { uri }: Pick<Skill, 'uri'>,
  files: readonly FolderFile[],
): ReadonlyMap<string, readonly WireObject[]> {
  const root = uri.slice(0, uri.lastIndexOf('/'));
  const folders = new Map<string, Map<string, WireObject>>([[root, new Map()]]);
  const put = (uri: string, facts: WireObject): void => {
    const cut = uri.lastIndexOf('/');
    const parent = uri.slice(0, cut);
    if (!folders.has(parent)) {
      folders.set(parent, new Map());
      put(parent, { mimeType: folderMimeType });
    }
    folders.get(parent)!.set(uri, { uri, name: decodeName(uri.slice(cut + 1)), ...facts });
  };
  for (const { uri, mimeType, size } of files) {
    put(uri, { ...(mimeType !== undefined && { mimeType }), ...(size !== undefined && { size }) });
  }
  return new Map([...folders].map(([uri, children]) => [uri, [...children.values()]]));
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Longest address of a file in a folder of an upstream skill. */
const maxFileUri = 2048;

/** Contents of the folders of upstream skills, by URI. Skills that list no files have none. */
export function upstreamFolders(
  skills: Iterable<Readonly<Record<string, unknown>>>,
): ReadonlyMap<string, readonly WireObject[]> {
  return new Map([...skills].flatMap((skill) => [...listedFolders(skill)]));
}

function listedFolders({
  uri,
  resources,
}: Readonly<Record<string, unknown>>): ReadonlyMap<string, readonly WireObject[]> {
  if (!isString(uri) || !Array.isArray(resources)) return new Map();
  const root = uri.slice(0, uri.lastIndexOf('/') + 1);
  const files = resources.flatMap((file: unknown): readonly FolderFile[] => {
    if (!isRecord(file) || !isString(file.uri) || !file.uri.startsWith(root)) return [];
    if (file.uri.length > maxFileUri || file.uri.slice(root.length).split('/').includes('')) return [];
    const mimeType = lookup(file.uri);
    const { size } = file;
    return [{ uri: file.uri, ...(mimeType && { mimeType }), ...(typeof size === 'number' && { size }) }];
  });
  return groupByFolder({ uri }, files);
}
