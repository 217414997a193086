import { defineRule, type Rule } from './rule.js';

/** Reported by starting servers, not by `check`. */
export const impureStdout: Rule = defineRule({
  code: 'impure-stdout',
  severity: 'error',
  summary: 'A server writes nothing but MCP to stdout. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
