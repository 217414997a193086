import { compatibilityRules } from '../../../compatibility/compatibility-rules.js';
import type { Rule } from '../rule.js';

/** A rule about the limits of clients. The snapshot has its diagnostics. */
export function compatibilityRule(code: string): Rule {
  const { severity, summary } = compatibilityRules.find((one) => one.code === code)!;
  return {
    code,
    severity,
    summary,
    *check({ compatibility }) {
      for (const diagnostic of compatibility.faults) if (diagnostic.code === code) yield diagnostic;
    },
  };
}
