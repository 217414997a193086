import path from 'node:path';
import { listFolderNames, statFile } from '../base/files/disk.js';
import { isInside } from '../base/files/path-containment.js';
import { errorMessage } from '../base/thrown-value.js';
import { isString } from '../base/value-checks.js';
import { readSkill } from '../skills/read-skill.js';

interface PluginSkills {
  /** Absolute folders, by name. */
  readonly skills: Readonly<Record<string, string>>;
  /** Skills that were left out, in sentences. */
  readonly notes: readonly string[];
}

/** Finds the skills of a plugin. `named`: further folders that its manifest names. */
export async function readPluginSkills(folder: string, named: unknown): Promise<PluginSkills> {
  const places = ['skills', ...[named ?? []].flat().filter(isString)].map((place) =>
    path.posix.normalize(place).replace(/\/$/, ''),
  );
  const skills = new Map<string, string>();
  const notes: string[] = [];
  for (const place of new Set(places)) {
    if (statFile(path.join(folder, place)) === undefined) continue;
    if (!(await isInside(folder, path.join(folder, place)))) {
      notes.push(`The skills in ${place} were left out: the folder is outside the plugin.`);
      continue;
    }
    for (const directory of skillFolders(path.join(folder, place))) {
      const name = path.basename(directory);
      const fault = skills.has(name) ? 'another skill has its name' : await faultOf(name, directory, folder);
      if (fault === undefined) skills.set(name, directory);
      else notes.push(`The skill "${name}" was left out: ${fault}.`);
    }
  }
  return { skills: Object.fromEntries(skills), notes };
}

/** A folder that is a skill, or the skills in it. */
function skillFolders(directory: string): readonly string[] {
  const isSkill = (one: string) => statFile(path.join(one, 'SKILL.md'))?.isFile() === true;
  if (isSkill(directory)) return [directory];
  return [...(listFolderNames(directory) ?? [])]
    .sort()
    .map((name) => path.join(directory, name))
    .filter(isSkill);
}

async function faultOf(name: string, directory: string, folder: string): Promise<string | undefined> {
  if (!(await isInside(folder, directory))) return 'its folder is outside the plugin';
  return await readSkill({ name, directory }).then(
    () => undefined,
    (error: unknown) => errorMessage(error),
  );
}
