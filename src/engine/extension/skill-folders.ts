import path from 'node:path';
import { listFolders, statFile } from '../base/files/disk.js';
import { isInside } from '../base/files/path-containment.js';

/** Where a package has its skills. */
export const skillsFolder = 'skills';

/** What a skill begins with. @see https://agentskills.io/specification */
export const skillManifest = 'SKILL.md';

/** What a skill begins with, within the package. */
export function skillFile(name: string): string {
  return `${skillsFolder}/${name}/${skillManifest}`;
}

/** The folder of a skill. Nobody has looked into it. */
export interface SkillFolder {
  readonly name: string;
  /** Absolute path. */
  readonly directory: string;
}

/** All skills in the folder of a package, by their names. */
export async function findSkillFolders(directory: string): Promise<readonly SkillFolder[]> {
  const names = listFolders(path.join(directory, skillsFolder));
  const found = await Promise.all([...names].sort().map((name) => findSkillFolder(directory, name)));
  return found.filter((one) => one !== undefined);
}

/** A skill in the folder of a package; undefined if there is none of that name. */
export async function findSkillFolder(directory: string, name: string): Promise<SkillFolder | undefined> {
  // Nothing that leads elsewhere is the name of a skill.
  if (/[\\/]/.test(name) || name.startsWith('.')) return undefined;
  const folder = path.join(directory, skillsFolder, name);
  const file = path.join(folder, skillManifest);
  const info = statFile(file);
  const isThere = info?.isFile() === true && (await isInside(directory, file));
  return isThere ? { name, directory: folder } : undefined;
}
