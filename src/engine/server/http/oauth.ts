import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { AgentToolsError } from '../../errors.js';
import { isRecord } from '../../extension/shapes.js';
import { isLoopback } from './admission.js';
import type { Authority, Caller, TokenFault, Verdict } from './auth.js';

/** Whose tokens are taken, and what they must say. */
export interface OAuthOptions {
  /** The authorization server, by the URL that its tokens name as `iss`. */
  readonly issuer: string;
  /** The URL that clients know the MCP endpoint by. */
  readonly publicUrl: string;
  /** Whom tokens must be for; the public URL when absent. @see RFC 8707 */
  readonly audience?: string | undefined;
  /** Scopes that every token must have. */
  readonly scopes?: readonly string[] | undefined;
  /** Where the issuer's keys are; its own metadata say it when absent. */
  readonly jwksUri?: string | undefined;
}

/** Signatures by which the issuer alone can have signed. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const wellKnown = '/.well-known/oauth-protected-resource';

/** How far clocks may be apart. */
const clockToleranceSeconds = 30;

/** How long the issuer may take to say where its keys are. */
const discoveryTimeoutMs = 5000;

/**
 * Takes the JWTs of one issuer, as an OAuth 2.1 resource server does.
 * @see MCP, basic/authorization; RFC 9728; RFC 9068
 * @throws AgentToolsError for URLs that are none
 */
export function issuedTokens(options: OAuthOptions): Authority {
  const resource = requireUrl(options.publicUrl, 'public URL');
  requireSecure(requireUrl(options.issuer, 'issuer'), 'issuer');
  if (options.jwksUri !== undefined) requireSecure(requireUrl(options.jwksUri, 'JWKS URI'), 'JWKS URI');
  const path = resource.pathname === '/' ? '' : resource.pathname;
  const metadataPath = `${wellKnown}${path}`;
  const { issuer, scopes = [], audience = options.publicUrl } = options;
  const keys = keysOf(options);
  return {
    metadataUrl: new URL(metadataPath, resource).href,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    metadata(url) {
      // Clients look at the root, too.
      if (url.pathname !== metadataPath && url.pathname !== wellKnown) return undefined;
      const document = {
        resource: options.publicUrl,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        ...(scopes.length > 0 && { scopes_supported: scopes }),
      };
      return Response.json(document, {
        headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'max-age=3600' },
      });
    },
    async verify(token) {
      // Few servers are protected so, and what it takes is loaded for those.
      const { jwtVerify, errors } = await import('jose');
      try {
        // What is not even a signed JWT has nobody ask the issuer.
        const keyOf: JWTVerifyGetKey = async (header, jws) => await (await keys())(header, jws);
        const { payload } = await jwtVerify(token, keyOf, {
          issuer,
          audience: [audience, ...withoutSlash(audience)],
          algorithms,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp'],
        });
        return judge(payload, { token, scopes });
      } catch (error) {
        if (!(error instanceof errors.JOSEError) || isOutage(error, errors)) throw error;
        return { fault: { error: 'invalid_token', description: describe(error, errors) } };
      }
    },
  };
}

/** `https://a.example` and `https://a.example/` name the same resource. */
function withoutSlash(audience: string): readonly string[] {
  return audience.endsWith('/') ? [audience.slice(0, -1)] : [`${audience}/`];
}

function judge(
  payload: JWTPayload,
  { token, scopes }: { readonly token: string; readonly scopes: readonly string[] },
): Verdict {
  const held = scopesOf(payload);
  const missing = scopes.filter((scope) => !held.includes(scope));
  if (missing.length > 0) {
    const fault: TokenFault = {
      error: 'insufficient_scope',
      description: `The token lacks the scope ${missing.join(' ')}.`,
      scope: scopes.join(' '),
    };
    return { fault };
  }
  const { client_id: client, azp, sub, exp } = payload;
  const clientId = [client, azp, sub].find((name) => typeof name === 'string') ?? 'unknown';
  const auth: Caller = {
    token,
    clientId: clientId as string,
    scopes: held,
    ...(exp !== undefined && { expiresAt: exp }),
    extra: { ...payload },
  };
  return { auth };
}

/** `scope` is one text (RFC 9068), with some issuers a list, or `scp`. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const said = scope ?? scp;
  if (typeof said === 'string') return said.split(' ').filter(Boolean);
  return Array.isArray(said) ? said.filter((one) => typeof one === 'string') : [];
}

type Errors = typeof import('jose')['errors'];

/** What is wrong on the side of the issuer, or on the way to it. An answer that is no key set has no class of its own. */
function isOutage(
  error: Error & { code?: unknown },
  { JWKSTimeout, JWKSInvalid, JOSEError }: Errors,
): boolean {
  return error instanceof JWKSTimeout || error instanceof JWKSInvalid || error.code === JOSEError.code;
}

/** In words that tell no more than who holds the token knows. */
function describe(error: Error, { JWTExpired, JWTClaimValidationFailed }: Errors): string {
  if (error instanceof JWTExpired) return 'The token has expired.';
  if (error instanceof JWTClaimValidationFailed) return `The claim ${error.claim} is not what it must be.`;
  return 'The token is not valid.';
}

/** Finds the keys of an issuer once; what failed is tried again by the next request. */
function keysOf({ issuer, jwksUri }: OAuthOptions): () => Promise<JWTVerifyGetKey> {
  let finding: Promise<JWTVerifyGetKey> | undefined;
  const find = async () => {
    const { createRemoteJWKSet } = await import('jose');
    return createRemoteJWKSet(new URL(jwksUri ?? (await discover(issuer))));
  };
  return () => {
    finding ??= find().catch((error) => {
      finding = undefined;
      throw error;
    });
    return finding;
  };
}

/** Where the keys of an issuer are, as it says itself. @see RFC 8414, section 3.1; OpenID Connect Discovery, 4 */
async function discover(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  for (const place of places) {
    const response = await fetch(place, {
      redirect: 'error',
      signal: AbortSignal.timeout(discoveryTimeoutMs),
    }).catch(() => undefined);
    const metadata: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
    if (!isRecord(metadata) || typeof metadata.jwks_uri !== 'string') continue;
    // Another issuer's metadata say nothing of this one (RFC 8414, section 3.3).
    if (metadata.issuer !== issuer) continue;
    requireSecure(requireUrl(metadata.jwks_uri, 'JWKS URI'), 'JWKS URI');
    return metadata.jwks_uri;
  }
  throw new Error(`The issuer ${issuer} does not say where its keys are. Looked at: ${places.join(', ')}.`);
}

function requireUrl(text: string, what: string): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new AgentToolsError('usage', `The ${what} "${text}" is not a URL. Expected https://…`);
}

/** Keys that came in the open could be anybody's. On this machine nobody stands between. */
function requireSecure({ protocol, hostname, href }: URL, what: string): void {
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new AgentToolsError('usage', `The ${what} "${href}" is not reached by https.`);
}
