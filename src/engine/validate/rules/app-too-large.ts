import { defineRule, type Rule } from './rule.js';

/** Limit in KB: hosts fetch the pages of all tools in advance, again for each conversation. */
const maxKilobytes = 60;

export const appTooLarge: Rule = defineRule({
  code: 'app-too-large',
  severity: 'warning',
  summary: `The page of an app has at most ${maxKilobytes} KB.`,
  *check({ items }) {
    for (const { page, ref } of items) {
      if (!page || page.bytes <= maxKilobytes * 1024) continue;
      const { file, bytes } = page;
      yield { location: { file }, item: ref, facts: { name: ref.name, file, bytes } };
    }
  },
  message: ({ name, file, bytes }) =>
    `The page of app "${name}", ${file}, has ${Math.ceil(bytes / 1024)} KB. Hosts load it ahead of time, for every user: stay within ${maxKilobytes} KB by minifying it and leaving out what it does not need.`,
});
