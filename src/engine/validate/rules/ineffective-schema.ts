import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { schemaWarnings } from '../../schema/index.js';
import { defineRule, type Rule } from './rule.js';

const sides = ['input', 'output'] as const;

export const ineffectiveSchema: Rule = defineRule({
  code: 'ineffective-schema',
  severity: 'warning',
  summary: "Every part of a tool's schema has an effect.",
  *check({ items }) {
    for (const { kind, ref, definition, schemaFaults } of items) {
      if (kind !== 'tools' || !definition) continue;
      const { value } = definition;
      const what = definitionLabel(definition);
      for (const side of sides) {
        const rawOnly = value[`${side}Schema`] !== undefined;
        if (rawOnly && value[side] !== undefined) {
          const says = `"${side}" is never read, because there is also "${side}Schema". Remove one of the two.`;
          yield { location: locate(definition, [side]), item: ref, facts: { what, says } };
        }
        const key = rawOnly ? `${side}Schema` : side;
        const isRefused = schemaFaults.some((fault) => fault.key === key);
        if (value[key] === undefined || isRefused) continue;
        for (const { path, message: says } of schemaWarnings(value[key], { side, rawOnly })) {
          yield { location: locate(definition, [key, ...path]), item: ref, facts: { what, says } };
        }
      }
    }
  },
  message: ({ what, says }) => `${what}: ${says}`,
});
