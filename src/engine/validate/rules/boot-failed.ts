import { defineRule, type Rule } from './rule.js';

/** Found by starting servers, which is not a rule's business. */
export const bootFailed: Rule = defineRule({
  code: 'boot-failed',
  severity: 'error',
  summary: 'Each server starts, answers an MCP client and lists what it is meant to. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
