import fetch, { type RegistryResponse } from 'npm-registry-fetch';
import { parseUrl } from '../base/parse-url.js';
import { decodeUriText } from '../base/text-codecs.js';
import { type CachedResponse, cacheResponse, readAnswer } from './response-cache.js';
import type { NpmSettings } from './settings.js';
import { withoutUserinfo } from './without-userinfo.js';

/** Reason for a failed registry request. */
export type RegistryFault =
  | 'offline'
  | 'not-found'
  | 'unauthorized'
  | 'unsupported'
  | 'too-large'
  | 'malformed'
  | 'failed';

/** A registry request failed. The message states the registry and the reason. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly fault: RegistryFault;

  constructor(fault: RegistryFault, message: string, options?: ErrorOptions) {
    super(withoutUserinfo(message), options);
    this.fault = fault;
  }
}

export interface RegistryRequest {
  readonly settings: NpmSettings;
  /** URL of the registry. Default: the default registry. */
  readonly registry?: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Folder of cached responses, which are revalidated by their tags. Default: no cache. */
  readonly cacheFolder?: string | undefined;
  /** Largest accepted response, in bytes. */
  readonly maxBytes: number;
  /** Longest wait for data, in milliseconds. Default: 15,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches JSON from a path of a registry, such as `/-/v1/search` or `/@acme%2fweather`.
 * @throws RegistryError
 */
export async function getJson(path: string, request: RegistryRequest): Promise<unknown> {
  const text = (await get(path, request)).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new RegistryError('malformed', `${requestLabel(path, request)} did not return JSON.`, {
      cause,
    });
  }
}

/** Sends JSON to a path of a registry, and returns its answer. Never cached. @throws RegistryError */
export async function postJson(
  path: string,
  body: unknown,
  request: Omit<RegistryRequest, 'query' | 'cacheFolder'>,
): Promise<unknown> {
  const text = (await get(path, request, undefined, body)).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `${requestLabel(path, request)} did not return JSON.`;
    throw new RegistryError('malformed', message, { cause });
  }
}

/** Fetches a tarball and verifies its checksum. @throws RegistryError */
export async function getTarball(
  address: string,
  integrity: string,
  request: Omit<RegistryRequest, 'registry' | 'query'>,
): Promise<Buffer> {
  const bytes = await get(address, request);
  // Only the default export survives bundling: the package is CommonJS.
  const { default: ssri } = await import('ssri');
  try {
    ssri.checkData(bytes, integrity, { error: true });
  } catch (cause) {
    const message = `${requestLabel(address, request)} differs from the published version: its checksum does not match.`;
    throw new RegistryError('malformed', message, { cause });
  }
  return bytes;
}

/**
 * Fetches a file by its URL. A file that was requested by https never comes over an unencrypted connection.
 * @throws RegistryError
 */
export async function getFile(
  address: string,
  request: Omit<RegistryRequest, 'registry' | 'query' | 'cacheFolder'>,
): Promise<Buffer> {
  return await get(address, request, (response) => {
    if (address.startsWith('https:') && !response.url.startsWith('https:'))
      throw new Error('it redirects to an address without https');
  });
}

/** Shorter than npm's own retries, since other results are waiting. */
const retryOptions = { retries: 1, factor: 1, minTimeout: 250, maxTimeout: 250 };

async function get(
  path: string,
  request: RegistryRequest,
  check: (response: RegistryResponse) => void = () => undefined,
  body?: unknown,
): Promise<Buffer> {
  const { settings, registry, query, cacheFolder, timeoutMs = 15_000, signal } = request;
  const url = requestUrl(path, request);
  if (!parseUrl(url)) {
    throw new RegistryError(
      'failed',
      `The npm settings have an invalid registry address for ${decodeUriText(path)}.`,
    );
  }
  const address = `${url} ${JSON.stringify(query ?? {})}`;
  const kept = cacheFolder === undefined ? undefined : await readAnswer(cacheFolder, address);
  const leaving = new AbortController();
  try {
    const response = await fetch(path, {
      ...settings.options,
      ...(registry !== undefined && { registry }),
      ...(query && { query }),
      ...(body !== undefined && { method: 'POST', body: body as object }),
      headers: conditionalHeaders(kept),
      // npm's library would cache credentials, too.
      cache: undefined,
      timeout: timeoutMs,
      retry: retryOptions,
      signal: signal ? AbortSignal.any([signal, leaving.signal]) : leaving.signal,
    });
    check(response);
    if (response.status === 304 && kept) {
      response.body.resume();
      return kept.body;
    }
    const answer = await readResponseBody(response, request.maxBytes);
    if (cacheFolder !== undefined) await storeResponse(answer, response, { cacheFolder, address });
    return answer;
  } catch (error) {
    // Destroying the body instead would break its decompression, which continues to write.
    leaving.abort();
    signal?.throwIfAborted();
    throw toRegistryError(error, requestLabel(path, request));
  }
}

