import { singular } from '../../extension/kinds.js';
import { defineRule, type Rule } from './rule.js';

export const undeclaredDefinition: Rule = defineRule({
  code: 'undeclared-definition',
  severity: 'warning',
  summary: 'Each definition belongs to a declared item; the others cannot be reached.',
  *check({ files }) {
    for (const { kind, item, location } of files.undeclared) {
      const ref = { kind: singular[kind], name: item };
      yield { location, item: ref, facts: { kind, item } };
    }
  },
  message: ({ kind, item }) =>
    `The ${singular[kind]} "${item}" is defined but not declared, so it cannot be reached. Add "${item}" to "${kind}" in the manifest.`,
});
