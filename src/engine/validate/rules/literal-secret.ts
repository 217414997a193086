import { defineRule, type Rule } from './rule.js';

export const literalSecret: Rule = defineRule({
  code: 'literal-secret',
  severity: 'warning',
  summary: 'Nothing that looks like a secret is written into the place of an existing server.',
  *check({ items }) {
    for (const { ref, upstreams = [] } of items) {
      for (const { what, secrets } of upstreams) {
        for (const { label, location } of secrets) yield { location, item: ref, facts: { what, label } };
      }
    }
  },
  message: ({ what, label }) =>
    `${what} holds what looks like a secret as "${label}", for everybody to read. Write \${NAME} there, and have the variable set where the server runs.`,
});
