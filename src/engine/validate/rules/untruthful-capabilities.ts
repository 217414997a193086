import { defineRule, type Rule } from './rule.js';

/** Reported by checking existing servers, not by `check`. */
export const untruthfulCapabilities: Rule = defineRule({
  code: 'untruthful-capabilities',
  severity: 'error',
  summary:
    'A server lists exactly the kinds of items that it declares. Found by checking an existing server.',
  check: () => [],
  message: (reason: string) => reason,
});
