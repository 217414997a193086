import { defineRule, type Rule } from './rule.js';

/** Reported by checking existing servers, not by `check`. */
export const wrongErrorCode: Rule = defineRule({
  code: 'wrong-error-code',
  severity: 'warning',
  summary:
    'A server answers wrong requests with the error codes of MCP. Found by checking an existing server.',
  check: () => [],
  message: (reason: string) => reason,
});
