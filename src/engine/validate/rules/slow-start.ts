import { defineRule, type Rule } from './rule.js';

/** Reported by starting servers, not by `check`. */
export const slowStart: Rule = defineRule({
  code: 'slow-start',
  severity: 'warning',
  summary: 'A server answers before clients give up. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
