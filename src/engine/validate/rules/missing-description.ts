import { locate, touchesUnplain } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

const describedKinds = new Set(['tools', 'prompts', 'resources']);

export const missingDescription: Rule = defineRule({
  code: 'missing-description',
  severity: 'warning',
  summary: 'Tools, prompts and resources have a description.',
  *check({ items }) {
    for (const { kind, ref, definition } of items) {
      if (!definition || !describedKinds.has(kind) || touchesUnplain(definition, ['description'])) continue;
      const { description } = definition.value;
      if (description !== undefined && (typeof description !== 'string' || description.trim() !== ''))
        continue;
      const path = description === undefined ? [] : ['description'];
      yield { location: locate(definition, path), item: ref, facts: ref };
    }
  },
  message: ({ kind, name }) =>
    `The ${kind} "${name}" has no description. Models choose by it: describe its purpose and when to use it.`,
});
