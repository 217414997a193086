import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { AgentToolsError } from '../../base/errors.js';
import { errorMessage } from '../../base/thrown-value.js';
import { isRecord } from '../../extension/definition-shapes.js';
import { isLoopback } from './origin-guard.js';

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Where the keys are; the issuer's own metadata say it when absent. */
  readonly jwksUri?: string | undefined;
  /** Takes one line of why the issuer could not be asked. */
  readonly report: (line: string) => void;
}

/** Whether a token is good cannot be told, because the issuer gives no keys. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerAway';
  /** When it is asked again. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterMs: number) {
    super('The issuer gives no keys.');
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  }
}

/** How long the issuer may take to give its keys. */
const askTimeoutMs = 5000;

/** How long an issuer that gave none is left alone. */
const issuerRetryMs = 10_000;

/** How long it is left alone after it gave them, whatever keys tokens name. */
const cooldownMs = 30_000;

/** How long they are good without another look. */
const freshMs = 10 * 60_000;

/** Finds the keys of an issuer. Those known go on being good while it is away. @throws IssuerAway */
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

  /** Some platforms end a question together with the request that it was asked for, and nobody hears of it. */
  const isAsking = () => asking !== undefined && isWithin(2 * askTimeoutMs, asking.since);

  /** Asks the issuer, or waits with whoever does. */
  const learn = async () => {
    if (isWithin(issuerRetryMs, failedAt)) return;
    if (!isAsking()) asking = { since: Date.now(), over: ask() };
    await asking?.over;
  };

  return async (header, jws) => {
    // Who can do without does not wait for what somebody else has asked.
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

/** Where the keys of an issuer are, as it says itself. @see RFC 8414, section 3.1; OpenID Connect Discovery, 4 */
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
    // Another issuer's metadata say nothing of this one (RFC 8414, section 3.3).
    if (metadata.issuer !== issuer) {
      faults.push(`${place} is about the issuer ${JSON.stringify(metadata.issuer)}`);
      continue;
    }
    requireSecure(requireUrl(metadata.jwks_uri, 'JWKS URI'), 'JWKS URI');
    return metadata.jwks_uri;
  }
  throw new Error(faults.join('; ') || `no jwks_uri at ${places.join(', ')}`);
}

/** What an address gives that leads nowhere else. Platforms without Node know no other way to follow nothing. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
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

/** Node's `fetch` says only in the cause why it failed. */
function fetchFailureReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorMessage(cause ?? error);
}

/** @throws AgentToolsError */
export function requireUrl(text: string, what: string): URL {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new AgentToolsError('usage', `The ${what} "${text}" is not a URL. Expected https://…`);
}

/** Keys that came in the open could be anybody's. On this machine nobody stands between. @throws AgentToolsError */
export function requireSecure({ protocol, hostname, href }: URL, what: string): void {
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new AgentToolsError('usage', `The ${what} "${href}" is not reached by https.`);
}
