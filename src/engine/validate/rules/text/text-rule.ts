import { textSeverity } from '../../../text-checks/check-text.js';
import { defineRule, type Rule, type RuleRow } from '../rule.js';

/** A rule for texts that models read. Its check has the severity. */
export function textRule(row: Omit<RuleRow, 'severity'>): Rule {
  return defineRule({
    ...row,
    severity: textSeverity(row.code),
    *check({ texts }) {
      for (const { code, location, item, severity, message } of texts) {
        if (code === row.code) yield { location, severity, facts: message, ...(item && { item }) };
      }
    },
    message: (message) => message,
  });
}
