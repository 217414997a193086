import { defineRule, type Rule } from './rule.js';

export const missingRoot: Rule = defineRule({
  code: 'missing-root',
  severity: 'error',
  summary: 'The folder of the definition files exists.',
  *check({ root, manifest, items }) {
    if (root?.fault !== 'missing' && root?.fault !== 'no-folder') return;
    const said = manifest?.translation.value.root;
    const isMeant = said === undefined ? items.length > 0 : typeof said === 'string' && said !== '';
    if (isMeant) yield { location: root.location, facts: root };
  },
  message: ({ root, fault }) =>
    fault === 'missing'
      ? `There is no folder "${root}" in the package. The definition files are looked for in it; make it, or name another one as "root".`
      : `"${root}" is not a folder. The definition files are looked for in it; name a folder as "root".`,
});
