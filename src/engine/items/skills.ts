import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Definition, Extension } from '../extension/extension.js';
import { isInScope } from '../files/contain.js';
import type { LeftOut } from './left-out.js';
import { locate, nameOf } from './read.js';

/** Where a package has its skills. */
const skillsFolder = 'skills';

/** What a skill begins with. @see https://agentskills.io/specification */
const manifest = 'SKILL.md';

/** The folder of a skill. Nobody has looked into it. */
export interface SkillFolder {
  readonly name: string;
  /** Absolute path. */
  readonly directory: string;
}

/** The skills that a server lists, or all of its package. Those that are not there are left out. */
export async function listedSkills(
  definition: Definition,
  leftOut: LeftOut[],
): Promise<readonly SkillFolder[]> {
  const { value, extension } = definition;
  if (value.skills === '*') return (await allNames(extension)).map((name) => folderOf(extension, name));
  const names = Array.isArray(value.skills) ? [...new Set(value.skills.map(String))] : [];
  const areThere = await Promise.all(names.map(async (name) => await isSkill(extension, name)));
  for (const [index, name] of names.entries()) {
    if (areThere[index]) continue;
    const expected = `${skillsFolder}/${name}/${manifest}`;
    const message = `${nameOf(definition)} lists the skill "${name}", which is not there. Expected ${expected} in the package.`;
    const location = locate(definition, ['skills', index]);
    const item = `${extension.qualify(definition.item)}#skills/${index}`;
    leftOut.push({ kind: 'resources', item, message, code: 'invalid-server', location, extension });
  }
  return names.filter((_, index) => areThere[index]).map((name) => folderOf(extension, name));
}

/** What the skills that a server lists begin with: files of the package, if they are there. */
export async function skillManifests(extension: Extension, listed: unknown): Promise<readonly string[]> {
  const names = listed === '*' ? await allNames(extension) : Array.isArray(listed) ? listed.map(String) : [];
  const areThere = await Promise.all(names.map(async (name) => await isSkill(extension, name)));
  return names.filter((_, index) => areThere[index]).map((name) => `${skillsFolder}/${name}/${manifest}`);
}

async function allNames(extension: Extension): Promise<readonly string[]> {
  const folder = path.join(extension.paths.directory, skillsFolder);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const areThere = await Promise.all(names.map(async (name) => await isSkill(extension, name)));
  return names.filter((_, index) => areThere[index]).sort();
}

async function isSkill(extension: Extension, name: string): Promise<boolean> {
  // Nothing that leads elsewhere is the name of a skill.
  if (/[\\/]/.test(name) || name.startsWith('.')) return false;
  const file = path.join(skillsFolder, name, manifest);
  const info = await stat(path.join(extension.paths.directory, file)).catch(() => undefined);
  return info?.isFile() === true && (await isInScope(extension.paths, file));
}

function folderOf({ paths }: Extension, name: string): SkillFolder {
  return { name, directory: path.join(paths.directory, skillsFolder, name) };
}
