import { definitionLabel } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const invalidOutputSchema: Rule = defineRule({
  code: 'invalid-output-schema',
  severity: 'error',
  summary: "The schema of a tool's output has one of the known forms, and every client can use it.",
  *check({ items }) {
    for (const { ref, definition, schemaFaults } of items) {
      if (!definition) continue;
      for (const { side, key, message, location } of schemaFaults) {
        if (side !== 'output') continue;
        yield { location, item: ref, facts: { what: definitionLabel(definition), key, message } };
      }
    }
  },
  message: ({ what, key, message }) => `${what} has an unusable "${key}": ${message}`,
});
