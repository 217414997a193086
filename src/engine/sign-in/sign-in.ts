import { packageVersion } from '../base/folders.js';
import { outgoingFetch } from '../base/outgoing-fetch.js';
import { errorMessage } from '../base/thrown-value.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import type { Account } from './account.js';
import { type AuthorizeRequest, authorizeMachine, authorizeUser, type SignInUser } from './authorize.js';
import { type Challenge, readChallenge } from './challenge.js';
import type { ClientRegistration, SignInRecord } from './sign-in-record.js';
import { revokeTokens } from './token-requests.js';

export interface SignInChoices extends Pick<AuthorizeRequest, 'client' | 'issuer' | 'port' | 'scope'> {
  readonly user: SignInUser;
  readonly signal: AbortSignal;
}

/** Signs in the user in the browser, and stores the tokens. @throws AgentToolsError */
export async function signInUser(
  account: Account,
  { user, signal, ...choices }: SignInChoices,
  challenge?: Challenge,
): Promise<SignInRecord | undefined> {
  const { server, guardedFetch: fetch, secrets } = account;
  return await account.replace(
    async (before) =>
      await authorizeUser({ ...choices, server, challenge, before }, { fetch, secrets, user, signal }),
  );
}

/** Signs in a machine with its client credentials, and stores the tokens. @throws AgentToolsError */
export async function signInMachine(
  account: Account,
  choices: Pick<AuthorizeRequest, 'issuer' | 'scope'> & { readonly client: ClientRegistration },
  challenge?: Challenge,
): Promise<SignInRecord | undefined> {
  const { server, guardedFetch: fetch, secrets } = account;
  return await account.replace(
    async () => await authorizeMachine({ ...choices, server, challenge }, { fetch, secrets }),
  );
}

/** Longest wait for the refusal of a server, in milliseconds. */
const refusalLimitMs = 30_000;

/** Asks a server without credentials. Undefined if it does not refuse. @throws errors of the network */
export async function askForChallenge(
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly transport: 'http' | 'sse' | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Challenge | undefined> {
  const { headers, transport, signal } = options;
  const request: RequestInit =
    transport === 'sse' ? { headers: { ...headers, Accept: 'text/event-stream' } } : initializeWith(headers);
  const limit = withTimeLimit(signal, refusalLimitMs);
  const response = await outgoingFetch(url, { ...request, redirect: 'manual', signal: limit });
  await response.body?.cancel();
  return readChallenge(response);
}

function initializeWith(headers: Readonly<Record<string, string>>): RequestInit {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'agenttools', version: packageVersion() },
  };
  return {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  };
}

/** The end of a sign-in. */
export interface SignOut {
  readonly issuer: string;
  /** True if the authorization server has revoked the tokens. */
  readonly isRevoked: boolean;
  /** Why the tokens were not revoked, as the end of a sentence; undefined: the authorization server revokes no tokens. */
  readonly problem?: string;
}

/** Revokes the tokens of a sign-in, and forgets them in any case. Undefined without a sign-in. @throws AgentToolsError */
export async function signOut(account: Account): Promise<SignOut | undefined> {
  const { guardedFetch: fetch, secrets } = account;
  let outcome: SignOut | undefined;
  await account.replace(async (record) => {
    if (!record) return undefined;
    const { issuer } = record;
    try {
      outcome = { issuer, isRevoked: await revokeTokens(record, { fetch, secrets }) };
    } catch (error) {
      outcome = { issuer, isRevoked: false, problem: errorMessage(error).replace(/\.$/, '') };
    }
    return undefined;
  });
  return outcome;
}
