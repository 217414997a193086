import { visibleText } from '../../../engine/base/visible-text.js';
import type { SignInFacts } from '../../../engine/sign-in/sign-in-record.js';
import { signInLine } from '../../shared/text/sign-in.js';

/** Report of `login`. */
export function signedInText(facts: SignInFacts, tools: number | null): string {
  const lines = [
    `Signed in to ${facts.server} at ${facts.issuer}.`,
    `  ${signInLine(facts)}`,
    ...(facts.scope === undefined ? [] : [`  scope: ${facts.scope}`]),
    ...(tools === null ? [] : [`  The server accepts the sign-in and lists ${tools} tools.`]),
  ];
  return visibleText(`${lines.join('\n')}\n`);
}
