import { visibleText } from '../../../engine/base/visible-text.js';
import type { SignOut } from '../../../engine/sign-in/sign-in.js';
import { accountName } from '../../../engine/sign-in/sign-in-record.js';

/** Report of `logout`. */
export function signOutText(url: string, outcome: SignOut | undefined): string {
  const server = accountName(url);
  if (!outcome) return visibleText(`You are not signed in to ${server}.\n`);
  const { issuer, isRevoked, problem } = outcome;
  const lines = [`Signed out of ${server}. The tokens are deleted from this machine.`];
  if (isRevoked) lines.push(`${issuer} has revoked them.`);
  else {
    const reason =
      problem === undefined ? `${issuer} revokes no tokens` : `they were not revoked: ${problem}`;
    lines.push(
      `warning: ${reason}. They are valid until they end. End the session in your account at ${issuer}.`,
    );
  }
  return visibleText(`${lines.join('\n')}\n`);
}
