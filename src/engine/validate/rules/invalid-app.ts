import { faultsOfKind } from '../facts/faults.js';
import { defineRule, type Rule } from './rule.js';

export const invalidApp: Rule = defineRule({
  code: 'invalid-app',
  severity: 'error',
  summary: "An app's metadata is an object whose keys hold what they should.",
  *check({ items }) {
    yield* faultsOfKind('apps', items);
    for (const { error, ref } of items) {
      if (error?.code === 'invalid-app') yield { location: error.location, item: ref, facts: error.message };
    }
  },
  message: (reason) => reason,
});
