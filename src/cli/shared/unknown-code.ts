import { didYouMean } from '../../engine/base/did-you-mean.js';
import { ruleTable } from '../../engine/validate/rules/index.js';

/** Error message for an unknown code. Suggests the most similar one. */
export function unknownCode(code: string): string {
  const codes = ruleTable.map((row) => row.code);
  const begun = code === '' ? [] : codes.filter((one) => one.startsWith(code) || one.endsWith(`/${code}`));
  const meant = didYouMean(code, codes) ?? begun[0];
  const hint = meant ? `Did you mean "${meant}"?` : 'List them with: agenttools explain';
  return `There is no diagnostic code "${code}". ${hint}`;
}
