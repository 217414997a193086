import { describeMisplaced } from '../../extension/misplaced-folder.js';
import { defineRule, type Rule } from './rule.js';

export const missingRoot: Rule = defineRule({
  code: 'missing-root',
  severity: 'error',
  summary: 'The folders that the manifest names exist.',
  *check({ root, skillsRoot, manifest, items, derivation }) {
    if (skillsRoot?.fault === 'missing' || skillsRoot?.fault === 'no-folder')
      yield { location: skillsRoot.location, facts: { ...skillsRoot, isDerived: false, isForSkills: true } };
    if (root?.fault !== 'missing' && root?.fault !== 'no-folder') return;
    const said = manifest?.translation.value.root;
    const isMeant = said === undefined ? items.length > 0 : typeof said === 'string' && said !== '';
    const isDerived =
      derivation?.marked?.size || manifest?.toolkits.some(({ module }) => module !== undefined);
    if (isMeant)
      yield {
        location: root.location,
        facts: { ...root, isDerived: Boolean(isDerived), isForSkills: false },
      };
  },
  message: ({ root, fault, misplaced, isDerived, isForSkills }) => {
    if (isForSkills) return `"${root}" is not a folder of the package. Name the folder with the skills.`;
    if (fault === 'no-folder')
      return `"${root}" is not a folder. AgentTools looks for definition files in it; name a folder as "root".`;
    const derive = isDerived
      ? 'run "agenttools derive", which makes it for functions marked "@mcp"; or '
      : '';
    return `There is no folder "${root}" in the package. AgentTools looks for definition files in it; ${derive}make it, or name another one as "root".${describeMisplaced(misplaced)}`;
  },
});
