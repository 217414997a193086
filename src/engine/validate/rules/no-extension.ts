import { defineRule, type Rule } from './rule.js';

export const noExtension: Rule = defineRule({
  code: 'no-extension',
  severity: 'error',
  summary: 'The package.json of an extension has an "agenttools" field.',
  *check({ unreadable }) {
    if (unreadable?.code === 'no-extension') yield { location: unreadable.location, facts: unreadable };
  },
  message: ({ message }) => `${message} Add one, at least: "agenttools": { "tools": [] }`,
});
