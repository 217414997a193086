import { didYouMean } from '../../engine/base/did-you-mean.js';
import { ruleTable } from '../../engine/validate/rules/index.js';

/** Error message for an unknown code. Suggests the most similar one. */
export function unknownCode(code: string): string {
  const meant = didYouMean(
    code,
    ruleTable.map((row) => row.code),
  );
  const hint = meant ? `Did you mean "${meant}"?` : 'List them with: agenttools explain';
  return `There is no diagnostic code "${code}". ${hint}`;
}
