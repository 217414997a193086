import { defineRule, type Rule } from './rule.js';

/** Reported after all other rules, not by `check`. */
export const unusedSuppression: Rule = defineRule({
  code: 'unused-suppression',
  severity: 'warning',
  summary: 'Each suppression silences a diagnostic.',
  check: () => [],
  message: (reason: string) => reason,
});
