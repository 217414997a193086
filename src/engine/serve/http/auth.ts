import type { AuthInfo } from '@modelcontextprotocol/server';
import { sharedClientId } from '../../live/request-keys.js';

/** The sender of a token, from its claims. Handlers see all members except `token` in `ctx.auth`. */
export interface Caller {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** The claims. `iss` and `sub` identify the owner of a session or state. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The sender of a bearer token, or the reason for its refusal. */
export type Verdict = { readonly auth: Caller } | { readonly fault: TokenFault };

/** @see RFC 6750, section 3.1 */
export interface TokenFault {
  /** `temporarily_unavailable`: the token cannot be verified now; it may be valid. */
  readonly error: 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable';
  readonly description: string;
  readonly scope?: string;
  /** Time until the next attempt. Default: 10. */
  readonly retryAfterSeconds?: number;
}

/** Verifies bearer tokens. */
export interface TokenVerifier {
  verify(token: string): Promise<Verdict>;
  /** URL of the metadata that name the token issuer. @see RFC 9728, section 5.1 */
  readonly metadataUrl?: string;
  /** Required scopes, separated by spaces. @see MCP, basic/authorization, Scope Selection Strategy */
  readonly scope?: string;
  /** Answers a request for the metadata; undefined for any other URL. */
  metadata?(url: URL): Response | undefined;
}

/** True if a header can carry a token, which {@link authenticate} reads as one word. */
export function isSendable(token: string): boolean {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

/** One token for all clients. The comparison takes equal time for right and wrong tokens. */
export function sharedToken(token: string): TokenVerifier {
  const expected = digest(token);
  return {
    async verify(given) {
      const [right, sent] = await Promise.all([expected, digest(given)]);
      let difference = 0;
      for (let index = 0; index < right.length; index += 1) difference |= right[index]! ^ sent[index]!;
      if (difference === 0) return { auth: { token: given, clientId: sharedClientId, scopes: [] } };
      return { fault: { error: 'invalid_token', description: 'The token is not the right one.' } };
    },
  };
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** Returns the sender of a request, or the response that refuses it. @see MCP, basic/authorization, Token Usage */
export async function authenticate(headers: Headers, authority: TokenVerifier): Promise<AuthInfo | Response> {
  const [scheme, token, excess] = (headers.get('authorization') ?? '').trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'bearer' || !token || excess !== undefined) return challenge(authority);
  const verdict = await authority.verify(token);
  if ('fault' in verdict) return refuse(verdict.fault, authority);
  const { scopes, ...caller } = verdict.auth;
  return { ...caller, scopes: [...scopes] } as AuthInfo;
}

function refuse(fault: TokenFault, authority: TokenVerifier): Response {
  const { error, description, retryAfterSeconds = 10 } = fault;
  if (error !== 'temporarily_unavailable') return challenge(authority, fault);
  return Response.json(
    { error, error_description: description },
    { status: 503, headers: { 'Retry-After': String(retryAfterSeconds), 'Cache-Control': 'no-store' } },
  );
}

function challenge({ metadataUrl, scope: needed }: TokenVerifier, fault?: TokenFault): Response {
  const scope = fault?.scope ?? needed;
  const parts = [
    ...(fault
      ? [`error=${quoteHeaderText(fault.error)}`, `error_description=${quoteHeaderText(fault.description)}`]
      : []),
    ...(scope ? [`scope=${quoteHeaderText(scope)}`] : []),
    ...(metadataUrl ? [`resource_metadata=${quoteHeaderText(metadataUrl)}`] : []),
  ];
  const body = {
    error: fault?.error ?? 'invalid_request',
    error_description: fault?.description ?? 'Send "Authorization: Bearer …".',
  };
  return Response.json(body, {
    status: fault?.error === 'insufficient_scope' ? 403 : 401,
    headers: {
      'WWW-Authenticate': ['Bearer', parts.join(', ')].join(' ').trim(),
      'Cache-Control': 'no-store',
    },
  });
}

/** Quotes a text for a header. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.4 */
function quoteHeaderText(text: string): string {
  return `"${text.replaceAll(/[^\x20-\x7e]/g, ' ').replaceAll(/["\\]/g, '\\$&')}"`;
}
