import { visibleText } from '../../../engine/base/visible-text.js';
import type { SignInFacts } from '../../../engine/sign-in/sign-in-record.js';
import { signInLine } from '../../shared/text/sign-in.js';
import { formatCount } from '../../shared/text/style.js';

/** Report of `login`. */
export function signedInText(facts: SignInFacts, tools: number): string {
  const lines = [
    `Signed in to ${facts.server} at ${facts.issuer}.`,
    `  ${signInLine(facts)}`,
    ...(facts.scope === undefined ? [] : [`  scope: ${facts.scope}`]),
    `  The server accepts the sign-in and lists ${formatCount(tools, 'tool')}.`,
  ];
  return visibleText(`${lines.join('\n')}\n`);
}
