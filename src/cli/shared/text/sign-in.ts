import type { SignInFacts } from '../../../engine/sign-in/sign-in-record.js';

/** The end of a sign-in, in words. */
export function signInLine({ expires, renewable }: Pick<SignInFacts, 'expires' | 'renewable'>): string {
  if (renewable) return 'signed in; the sign-in is renewed by itself';
  if (expires === null) return 'signed in; the end is not known';
  const isOver = Date.parse(expires) <= Date.now();
  return isOver ? `the sign-in has ended at ${expires}` : `signed in until ${expires}`;
}
