import { defineRule, type Rule } from './rule.js';

/** Reported by starting servers, not by `check`. */
export const bootFailed: Rule = defineRule({
  code: 'boot-failed',
  severity: 'error',
  summary: 'Each server starts, answers an MCP client and lists its items. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
