import { defineRule, type Rule } from './rule.js';

export const missingDefinition: Rule = defineRule({
  code: 'missing-definition',
  severity: 'error',
  summary: 'Each declared item has a definition.',
  *check({ root, items }) {
    if (root?.fault) return;
    for (const { error, ref } of items) {
      if (error?.code !== 'missing-definition') continue;
      yield { location: error.location, item: ref, facts: error.message };
    }
  },
  message: (reason) => reason,
});
