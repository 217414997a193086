import path from 'node:path';
import { listFolders, statFile } from '../base/files/disk.js';
import { isInside } from '../base/files/path-containment.js';

/** Default folder of a package that contains its skills. */
const defaultSkillsFolder = 'skills';

/** Entry file of a skill. @see https://agentskills.io/specification */
export const skillManifest = 'SKILL.md';

/** A package with skills. */
export interface SkillOwner {
  /** Absolute path. */
  readonly directory: string;
  /** Folder of its skills, relative to the package, with `/`. */
  readonly skillsFolder: string;
}

/** The folder of a skill. Its content is not validated. */
export interface SkillFolder {
  readonly name: string;
  /** Absolute path. */
  readonly directory: string;
  /** Its entry file, relative to the package, with `/`. */
  readonly file: string;
}

/** Returns the folder that `skills` of a manifest names, without `./` and trailing slash; else the default. */
export function readSkillsFolder(value: unknown): string {
  if (typeof value !== 'string' || value === '') return defaultSkillsFolder;
  return path.posix.normalize(value.replaceAll('\\', '/')).replace(/\/$/, '');
}

/** Returns the path of a skill's entry file within the package. */
export function skillFile({ skillsFolder }: Pick<SkillOwner, 'skillsFolder'>, name: string): string {
  return path.posix.join(skillsFolder, name, skillManifest);
}

/** Returns all skills of a package, sorted by name. */
export async function findSkillFolders(owner: SkillOwner): Promise<readonly SkillFolder[]> {
  const names = listFolders(path.join(owner.directory, owner.skillsFolder));
  const found = await Promise.all([...names].sort().map((name) => findSkillFolder(owner, name)));
  return found.filter((one) => one !== undefined);
}

/** Returns a skill of a package; undefined if it is missing. */
export async function findSkillFolder(owner: SkillOwner, name: string): Promise<SkillFolder | undefined> {
  // Rejects names that are paths or hidden folders.
  if (/[\\/]/.test(name) || name.startsWith('.')) return undefined;
  const { directory } = owner;
  const file = skillFile(owner, name);
  const target = path.join(directory, file);
  const info = statFile(target);
  const isThere = info?.isFile() === true && (await isInside(directory, target));
  return isThere ? { name, directory: path.dirname(target), file } : undefined;
}
