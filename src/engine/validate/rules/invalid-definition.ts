import { unplainError } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const invalidDefinition: Rule = defineRule({
  code: 'invalid-definition',
  severity: 'error',
  summary: 'A definition file is well formed, and a definition is an object with a JSON form.',
  *check({ items }) {
    for (const { error, repeatsError, ref, declaration, definition } of items) {
      if (error?.code === 'invalid-definition' && !repeatsError) {
        yield { location: error.location, item: ref, facts: error.message };
      }
      // Faults of inline definitions are reported with the definition of their server.
      if (!definition || !declaration) continue;
      for (const fault of definition.translation.unplain) {
        const { location, message } = unplainError(definition, fault);
        yield { location, item: ref, facts: message };
      }
    }
  },
  message: (reason) => reason,
});
