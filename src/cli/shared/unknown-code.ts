import { didYouMean } from '../../engine/base/did-you-mean.js';

/** Error message for an unknown code. Suggests the most similar one of the known codes. */
export function unknownCode(code: string, known: readonly string[]): string {
  const begun = code === '' ? [] : known.filter((one) => one.startsWith(code) || one.endsWith(`/${code}`));
  const meant = didYouMean(code, known) ?? begun[0];
  const hint = meant ? `Did you mean "${meant}"?` : 'List them with: agenttools explain';
  return `There is no diagnostic code "${code}". ${hint}`;
}
