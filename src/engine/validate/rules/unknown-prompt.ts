import { defineRule, type Rule } from './rule.js';

export const unknownPrompt: Rule = defineRule({
  code: 'unknown-prompt',
  severity: 'error',
  summary:
    'A server lists only prompts that its extension declares, that are built in, or that another package declares.',
  *check({ servers }) {
    for (const { name: server, ref, entries } of servers) {
      for (const { kind, reference, lost, location } of entries) {
        if (kind !== 'prompts' || !lost || lost.isForeign) continue;
        yield { location, item: ref, facts: { server, reference, reason: lost.reason } };
      }
    }
  },
  message: ({ server, reference, reason }) =>
    `Server "${server}" lists the prompt "${reference}", which ${reason}`,
});
