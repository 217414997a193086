import { defineRule, type Rule } from './rule.js';

export const invalidDefinition: Rule = defineRule({
  code: 'invalid-definition',
  severity: 'error',
  summary: 'A definition file is well formed, and a definition is an object.',
  *check({ items }) {
    for (const { error, repeatsError, ref } of items) {
      if (error?.code !== 'invalid-definition' || repeatsError) continue;
      yield { location: error.location, item: ref, facts: error.message };
    }
  },
  message: (reason) => reason,
});
