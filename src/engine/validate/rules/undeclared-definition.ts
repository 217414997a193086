import { singular } from '../../extension/item-kinds.js';
import { defineRule, type Rule } from './rule.js';

export const undeclaredDefinition: Rule = defineRule({
  code: 'undeclared-definition',
  severity: 'warning',
  summary: 'Each definition belongs to a declared item; the others cannot be reached.',
  *check({ files }) {
    for (const { kind, item, location, toolkit } of files.undeclared) {
      const ref = { kind: singular[kind], name: item };
      yield { location, item: ref, facts: { kind, item, toolkit } };
    }
  },
  message: ({ kind, item, toolkit }) =>
    toolkit !== undefined
      ? `The toolkit "${toolkit}" has a tool "${item}" that its declaration does not list, so it is unknown until code of the package runs. Add "${item}" to its "tools" in the manifest.`
      : `The ${singular[kind]} "${item}" is defined but not declared, so it cannot be reached. Add "${item}" to "${kind}" in the manifest.`,
});
