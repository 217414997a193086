import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { AgentToolsError } from '../../base/errors.js';
import { isLoopback } from '../../base/loopback.js';
import { outgoingFetch } from '../../base/outgoing-fetch.js';
import { parseUrl } from '../../base/parse-url.js';
import { errorMessage } from '../../base/thrown-value.js';
import { isRecord } from '../../base/value-checks.js';

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** URL of the keys. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  /** Takes one line with the reason if the keys cannot be fetched. */
  readonly report: (line: string) => void;
}

/** The token cannot be verified, because the keys of the issuer cannot be fetched. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
  /** Time until the next attempt. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterMs: number) {
    super('The issuer gives no keys.');
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}

/** Longest wait for the issuer's keys. */
const askTimeoutMs = 5000;

/** Pause after a failed fetch. */
const issuerRetryMs = 10_000;

/** Pause after a successful fetch, even if a token names an unknown key. */
const cooldownMs = 30_000;

/** Age from which keys are fetched again. */
const freshMs = 10 * 60_000;

/** Finds the keys of an issuer. Known keys stay valid while it is unavailable. @throws IssuerUnavailable */
export function issuerKeys(options: IssuerKeysOptions): JWTVerifyGetKey {
  let known: JWTVerifyGetKey | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let asking: { readonly since: number; readonly over: Promise<void> } | undefined;

  const isWithin = (ms: number, since: number) => Date.now() - since < ms;

  const ask = async () => {
    try {
      known = await fetchKeys(options);
      heardAt = Date.now();
      failedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      failedAt = Date.now();
      options.report(`The issuer ${options.issuer} gives no keys: ${errorMessage(error)}`);
    }
    asking = undefined;
  };

  /** False for an overdue fetch: some platforms silently drop it when the request that started it ends. */
  const isAsking = () => asking !== undefined && isWithin(2 * askTimeoutMs, asking.since);

  /** Fetches the keys, or waits for the fetch in flight. */
  const learn = async () => {
    if (isWithin(issuerRetryMs, failedAt)) return;
    if (!isAsking()) asking = { since: Date.now(), over: ask() };
    await asking?.over;
  };

  return async (header, jws) => {
    // If keys are known, a request does not wait for the fetch of another.
    if (!known || (!isWithin(freshMs, heardAt) && !isAsking())) await learn();
    if (!known) throw new IssuerUnavailable(failedAt + issuerRetryMs - Date.now());
    try {
      return await known(header, jws);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (isWithin(cooldownMs, heardAt)) throw error;
    }
    await learn();
    if (isWithin(issuerRetryMs, failedAt)) throw new IssuerUnavailable(failedAt + issuerRetryMs - Date.now());
    return await known(header, jws);
  };
}

async function fetchKeys({ issuer, jwksUri }: IssuerKeysOptions): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(askTimeoutMs);
  const uri = jwksUri ?? (await discover(issuer, signal));
  return createLocalJWKSet((await fetchJson(uri, signal)) as JSONWebKeySet);
}

/** Reads `jwks_uri` from the issuer's metadata. @see RFC 8414, section 3.1; OpenID Connect Discovery, 4 */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  const faults: string[] = [];
  for (const place of new Set(places)) {
    const metadata = await fetchJson(place, signal).catch((error: unknown) => {
      faults.push(errorMessage(error));
    });
    if (!isRecord(metadata) || typeof metadata.jwks_uri !== 'string') continue;
    // Metadata of another issuer must be ignored (RFC 8414, section 3.3).
    if (metadata.issuer !== issuer) {
      faults.push(`${place} is about the issuer ${JSON.stringify(metadata.issuer)}`);
      continue;
    }
    requireSecure(requireUrl(metadata.jwks_uri, 'JWKS URI'), 'JWKS URI');
    return metadata.jwks_uri;
  }
  throw new Error(faults.join('; ') || `no jwks_uri at ${places.join(', ')}`);
}

/** Fetches JSON without redirects. Platforms without Node support only `redirect: 'manual'` for that. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await outgoingFetch(url, {
    redirect: 'manual',
    headers: { Accept: 'application/json' },
    signal,
  }).catch((error: unknown) => {
    throw new Error(`${url} cannot be reached: ${fetchFailureReason(error)}`);
  });
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
  return await response.json().catch((error: unknown) => {
    throw new Error(`${url} gives no JSON: ${fetchFailureReason(error)}`);
  });
}

/** Node's `fetch` has the reason of a failure only in `cause`. */
function fetchFailureReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorMessage(cause ?? error);
}

/** @throws AgentToolsError */
export function requireUrl(text: string, what: string): URL {
  const url = parseUrl(text);
  if (url && /^https?:/.test(text)) return url;
  throw new AgentToolsError('usage', `The ${what} "${text}" is not a URL. Expected https://…`);
}

/** Keys fetched without HTTPS may be forged, except on this machine. @throws AgentToolsError */
export function requireSecure({ protocol, hostname, href }: URL, what: string): void {
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new AgentToolsError('usage', `The ${what} "${href}" is not reached by https.`);
}
