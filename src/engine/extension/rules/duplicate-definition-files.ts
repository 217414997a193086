import { singular } from '../kinds.js';
import { defineRule, type Rule } from './rule.js';

export const duplicateDefinitionFiles: Rule = defineRule({
  code: 'duplicate-definition-files',
  severity: 'warning',
  summary: 'One file defines an item, and one combined file the items of a kind.',
  *check({ files }) {
    for (const { kind, item, files: candidates } of files.duplicates) {
      const [counting, ...others] = candidates;
      const what = item === undefined ? `The ${kind}` : `The ${singular[kind]} "${item}"`;
      const ref = item === undefined ? {} : { item: { kind: singular[kind], name: item } };
      yield { location: { file: others[0]! }, ...ref, facts: { what, counting, others } };
    }
  },
  message: ({ what, counting, others }) =>
    `${what} have several definition files: ${[counting, ...others].join(', ')}. ${counting} counts; remove the others.`.replace(
      /^(The [a-z]+ ".*?") have/,
      '$1 has',
    ),
});
