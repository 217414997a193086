import { singular } from '../../extension/item-kinds.js';
import { defineRule, type Rule } from './rule.js';

export const duplicateDefinitionFiles: Rule = defineRule({
  code: 'duplicate-definition-files',
  severity: 'warning',
  summary: 'One file defines an item, and one combined file the items of a kind.',
  *check({ files }) {
    for (const { kind, item, files: candidates } of files.duplicates) {
      const location = { file: candidates[1]! };
      if (item === undefined) yield { location, facts: { what: `The ${kind} have`, candidates } };
      else {
        const ref = { kind: singular[kind], name: item };
        yield { location, item: ref, facts: { what: `The ${ref.kind} "${item}" has`, candidates } };
      }
    }
  },
  message: ({ what, candidates }) =>
    `${what} several definition files: ${candidates.join(', ')}. ${candidates[0]} counts; remove the others.`,
});
