import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Caller, TokenFault, TokenVerifier, Verdict } from './auth.js';
import { IssuerUnavailable, issuerKeys, requireSecure, requireUrl } from './issuer-keys.js';

/** The accepted issuer, and the claims that its tokens must have. */
export interface OAuthOptions {
  /** URL of the authorization server, as in the `iss` claim of its tokens. */
  readonly issuer: string;
  /** URL that clients use for the MCP endpoint. */
  readonly publicUrl: string;
  /** Required token audience. Default: the public URL. @see RFC 8707 */
  readonly audience?: string | undefined;
  /** Scopes that every token must have. */
  readonly scopes?: readonly string[] | undefined;
  /** URL of the issuer's keys. Default: `jwks_uri` of its metadata. */
  readonly jwksUri?: string | undefined;
}

/** Asymmetric signatures, which only the issuer can create. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const wellKnown = '/.well-known/oauth-protected-resource';

/** Accepted difference between clocks. */
const clockToleranceSeconds = 30;

/**
 * Accepts JWTs of one issuer, as an OAuth 2.1 resource server. `report` takes the reason if its keys are unavailable.
 * @see MCP, basic/authorization; RFC 9728; RFC 9068
 * @throws AgentToolsError for an invalid URL, or an issuer or JWKS URL without HTTPS
 */
export function issuedTokens(options: OAuthOptions, report: (line: string) => void): TokenVerifier {
  const resource = requireUrl(options.publicUrl, 'public URL');
  requireSecure(requireUrl(options.issuer, 'issuer'), 'issuer');
  if (options.jwksUri !== undefined) requireSecure(requireUrl(options.jwksUri, 'JWKS URI'), 'JWKS URI');
  const path = resource.pathname === '/' ? '' : resource.pathname;
  const metadataPath = `${wellKnown}${path}`;
  const { issuer, scopes = [], audience = options.publicUrl } = options;
  const keys = issuerKeys({ issuer, jwksUri: options.jwksUri, report });
  return {
    metadataUrl: new URL(metadataPath, resource).href,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    metadata(url) {
      // Clients also request it at the root.
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
      try {
        // `keys` runs only for a signed JWT: other tokens cause no request to the issuer.
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience: [audience, ...withoutSlash(audience)],
          algorithms,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp'],
        });
        return toVerdict(payload, { token, scopes });
      } catch (error) {
        if (error instanceof IssuerUnavailable) return { fault: issuerUnavailableFault(error) };
        if (!(error instanceof errors.JOSEError)) throw error;
        return { fault: { error: 'invalid_token', description: describeTokenError(error) } };
      }
    },
  };
}

/** `https://a.example` and `https://a.example/` name the same resource. */
function withoutSlash(audience: string): readonly string[] {
  return audience.endsWith('/') ? [audience.slice(0, -1)] : [`${audience}/`];
}

function toVerdict(
  payload: JWTPayload,
  { token, scopes }: { readonly token: string; readonly scopes: readonly string[] },
): Verdict {
  const held = readScopes(payload);
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
  const clientId = [client, azp, sub].find((name) => typeof name === 'string' && name !== '');
  // The client id owns sessions, states and tasks. Tokens without one would share them.
  if (clientId === undefined)
    return { fault: { error: 'invalid_token', description: 'The token names no client or subject.' } };
  const auth: Caller = {
    token,
    clientId: clientId as string,
    scopes: held,
    ...(exp !== undefined && { expiresAt: exp }),
    extra: { ...payload },
  };
  return { auth };
}

/** Scopes of a token: `scope` is one text (RFC 9068). Some issuers send a list, or `scp`. */
function readScopes({ scope, scp }: JWTPayload): readonly string[] {
  const said = scope ?? scp;
  if (typeof said === 'string') return said.split(' ').filter(Boolean);
  return Array.isArray(said) ? said.filter((one) => typeof one === 'string') : [];
}

function issuerUnavailableFault({ retryAfterSeconds }: IssuerUnavailable): TokenFault {
  const description = 'The token cannot be verified at present. Try again later.';
  return { error: 'temporarily_unavailable', description, retryAfterSeconds };
}

/** Reveals nothing that the holder of the token does not know. */
function describeTokenError(error: Error): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim} is not what it must be.`;
  return 'The token is not valid.';
}
