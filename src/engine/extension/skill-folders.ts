import path from 'node:path';
import { listFolders, statFile } from '../base/files/disk.js';
import { isInside } from '../base/files/path-containment.js';

/** Folder of a package that contains its skills. */
export const skillsFolder = 'skills';

/** Entry file of a skill. @see https://agentskills.io/specification */
export const skillManifest = 'SKILL.md';

/** Returns the path of a skill's entry file within the package. */
export function skillFile(name: string): string {
  return `${skillsFolder}/${name}/${skillManifest}`;
}

/** The folder of a skill. Its content is not validated. */
export interface SkillFolder {
  readonly name: string;
  /** Absolute path. */
  readonly directory: string;
}

/** Returns all skills of a package, sorted by name. */
export async function findSkillFolders(directory: string): Promise<readonly SkillFolder[]> {
  const names = listFolders(path.join(directory, skillsFolder));
  const found = await Promise.all([...names].sort().map((name) => findSkillFolder(directory, name)));
  return found.filter((one) => one !== undefined);
}

/** Returns a skill of a package; undefined if it is missing. */
export async function findSkillFolder(directory: string, name: string): Promise<SkillFolder | undefined> {
  // Rejects names that are paths or hidden folders.
  if (/[\\/]/.test(name) || name.startsWith('.')) return undefined;
  const folder = path.join(directory, skillsFolder, name);
  const file = path.join(folder, skillManifest);
  const info = statFile(file);
  const isThere = info?.isFile() === true && (await isInside(directory, file));
  return isThere ? { name, directory: folder } : undefined;
}
