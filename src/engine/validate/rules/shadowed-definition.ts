import { singular } from '../../extension/item-kinds.js';
import { defineRule, type Rule } from './rule.js';

export const shadowedDefinition: Rule = defineRule({
  code: 'shadowed-definition',
  severity: 'warning',
  summary: "No entry of a combined file is hidden by the item's own file.",
  *check({ files }) {
    for (const { kind, item, location, file } of files.shadowed) {
      const ref = { kind: singular[kind], name: item };
      yield { location, item: ref, facts: { ...ref, combined: location.file, file } };
    }
  },
  message: ({ kind, name, combined, file }) =>
    `The ${kind} "${name}" is defined in ${file}, so its entry in ${combined} is never read. Remove one of the two.`,
});
