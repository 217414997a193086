import { defineRule, type Rule } from './rule.js';

export const appWithoutHandshake: Rule = defineRule({
  code: 'app-without-handshake',
  severity: 'warning',
  summary: 'The page of an app performs the handshake with its host, which sends nothing before it.',
  *check({ items }) {
    for (const { page, ref } of items) {
      if (!page || page.unsaid.length === 0) continue;
      const { file, unsaid } = page;
      yield { location: { file }, item: ref, facts: { name: ref.name, unsaid } };
    }
  },
  message: ({ name, unsaid }) =>
    `No script of app "${name}" contains ${unsaid.map((word) => `"${word}"`).join(' or ')}, so its host sends it no tool call. Send ui/initialize by postMessage, and ui/notifications/initialized after the answer; agenttools explain app-without-handshake shows how.`,
});
