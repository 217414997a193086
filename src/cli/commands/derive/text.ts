import { visibleText } from '../../../engine/base/visible-text.js';
import type { Derivation } from '../../../engine/derive/derive.js';
import { type ColorOption, formatCount, paint, styleFor } from '../../shared/text/style.js';

/** Renders a derivation for people: remarks first, then the outcome for the file. */
export function renderDerivation(
  derivation: Derivation,
  { check, color }: ColorOption & { readonly check: boolean },
): string {
  const style = styleFor({ color });
  const { remarks } = derivation;
  const lines = remarks.map(({ severity, message, file, line, column }) => {
    const word = paint[severity](style)(severity);
    return `${file}:${line}:${column}: ${word}: ${message}\n`;
  });
  return visibleText([...lines, `${derivationOutcome(derivation, check)}\n`].join(''));
}

/** One sentence about the file. */
export function derivationOutcome(
  { file, derived, hasErrors, remarks, state, differences }: Derivation,
  check: boolean,
): string {
  if (hasErrors) {
    const errors = remarks.filter(({ severity }) => severity === 'error').length;
    return `Nothing was written: ${formatCount(errors, 'error')}. Fix the types, or declare "input" and "output" in the definition.`;
  }
  if (state === 'current') return derived ? `${file} is up to date.` : nothingToDerive;
  const content = derived && summarizeDerived(derived);
  if (check) {
    const reason = derived
      ? `differs from the current types${differences.length > 0 ? ` of ${joinDifferences(differences)}` : ''}`
      : 'exists, but no definition is derived any more';
    return state === 'absent'
      ? `${file} is missing. Run "agenttools derive".`
      : `${file} is stale: it ${reason}. Run "agenttools derive".`;
  }
  return content === undefined ? `Removed ${file}. ${nothingToDerive}` : `Wrote ${file}: ${content}.`;
}

/** Further differences are only counted. */
const maxDifferencesShown = 3;

function joinDifferences(differences: readonly string[]): string {
  const more = differences.length - maxDifferencesShown;
  return `${differences.slice(0, maxDifferencesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const nothingToDerive =
  'There is nothing to derive: no tool has a "handler" without "input", and no function is marked "@mcp".';

function summarizeDerived({ functions, tools }: NonNullable<Derivation['derived']>): string {
  const marked = Object.keys(tools).length;
  const all = formatCount(Object.keys(functions).length, 'function');
  return marked === 0 ? all : `${all}, ${marked} of them marked "@mcp"`;
}
