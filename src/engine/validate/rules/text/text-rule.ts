import { defineRule, type Rule, type RuleRow } from '../rule.js';

/** A rule for texts that models read. */
export function textRule(row: RuleRow): Rule {
  return defineRule({
    ...row,
    *check({ texts }) {
      for (const { code, location, item, severity = row.severity, message } of texts) {
        if (code === row.code) yield { location, severity, facts: message, ...(item && { item }) };
      }
    },
    message: (message) => message,
  });
}
