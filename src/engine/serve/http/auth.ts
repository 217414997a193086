import type { AuthInfo } from '@modelcontextprotocol/server';
import { sharedClientId } from '../../live/request-keys.js';

/** Whoever sent a token, as far as it says; handlers see all of it but the token in `ctx.auth`. */
export interface Caller {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** The claims. `iss` and `sub` tell whose a session or a state is. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What a bearer token says of whoever sent it, or why it is not taken. */
export type Verdict = { readonly auth: Caller } | { readonly fault: TokenFault };

/** @see RFC 6750, section 3.1 */
export interface TokenFault {
  /** `temporarily_unavailable`: whether the token is good cannot be told now, which is no fault of the token. */
  readonly error: 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable';
  readonly description: string;
  readonly scope?: string;
  /** When it may be told again. */
  readonly retryAfterSeconds?: number;
}

/** Who decides on bearer tokens. */
export interface TokenVerifier {
  verify(token: string): Promise<Verdict>;
  /** Where a client learns who gives out tokens. @see RFC 9728, section 5.1 */
  readonly metadataUrl?: string;
  /** What every token must be good for, with spaces between. @see MCP, basic/authorization, Scope Selection Strategy */
  readonly scope?: string;
  /** Answers requests for what this is about; undefined: it is about something else. */
  metadata?(url: URL): Response | undefined;
}

/** Whether a header can carry a token, which {@link authenticate} takes for one word. */
export function isSendable(token: string): boolean {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
}

/** One token for all clients. Comparing takes as long for a wrong one as for the right one. */
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

/** Who sent a request, or the answer that asks for a token. @see MCP, basic/authorization, Token Usage */
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

/** A text as a header may hold it. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.4 */
function quoteHeaderText(text: string): string {
  return `"${text.replaceAll(/[^\x20-\x7e]/g, ' ').replaceAll(/["\\]/g, '\\$&')}"`;
}