/** Headers for revalidation: the registry responds 304 if nothing has changed. */
function conditionalHeaders(kept: CachedResponse | undefined): Record<string, string> {
  const { etag, lastModified } = kept ?? {};
  return {
    ...(etag != null && { 'if-none-match': etag }),
    ...(lastModified != null && { 'if-modified-since': lastModified }),
  };
}

async function storeResponse(
  body: Buffer,
  { headers, status }: RegistryResponse,
  { cacheFolder, address }: { readonly cacheFolder: string; readonly address: string },
): Promise<void> {
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')];
  const isWanted = !/\bno-store\b/i.test(headers.get('cache-control') ?? '');
  if (status !== 200 || !isWanted || (etag === null && lastModified === null)) return;
  await cacheResponse(cacheFolder, address, { etag, lastModified, body });
}

class ResponseTooLargeError extends Error {}

/** Uses events: iterating over this kind of stream leaks a listener per part. */
async function readResponseBody({ body }: RegistryResponse, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    body.on('data', (part) => {
      length += part.length;
      if (length > maxBytes) reject(new ResponseTooLargeError());
      else parts.push(part);
    });
    body.on('end', () => resolve());
    body.on('error', reject);
  });
  return Buffer.concat(parts);
}

function toRegistryError(error: unknown, what: string): RegistryError {
  if (error instanceof ResponseTooLargeError)
    return new RegistryError('too-large', `${what} is too large to be read.`);
  const { statusCode, type, code = '', message } = error as FetchFailure;
  const known = statusCode === undefined ? undefined : byStatus.get(statusCode);
  const [fault, says] = known ?? byCode(type === 'request-timeout' ? 'ETIMEDOUT' : code, message);
  return new RegistryError(fault, `${what} ${says}.`, { cause: error });
}

/** Error type of npm's library. */
type FetchFailure = Error & { readonly statusCode?: number; readonly type?: string; readonly code?: string };

type StatusFault = readonly [RegistryFault, string];

/** Registries without a search respond with different status codes. */
const byStatus: ReadonlyMap<number, StatusFault> = new Map<number, StatusFault>([
  [401, ['unauthorized', 'requires credentials that npm does not have: log in with npm login']],
  [403, ['unauthorized', 'is not allowed for the credentials of npm']],
  [404, ['not-found', 'was not found']],
  [400, ['unsupported', 'is not supported by this registry']],
  [405, ['unsupported', 'is not supported by this registry']],
  [501, ['unsupported', 'is not supported by this registry']],
]);

const unreachableCodes: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ECONNECTIONTIMEOUT',
  'EIDLETIMEOUT',
  'ERESPONSETIMEOUT',
  'ETRANSFERTIMEOUT',
  'ENOTCACHED',
  'ERR_SOCKET_TIMEOUT',
]);

function byCode(code: string, message: string): StatusFault {
  if (unreachableCodes.has(code)) return ['offline', `cannot be reached (${code})`];
  const [line = ''] = message.split('\n');
  const reason = line.replace(/^request to \S+ failed, reason: /, '').replace(/[.:]$/, '');
  return ['failed', `could not be read: ${reason}`];
}

/** `/@acme/weather at registry.example:4873`; omits the rest of the URL, which may contain passwords. */
function requestLabel(path: string, request: Pick<RegistryRequest, 'settings' | 'registry'>): string {
  const { host, pathname } = new URL(requestUrl(path, request));
  return `${decodeUriText(pathname)} at ${host}`;
}

/** Resolves a path as npm's library does. */
function requestUrl(
  path: string,
  { settings, registry = settings.registries[0].url }: Pick<RegistryRequest, 'settings' | 'registry'>,
): string {
  return parseUrl(path) ? path : `${registry.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
}
