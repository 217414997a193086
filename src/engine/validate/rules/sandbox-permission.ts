import { defineRule, type Rule } from './rule.js';

export const sandboxPermission: Rule = defineRule({
  code: 'sandbox-permission',
  severity: 'warning',
  summary: 'The sandbox of a server permits the hosts, programs, variables and files that its package uses.',
  *check({ sandboxes }) {
    for (const { ref, lacks } of sandboxes) {
      for (const { location, ...facts } of lacks)
        yield { location, item: ref, facts: { ...facts, name: ref.name } };
    }
  },
  message: ({ name, key, use, file }) =>
    `The sandbox of server "${name}" does not permit a use of the package: ${file ?? 'an upstream server'} ${use}. Add it to "${key}", or remove the use.`,
});
