import { defineRule, type Rule } from './rule.js';

/** Found by starting servers, which is not a rule's business. */
export const impureStdout: Rule = defineRule({
  code: 'impure-stdout',
  severity: 'error',
  summary: 'A server writes nothing but MCP to stdout. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
