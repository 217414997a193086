import { defineRule, type Rule } from './rule.js';

export const unresolvedReference: Rule = defineRule({
  code: 'unresolved-reference',
  severity: 'warning',
  summary: 'Items of other packages that are named can be found. An error with --resolve.',
  *check({ servers, appReferences }) {
    for (const { name, ref, entries } of servers) {
      for (const { lost, location } of entries) {
        if (lost?.isForeign)
          yield { location, item: ref, facts: { what: `Server "${name}"`, reason: lost.reason } };
      }
    }
    for (const { tool, reason, location, isForeign } of appReferences) {
      if (isForeign) yield { location, item: tool.ref, facts: { what: `Tool "${tool.name}"`, reason } };
    }
  },
  message: ({ what, reason }) => `${what}: ${reason}`,
});
