import { defineRule, type Rule } from './rule.js';

export const invalidApp: Rule = defineRule({
  code: 'invalid-app',
  severity: 'error',
  summary: 'The page of an app is an HTML document in UTF-8 whose scripts a browser can run.',
  *check({ items }) {
    for (const { page, ref } of items) {
      for (const { reason, location } of page?.faults ?? []) {
        yield { location, item: ref, facts: { name: ref.name, file: page!.file, reason } };
      }
    }
  },
  message: ({ name, file, reason }) => `The page of app "${name}", ${file}, ${reason}.`,
});
