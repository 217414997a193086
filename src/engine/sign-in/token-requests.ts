import {
  type FetchLike,
  fetchToken,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { shortenText, visibleMessage } from '../base/visible-text.js';
import type { SecretStore } from '../secrets/secret-store.js';
import { authenticateClient } from './client-authentication.js';
import { type Authorization, discoverAuthorization } from './discover-authorization.js';
import type { ClientRegistration, SignInRecord } from './sign-in-record.js';

/** Everything that requests to an authorization server need. */
export interface TokenRequestDeps {
  /** A guarded fetch. */
  readonly fetch: FetchLike;
  readonly secrets: SecretStore;
}

/** The authorization server refuses new tokens: the user has to sign in again. */
export class SignInOverError extends Error {
  override readonly name = 'SignInOverError';
}

/**
 * Gets new tokens without the user. If the authorization server has ended the sign-in, returns a record with the reason.
 * @throws SignInOverError if the user has to sign in again; AgentToolsError; errors of the network
 */
export async function renewTokens(record: SignInRecord, deps: TokenRequestDeps): Promise<SignInRecord> {
  const { server, issuer, grant, refreshToken, over } = record;
  if (over !== undefined) return record;
  const isMachine = grant === 'client-credentials';
  if (!isMachine && refreshToken === undefined) throw new SignInOverError('it has given no refresh token');
  const authorization = await discoverAuthorization(new URL(server), { ...record, fetch: deps.fetch });
  // Tokens and secrets of one authorization server are never sent to another one.
  if (authorization.issuer !== issuer)
    throw new SignInOverError(`its authorization server is now ${authorization.issuer}`);
  try {
    const tokens = isMachine
      ? await requestByCredentials(record, authorization, deps)
      : await refresh(record, authorization, deps);
    return withTokens(record, tokens);
  } catch (error) {
    if (!(error instanceof OAuthError) || isPassing(error)) throw error;
    const reason = describeOAuthError(error);
    const { refreshToken: _, ...rest } = record;
    const ended = { ...rest, over: reason, expiresAt: Date.now() };
    if (!isMachine && error.code === 'invalid_grant') return ended;
    // The user may correct the secret of a client that the user has registered.
    if (!clientErrors.includes(error.code) || record.client.redirectUri === undefined)
      throw new SignInOverError(reason);
    return { ...ended, client: { ...record.client, isForgotten: true } };
  }
}

/** Errors of an authorization server that does not know the client. @see RFC 6749, section 5.2 */
const clientErrors: readonly string[] = ['invalid_client', 'unauthorized_client'];

/** Failures of the authorization server that a later request may not meet. */
function isPassing({ code }: OAuthError): boolean {
  return ['server_error', 'temporarily_unavailable', 'too_many_requests'].includes(code);
}

async function refresh(
  { client, refreshToken, resource }: SignInRecord,
  { metadata, serverUrl }: Authorization,
  { fetch, secrets }: TokenRequestDeps,
): Promise<OAuthTokens> {
  return await refreshAuthorization(serverUrl, {
    ...(metadata && { metadata }),
    clientInformation: { client_id: client.clientId },
    refreshToken: refreshToken!,
    ...(resource !== undefined && { resource }),
    addClientAuthentication: await authenticateClient(client, secrets),
    fetchFn: fetch,
  });
}

/** Gets tokens for a machine. @throws OAuthError, AgentToolsError; errors of the network */
export async function requestByCredentials(
  { client, scope }: { readonly client: ClientRegistration; readonly scope?: string },
  { metadata, serverUrl, issuer, resource }: Authorization,
  { fetch, secrets }: TokenRequestDeps,
): Promise<OAuthTokens> {
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ client_id: client.clientId, issuer }),
    prepareTokenRequest: (asked?: string) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(asked && { scope: asked }) }),
    addClientAuthentication: await authenticateClient(client, secrets),
  };
  return await fetchToken(provider as never, serverUrl, {
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
    fetchFn: fetch,
  });
}

/** The record with new tokens. An absent scope is the scope that was asked for. */
export function withTokens<Before extends Partial<SignInRecord>>(
  before: Before,
  { access_token, refresh_token, scope, expires_in }: OAuthTokens,
): Before & Pick<SignInRecord, 'accessToken'> {
  const { expiresAt: _, ...kept } = before;
  return {
    ...(kept as unknown as Before),
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1000 }),
  };
}

/** Error of an authorization server, as the end of a sentence. Its text is not trusted. */
export function describeOAuthError(error: unknown): string {
  const text =
    error instanceof OAuthError && error.message !== error.code
      ? `${error.code}: ${error.message}`
      : errorMessage(error);
  return shortenText(visibleMessage(text), 300).replace(/\.$/, '');
}

/**
 * Revokes the tokens of a sign-in. Returns false if the authorization server has no endpoint for it.
 * @throws AgentToolsError if it refuses; errors of the network
 * @see RFC 7009
 */
export async function revokeTokens(record: SignInRecord, deps: TokenRequestDeps): Promise<boolean> {
  const { server, issuer, client, refreshToken, accessToken } = record;
  const { metadata, ...authorization } = await discoverAuthorization(new URL(server), {
    ...record,
    fetch: deps.fetch,
  });
  if (authorization.issuer !== issuer)
    throw new AgentToolsError(
      'refused',
      `${server} has another authorization server now, ${authorization.issuer}. The tokens of ${issuer} are not sent to it.`,
    );
  const endpoint = (metadata as { readonly revocation_endpoint?: string } | undefined)?.revocation_endpoint;
  if (endpoint === undefined) return false;
  const authenticate = await authenticateClient(client, deps.secrets);
  const tokens = { refresh_token: refreshToken, access_token: accessToken };
  for (const [hint, token] of Object.entries(tokens)) {
    if (token === undefined) continue;
    const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' });
    const body = new URLSearchParams({ token, token_type_hint: hint });
    await authenticate(headers, body, endpoint, metadata);
    const response = await deps.fetch(endpoint, { method: 'POST', headers, body });
    if (!response.ok)
      throw new AgentToolsError('failed', `${issuer} answers the revocation with HTTP ${response.status}.`);
  }
  return true;
}
