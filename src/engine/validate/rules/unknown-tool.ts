import { defineRule, type Rule } from './rule.js';

export const unknownTool: Rule = defineRule({
  code: 'unknown-tool',
  severity: 'error',
  summary:
    'A server lists only tools that its extension declares, that are built in, or that another package declares.',
  *check({ servers }) {
    for (const { name: server, ref, entries } of servers) {
      for (const { kind, reference, lost, location, namesToolkit } of entries) {
        if (kind !== 'tools' || !lost || lost.isForeign) continue;
        yield {
          location,
          item: ref,
          facts: { server, reference, what: namesToolkit ? 'toolkit' : 'tool', reason: lost.reason },
        };
      }
    }
  },
  message: ({ server, reference, what, reason }) =>
    `Server "${server}" lists the ${what} "${reference}", which ${reason}`,
});
