import path from 'node:path';
import { isInside } from '../files/contain.js';
import { fileAt, foldersIn } from '../files/disk.js';

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
export async function skillsIn(directory: string): Promise<readonly SkillFolder[]> {
  const names = foldersIn(path.join(directory, skillsFolder));
  const found = await Promise.all([...names].sort().map((name) => skillIn(directory, name)));
  return found.filter((one) => one !== undefined);
}

/** A skill in the folder of a package; undefined if there is none of that name. */
export async function skillIn(directory: string, name: string): Promise<SkillFolder | undefined> {
  // Nothing that leads elsewhere is the name of a skill.
  if (/[\\/]/.test(name) || name.startsWith('.')) return undefined;
  const folder = path.join(directory, skillsFolder, name);
  const file = path.join(folder, skillManifest);
  const info = fileAt(file);
  const isThere = info?.isFile() === true && (await isInside(directory, file));
  return isThere ? { name, directory: folder } : undefined;
}
