import { defineRule, type Rule } from './rule.js';

export const typescriptOnly: Rule = defineRule({
  code: 'typescript-only',
  severity: 'error',
  summary:
    'Definitions and the modules they name exist as JavaScript, too; Node runs no TypeScript of an installed package.',
  *check({ items }) {
    const seen = new Set<string>();
    for (const { ref, source, callables } of items) {
      const what = `${ref.kind} "${ref.name}"`;
      if (source?.language === 'typescript' && !seen.has(source.file)) {
        seen.add(source.file);
        yield {
          location: { file: source.file },
          item: ref,
          facts: { what: `The definition of ${what}`, file: source.file },
        };
      }
      for (const { isTypeScript, file, label, location } of callables) {
        if (isTypeScript)
          yield {
            location,
            item: ref,
            facts: { what: `The module that "${label}" of ${what} names`, file: file! },
          };
      }
    }
  },
  message: ({ what, file }) =>
    `${what} is TypeScript only: ${file}. Node does not run TypeScript from node_modules; compile it and ship the JavaScript.`,
});
