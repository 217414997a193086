import { didYouMean } from '../../engine/base/did-you-mean.js';
import { AgentToolsError } from '../../engine/base/errors.js';
import { textCodes } from '../../engine/text-checks/check-text.js';

/** Checks the codes of `--allow-findings`. @throws AgentToolsError `usage` for an unknown code */
export function readAllowedCodes(codes: readonly string[]): readonly string[] {
  for (const code of codes) {
    if (textCodes.includes(code)) continue;
    const meant = didYouMean(code, textCodes) ?? textCodes.find((known) => known === `text/${code}`);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    throw new AgentToolsError(
      'usage',
      `--allow-findings takes codes of text/ rules, not "${code}".${hint} List them with: agenttools explain`,
    );
  }
  return codes;
}
