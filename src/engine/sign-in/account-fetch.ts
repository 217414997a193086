import type { FetchLike } from '@modelcontextprotocol/client';
import type { Account } from './account.js';
import { type Challenge, coversScope, readChallenge } from './challenge.js';
import type { SignInRecord } from './sign-in-record.js';

/** Most sign-ins for one request: the first one, and one with a larger scope. */
const maxSignIns = 2;

export interface AccountFetchOptions {
  readonly account: Account;
  readonly fetch: FetchLike;
  /** Signs in the waiting user; undefined: no user is there. @throws if the user does not sign in */
  readonly signIn?: ((challenge: Challenge) => Promise<SignInRecord | undefined>) | undefined;
  /** Called with a refusal that is returned to the caller. */
  readonly onRefused?: ((challenge: Challenge) => void) | undefined;
}

/**
 * Returns a fetch that sends the access token of an account to its server. A refused token is renewed once. Requests with
 * other credentials, and to other servers, stay as they are.
 */
export function createAccountFetch({ account, fetch, signIn, onRefused }: AccountFetchOptions): FetchLike {
  const { origin } = new URL(account.server);
  return async (url, init) => {
    if (new URL(url).origin !== origin || new Headers(init?.headers).has('authorization'))
      return await fetch(url, init);
    let record = await account.current();
    let isRenewed = false;
    for (let signIns = 0; ; ) {
      const response = await fetch(url, withToken(init, record));
      const challenge = readChallenge(response);
      if (!challenge) return response;
      if (challenge.status === 401 && record && !isRenewed) {
        isRenewed = true;
        const renewed = await account.renew(record.accessToken);
        if (renewed) {
          await response.body?.cancel();
          record = renewed;
          continue;
        }
      }
      const isWorthwhile = challenge.status === 401 || isStepUp(challenge, record);
      if (!signIn || !isWorthwhile || signIns === maxSignIns) {
        onRefused?.(challenge);
        return response;
      }
      await response.body?.cancel();
      signIns += 1;
      record = await signIn(challenge);
    }
  };
}

/** A scope that the token has already cannot be why the server refuses it. */
function isStepUp({ isScopeTooSmall, scope }: Challenge, record: SignInRecord | undefined): boolean {
  return isScopeTooSmall && scope !== undefined && !coversScope(scope, record?.scope);
}

function withToken(init: RequestInit | undefined, record: SignInRecord | undefined): RequestInit | undefined {
  if (!record) return init;
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${record.accessToken}`);
  return { ...init, headers };
}
