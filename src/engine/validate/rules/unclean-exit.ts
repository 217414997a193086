import { defineRule, type Rule } from './rule.js';

/** Reported by checking existing servers, not by `check`. */
export const uncleanExit: Rule = defineRule({
  code: 'unclean-exit',
  severity: 'warning',
  summary:
    'A server exits with code 0 within 5 s after its client has closed stdin. Found by checking an existing server.',
  check: () => [],
  message: (reason: string) => reason,
});
