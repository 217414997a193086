import { randomBytes } from 'node:crypto';
import {
  exchangeAuthorization,
  type OAuthClientMetadata,
  OAuthError,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import { parseUrl } from '../base/parse-url.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import { visibleLine } from '../base/visible-text.js';
import { type Challenge, coversScope, joinScopes } from './challenge.js';
import { authenticateClient } from './client-authentication.js';
import { type Authorization, discoverAuthorization } from './discover-authorization.js';
import { requireReachable } from './guarded-fetch.js';
import { listenForRedirect } from './redirect-listener.js';
import type { ClientRegistration, SignInRecord } from './sign-in-record.js';
import {
  describeOAuthError,
  requestByCredentials,
  type TokenRequestDeps,
  withTokens,
} from './token-requests.js';

/** Longest wait for the user in the browser, in milliseconds. */
const userLimitMs = 10 * 60_000;

/** The user at this machine. */
export interface SignInUser {
  /**
   * Opens or shows the address of the authorization server. May return the redirect address that the user has pasted;
   * otherwise it resolves when the address is open, or waits until `signal` aborts.
   */
  readonly visit: (address: URL, signal: AbortSignal) => Promise<string | undefined>;
}

export interface AuthorizeRequest {
  readonly server: string;
  /** The refusal that led here; undefined: the user asks for a sign-in. */
  readonly challenge?: Challenge | undefined;
  /** Scope that the user asks for. Default: the scope of the challenge, or of the metadata. */
  readonly scope?: string | undefined;
  /** A client that the user has registered. An id that is a URL is the address of a client metadata document. */
  readonly client?: ClientRegistration | undefined;
  /** The issuer that the user expects. */
  readonly issuer?: string | undefined;
  /** Port of the redirect address. Default: a free port. */
  readonly port?: number | undefined;
  /** The sign-in before this one. */
  readonly before?: SignInRecord | undefined;
}

export interface AuthorizeDeps extends TokenRequestDeps {
  readonly user: SignInUser;
  readonly signal: AbortSignal;
}

/**
 * Signs in to a server in the browser.
 * @throws AgentToolsError if the user or the authorization server refuses, or its metadata must not be used
 * @see MCP 2026-07-28, basic/authorization
 */
export async function authorizeUser(request: AuthorizeRequest, deps: AuthorizeDeps): Promise<SignInRecord> {
  const { server, challenge, before } = request;
  const authorization = await discover(request, deps);
  const { issuer, metadata, serverUrl, resource } = authorization;
  requirePkce(authorization);
  const known = before?.issuer === issuer ? before : undefined;
  const scope = chooseScope(request, authorization, known);
  const state = randomBytes(24).toString('base64url');
  const listener = await listenForRedirect(state, request.port ?? portOf(known));
  const { redirectUri } = listener;
  let isSignedIn = false;
  try {
    requirePort(request.port, redirectUri);
    const client = await chooseClient(request, authorization, { known, redirectUri, scope, deps });
    const { authorizationUrl, codeVerifier } = await startAuthorization(serverUrl, {
      ...(metadata && { metadata }),
      clientInformation: { client_id: client.clientId },
      redirectUrl: redirectUri,
      ...(scope !== undefined && { scope }),
      state,
      ...(resource !== undefined && { resource }),
    });
    // The browser of the user reaches addresses that others do not.
    await requireReachable(authorizationUrl, new URL(server));
    const params = await waitForUser(authorizationUrl, { state, received: listener.received, deps });
    const authorizationCode = readRedirect(params, authorization);
    const tokens = await exchangeAuthorization(serverUrl, {
      ...(metadata && { metadata }),
      clientInformation: { client_id: client.clientId },
      authorizationCode,
      ...(params.has('iss') && { iss: params.get('iss')! }),
      codeVerifier,
      redirectUri,
      ...(resource !== undefined && { resource }),
      addClientAuthentication: await authenticateClient(client, deps.secrets),
      fetchFn: deps.fetch,
    });
    const resourceMetadataUrl = challenge?.resourceMetadataUrl ?? known?.resourceMetadataUrl;
    const record = withTokens(
      {
        server,
        grant: 'authorization-code' as const,
        issuer,
        client,
        ...(scope !== undefined && { scope }),
        ...(resource !== undefined && { resource }),
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
        signedInAt: Date.now(),
      },
      tokens,
    );
    isSignedIn = true;
    return record;
  } catch (error) {
    if (error instanceof AgentToolsError || deps.signal.aborted) throw error;
    throw new AgentToolsError('failed', `${issuer} refuses the sign-in: ${describeOAuthError(error)}.`, {
      cause: error,
    });
  } finally {
    await listener.finish(isSignedIn);
  }
}

/** Signs in a machine with its own credentials. @throws AgentToolsError */
export async function authorizeMachine(
  request: AuthorizeRequest & { readonly client: ClientRegistration },
  deps: TokenRequestDeps,
): Promise<SignInRecord> {
  const { server, client, challenge } = request;
  const authorization = await discover(request, deps);
  const { issuer, resource } = authorization;
  if (client.secret && request.issuer === undefined) {
    const message = `The client secret would be sent to ${issuer}, which ${server} names as its authorization server. If it has issued this client id, add: --issuer ${issuer}`;
    throw new AgentToolsError('refused', message);
  }
  const scope = chooseScope(request, authorization, undefined)
    ?.split(' ')
    .filter((word) => word !== 'offline_access')
    .join(' ');
  const asked = scope ? { scope } : {};
  try {
    const tokens = await requestByCredentials({ client, ...asked }, authorization, deps);
    return withTokens(
      {
        server,
        grant: 'client-credentials' as const,
        issuer,
        client,
        ...asked,
        ...(resource !== undefined && { resource }),
        ...(challenge?.resourceMetadataUrl !== undefined && {
          resourceMetadataUrl: challenge.resourceMetadataUrl,
        }),
        signedInAt: Date.now(),
      },
      tokens,
    );
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new AgentToolsError('failed', `${issuer} refuses the client: ${describeOAuthError(error)}.`);
  }
}

async function discover(
  { server, challenge, before, issuer }: AuthorizeRequest,
  { fetch }: TokenRequestDeps,
): Promise<Authorization> {
  const resourceMetadataUrl = challenge?.resourceMetadataUrl ?? before?.resourceMetadataUrl;
  const authorization = await discoverAuthorization(new URL(server), {
    resourceMetadataUrl,
    issuer: issuer ?? before?.issuer,
    fetch,
  });
  if (!challenge && !authorization.metadata)
    throw new AgentToolsError('refused', `${server} asks for no sign-in.`);
  if (issuer !== undefined && authorization.issuer !== issuer)
    throw new AgentToolsError(
      'refused',
      `The authorization server of ${server} is ${visibleLine(authorization.issuer)}, not ${issuer}. The sign-in was stopped.`,
    );
  return authorization;
}

/** MCP forbids a sign-in without PKCE. The SDK accepts metadata that do not declare it. */
function requirePkce({ metadata, issuer }: Authorization): void {
  if (!metadata || metadata.code_challenge_methods_supported?.includes('S256')) return;
  const message = `${visibleLine(issuer)} does not declare PKCE with S256, without which others could use the sign-in. The sign-in was stopped.`;
  throw new AgentToolsError('refused', message);
}

/** A step-up asks for all scopes of before and of the user, too. */
function chooseScope(
  { scope, challenge }: AuthorizeRequest,
  { resourceScopes, metadata }: Authorization,
  before: SignInRecord | undefined,
): string | undefined {
  const asked = scope ?? challenge?.scope ?? joinScopes(...(resourceScopes ?? []));
  const all = challenge?.isScopeTooSmall ? joinScopes(before?.scope, asked, challenge.scope) : asked;
  const isOfflineKnown = metadata?.scopes_supported?.includes('offline_access') ?? false;
  return all !== undefined && isOfflineKnown ? joinScopes(all, 'offline_access') : all;
}

function portOf(record: SignInRecord | undefined): number | undefined {
  const port = parseUrl(record?.client.redirectUri ?? '')?.port;
  return port ? Number(port) : undefined;
}

function requirePort(port: number | undefined, redirectUri: string): void {
  if (port === undefined || new URL(redirectUri).port === String(port)) return;
  throw new AgentToolsError('failed', `The port ${port} is in use. Choose another with --callback-port.`);
}

interface ClientChoice {
  readonly known: SignInRecord | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly deps: AuthorizeDeps;
}

/**
 * The client of the user, the client of the sign-in before, a client metadata document, or a new registration.
 * @throws AgentToolsError if the authorization server wants a client that the user has registered
 */
async function chooseClient(
  { client: given }: AuthorizeRequest,
  { metadata, serverUrl, issuer }: Authorization,
  { known, redirectUri, scope, deps }: ClientChoice,
): Promise<ClientRegistration> {
  const isDocument = parseUrl(given?.clientId ?? '')?.protocol === 'https:';
  if (given && (!isDocument || metadata?.client_id_metadata_document_supported === true)) return given;
  if (!given && known && isUsable(known.client, { redirectUri, scope })) return known.client;
  if (metadata && metadata.registration_endpoint === undefined) {
    const message = `${visibleLine(issuer)} registers no clients by itself. Register AgentTools there with the redirect address http://127.0.0.1/callback, and give the id with --client-id.`;
    throw new AgentToolsError('refused', message);
  }
  const registered = await registerClient(serverUrl, {
    ...(metadata && { metadata }),
    clientMetadata: clientMetadata(redirectUri, metadata?.token_endpoint_auth_methods_supported),
    ...(scope !== undefined && { scope }),
    fetchFn: deps.fetch,
  });
  const { client_id, client_secret, token_endpoint_auth_method: method } = registered;
  return {
    clientId: client_id,
    ...(client_secret !== undefined && { secret: { value: client_secret } }),
    ...(method !== undefined && { method }),
    redirectUri,
    ...(scope !== undefined && { scope }),
  };
}

/** True if a client can be used again. A registration for other addresses or scopes may be refused. */
function isUsable(
  client: ClientRegistration,
  { redirectUri, scope }: Pick<ClientChoice, 'redirectUri' | 'scope'>,
): boolean {
  if (client.redirectUri === undefined) return true;
  return (
    client.isForgotten !== true &&
    client.redirectUri === redirectUri &&
    (client.scope === undefined || coversScope(scope, client.scope))
  );
}

/** @see RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section 2 */
function clientMetadata(redirectUri: string, methods: readonly string[] | undefined): OAuthClientMetadata {
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((one) => methods?.includes(one));
  return {
    client_name: 'AgentTools',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

async function waitForUser(
  address: URL,
  {
    state,
    received,
    deps: { user, signal },
  }: {
    readonly state: string;
    readonly received: Promise<URLSearchParams>;
    readonly deps: AuthorizeDeps;
  },
): Promise<URLSearchParams> {
  const done = new AbortController();
  const limit = withTimeLimit(AbortSignal.any([signal, done.signal]), userLimitMs);
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => {
      const message = 'No user has signed in within 10 minutes. Run the command again.';
      reject(signal.aborted ? signal.reason : new AgentToolsError('failed', message));
    });
  });
  late.catch(() => {});
  const pasted = user.visit(address, limit).then(async (text) => {
    if (text === undefined) return await new Promise<never>(() => {});
    return readPasted(text, state);
  });
  try {
    return await Promise.race([received, pasted, late]);
  } finally {
    done.abort();
  }
}

/** @throws AgentToolsError unless the text is the redirect address of this sign-in */
function readPasted(text: string, state: string): URLSearchParams {
  const params = parseUrl(text.trim())?.searchParams;
  if (params?.get('state') === state) return params;
  throw new AgentToolsError(
    'refused',
    'This is not the address that ends the sign-in. Copy the whole address of the page that the browser shows at the end. It begins with http://127.0.0.1.',
  );
}

/**
 * Returns the code of a redirect. The issuer is checked before any other parameter is used.
 * @throws AgentToolsError, IssuerMismatchError
 * @see RFC 9207, section 2.4
 */
function readRedirect(params: URLSearchParams, { metadata, issuer }: Authorization): string {
  const supported = metadata?.authorization_response_iss_parameter_supported === true;
  validateAuthorizationResponseIssuer({
    iss: params.get('iss') ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: supported,
  });
  const error = params.get('error');
  if (error !== null) {
    const reason = describeOAuthError(new OAuthError(error, params.get('error_description') ?? error));
    throw new AgentToolsError('failed', `${issuer} refuses the sign-in: ${reason}.`);
  }
  const code = params.get('code');
  if (code) return code;
  throw new AgentToolsError('failed', `${issuer} has sent no code. The sign-in was stopped.`);
}
