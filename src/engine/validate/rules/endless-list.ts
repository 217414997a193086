import { defineRule, type Rule } from './rule.js';

/** Reported by checking existing servers, not by `check`. */
export const endlessList: Rule = defineRule({
  code: 'endless-list',
  severity: 'error',
  summary: 'The pages of each list of a server end. Found by checking an existing server.',
  check: () => [],
  message: (reason: string) => reason,
});
