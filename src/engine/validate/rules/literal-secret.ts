import { defineRule, type Rule } from './rule.js';

export const literalSecret: Rule = defineRule({
  code: 'literal-secret',
  severity: 'warning',
  summary: 'The endpoint of an upstream server contains nothing that looks like a secret.',
  *check({ items }) {
    for (const { ref, upstreams = [] } of items) {
      for (const { what, secrets } of upstreams) {
        for (const { label, location } of secrets) yield { location, item: ref, facts: { what, label } };
      }
    }
  },
  message: ({ what, label }) =>
    `${what} has a literal value in "${label}" that looks like a secret. Every user of the package can read it. Write \${NAME} there, and set the variable where the server runs.`,
});
