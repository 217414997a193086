import { defineRule, type Rule } from './rule.js';

/** Reported by the comparison with the published version, not by `check`. */
export const releaseVersion: Rule = defineRule({
  code: 'release-version',
  severity: 'error',
  summary:
    'The version of the package has the step that the changes since the last published version need. Found with --release.',
  check: () => [],
  message: (reason: string) => reason,
});
