import { definitionLabel } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const invalidInputSchema: Rule = defineRule({
  code: 'invalid-input-schema',
  severity: 'error',
  summary: "The schema of a tool's input has one of the known forms, and every client can use it.",
  *check({ items }) {
    for (const { kind, ref, definition, schemaFaults } of items) {
      if (!definition || kind !== 'tools') continue;
      const { file, at, translation } = definition;
      for (const { path, message } of translation.faults) {
        const location = { file: file.file, path: [...at, ...path] };
        yield {
          location,
          item: ref,
          facts: { what: definitionLabel(definition), key: String(path[0]), message },
        };
      }
      for (const { side, key, message, location } of schemaFaults) {
        if (side === 'input')
          yield { location, item: ref, facts: { what: definitionLabel(definition), key, message } };
      }
    }
  },
  message: ({ what, key, message }) => `${what} has an unusable "${key}": ${message}`,
});
