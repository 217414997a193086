import { didYouMean } from '../../engine/base/did-you-mean.js';

/** Error message for an unknown code. Suggests the most similar one of the known codes. */
export function unknownCode(code: string, known: readonly string[]): string {
  const meant = didYouMean(code, known);
  const hint = meant ? `Did you mean "${meant}"?` : 'List them with: agenttools explain';
  return `There is no diagnostic code "${code}". ${hint}`;
}
