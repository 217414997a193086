import {
  type AuthorizationServerMetadata,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  IssuerMismatchError,
  type OAuthProtectedResourceMetadata,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import { visibleLine } from '../base/visible-text.js';
import { requireEndpoint } from './guarded-fetch.js';

/** The authorization server of an MCP server. */
export interface Authorization {
  /** Its identity. Client ids, secrets and tokens of one issuer are never sent to another. */
  readonly issuer: string;
  readonly serverUrl: string;
  /** Undefined: a server of 2025-03-26, with the endpoints at their default paths. */
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string | undefined;
  /** Scopes of the protected resource metadata. */
  readonly resourceScopes: readonly string[] | undefined;
}

export interface DiscoveryOptions {
  readonly resourceMetadataUrl?: string | undefined;
  /** The authorization server to take if the MCP server has several. Default: the first one. */
  readonly issuer?: string | undefined;
  readonly fetch: FetchLike;
}

/**
 * Finds the authorization server of an MCP server, in all places where the revisions of MCP have it.
 * @throws AgentToolsError if its metadata are invalid or must not be used
 * @see MCP 2026-07-28, basic/authorization, Authorization Server Discovery; MCP 2025-03-26, basic/authorization
 */
export async function discoverAuthorization(
  server: URL,
  { resourceMetadataUrl, issuer, fetch }: DiscoveryOptions,
): Promise<Authorization> {
  const resourceMetadata = await readResourceMetadata(server, resourceMetadataUrl, fetch);
  const listed = resourceMetadata?.authorization_servers ?? [];
  const named = listed.find((one) => one === issuer) ?? listed[0];
  const serverUrl = named ?? String(new URL('/', server));
  requireEndpoint('authorization server', serverUrl, server);
  const metadata = await readServerMetadata(server, serverUrl, fetch);
  if (!metadata && named !== undefined)
    throw refused(`${visibleLine(named)}, the authorization server of ${server.host}, has no metadata`);
  if (metadata) checkMetadata(server, metadata);
  const resource = await selectResource(server, resourceMetadata);
  return {
    issuer: metadata?.issuer ?? serverUrl,
    serverUrl,
    metadata,
    resource,
    resourceScopes: resourceMetadata?.scopes_supported,
  };
}

async function readResourceMetadata(
  server: URL,
  resourceMetadataUrl: string | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(
      server,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      fetch,
    );
  } catch (error) {
    // Network failures are TypeErrors. Everything else is a server without this document.
    if (error instanceof AgentToolsError || error instanceof TypeError || isAbort(error)) throw error;
    return undefined;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name);
}

async function selectResource(
  server: URL,
  metadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string | undefined> {
  try {
    // A URL would add a slash to an indicator without a path.
    const selected = await selectResourceURL(server, {} as never, metadata);
    return selected && metadata?.resource;
  } catch {
    throw refused(
      `The metadata of ${server.host} are for another resource: ${visibleLine(metadata?.resource ?? '').slice(0, 200)}`,
    );
  }
}

async function readServerMetadata(
  server: URL,
  serverUrl: string,
  fetch: FetchLike,
): Promise<AuthorizationServerMetadata | undefined> {
  try {
    return await discoverAuthorizationServerMetadata(serverUrl, { fetchFn: fetch });
  } catch (error) {
    if (error instanceof IssuerMismatchError)
      throw refused(
        `${visibleLine(serverUrl)}, the authorization server of ${server.host}, names another issuer in its metadata: ${visibleLine(error.received ?? '').slice(0, 200)}`,
      );
    if (error instanceof AgentToolsError || error instanceof TypeError || isAbort(error)) throw error;
    throw new AgentToolsError(
      'refused',
      `The metadata of ${visibleLine(serverUrl)}, the authorization server of ${server.host}, are invalid. The sign-in was stopped.`,
      { cause: error },
    );
  }
}

/** @throws AgentToolsError if an endpoint must not be used */
function checkMetadata(server: URL, metadata: AuthorizationServerMetadata): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } =
    metadata as Readonly<Record<string, unknown>>;
  requireEndpoint('authorization endpoint', authorization_endpoint, server);
  requireEndpoint('token endpoint', token_endpoint, server);
  requireEndpoint('registration endpoint', registration_endpoint, server);
  requireEndpoint('revocation endpoint', revocation_endpoint, server);
}

function refused(fault: string): AgentToolsError {
  return new AgentToolsError('refused', `${fault}. The sign-in was stopped.`);
}
