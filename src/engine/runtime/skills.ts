import { type Definition, DefinitionError } from '../extension/extension.js';
import { findSkillFolders, type SkillFolder } from '../extension/skill-folders.js';
import type { Workspace } from '../extension/workspace.js';
import { definitionLabel, locate } from './read-definition.js';
import { listSkipped, type SkippedItem } from './skipped-items.js';

interface SkillListing {
  readonly workspace: Workspace;
  readonly leftOut: SkippedItem[];
}

/** The skills that a server lists, or all skills of its package. Unavailable skills are skipped. */
export async function listedSkills(
  definition: Definition,
  { workspace, leftOut }: SkillListing,
): Promise<readonly SkillFolder[]> {
  const { value, extension } = definition;
  if (value.skills === '*') return await findSkillFolders(extension.manifest);
  const lose = (error: unknown, item: string) =>
    leftOut.push(listSkipped(error, { kind: 'skills', item, extension }));
  const listed = await Promise.all(
    skillReferences(definition).map(async ({ reference, index }) => {
      const location = locate(definition, ['skills', index]);
      const folder = workspace.locateSkill(reference, extension, location);
      return { reference, location, found: await folder.catch((error: unknown) => ({ error })) };
    }),
  );
  const byName = new Map<string, SkillFolder>();
  for (const { reference, location, found } of listed) {
    if ('error' in found) {
      lose(found.error, reference);
      continue;
    }
    const first = byName.get(found.name) ?? found;
    byName.set(found.name, first);
    if (first.directory === found.directory) continue;
    // Clients identify a skill by its name only.
    const message = `${definitionLabel(definition)} lists the skill "${reference}", but has another one named "${found.name}".`;
    lose(new DefinitionError('invalid-server', message, location), reference);
  }
  return [...byName.values()];
}

/** Names of the skills that a server lists, each once, with their index in its list. */
function skillReferences({
  value: { skills },
}: Pick<Definition, 'value'>): readonly { readonly reference: string; readonly index: number }[] {
  const names = Array.isArray(skills) ? skills.map(String) : [];
  const entries = names.map((reference, index) => ({ reference, index }));
  return entries.filter(({ reference, index }) => names.indexOf(reference) === index);
}
