import { defineRule, type Rule } from './rule.js';

/** Found by starting servers, which is not a rule's business. */
export const slowStart: Rule = defineRule({
  code: 'slow-start',
  severity: 'warning',
  summary: 'A server answers soon enough that no client gives it up. Found with --boot.',
  check: () => [],
  message: (reason: string) => reason,
});
