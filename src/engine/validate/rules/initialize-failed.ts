import { defineRule, type Rule } from './rule.js';

/** Reported by starting servers, not by `check`. */
export const initializeFailed: Rule = defineRule({
  code: 'initialize-failed',
  severity: 'error',
  summary: 'The "initialize" hooks of servers and tools succeed. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
