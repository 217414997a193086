import type { FetchLike } from '@modelcontextprotocol/client';
import type { Account } from './account.js';
import { type Challenge, coversScope, joinScopes, readChallenge } from './challenge.js';
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
 * Returns a fetch that sends the access token of an account to its server. After a refusal, it takes the sign-in that another
 * program has stored, or renews the token once. Requests with other credentials, and to other servers, stay as they are.
 */
export function createAccountFetch({ account, fetch, signIn, onRefused }: AccountFetchOptions): FetchLike {
  const { origin } = new URL(account.server);
  return async (url, init) => {
    if (new URL(url).origin !== origin || new Headers(init?.headers).has('authorization'))
      return await fetch(url, init);
    let record = await account.current();
    const waysLeft = new Set(['renew', 'reread'] as const);
    for (let signIns = 0; ; ) {
      const response = await fetch(url, withToken(init, record));
      const refusal = readChallenge(response);
      if (!refusal) return response;
      const challenge = withScopeOfBefore(refusal, record);
      const way = challenge.status === 401 && record ? 'renew' : 'reread';
      if (waysLeft.delete(way)) {
        const other = await account[way](record?.accessToken);
        if (other) {
          await response.body?.cancel();
          record = other;
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

/** The next token replaces the present one, so it needs the scope of both. */
function withScopeOfBefore(challenge: Challenge, record: SignInRecord | undefined): Challenge {
  const scope = challenge.isScopeTooSmall ? joinScopes(record?.scope, challenge.scope) : undefined;
  return scope === undefined || challenge.scope === undefined ? challenge : { ...challenge, scope };
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
