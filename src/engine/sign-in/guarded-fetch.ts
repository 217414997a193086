import { lookup as resolveHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { type Reach, reaches, reachOfAddress } from '../base/address-reach.js';
import { AgentToolsError } from '../base/errors.js';
import { isLoopback } from '../base/loopback.js';
import { outgoingFetch } from '../base/outgoing-fetch.js';
import { parseUrl } from '../base/parse-url.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import { visibleLine } from '../base/visible-text.js';
import { formEncode } from './client-authentication.js';

/** Largest document of a sign-in, in bytes. Metadata and tokens have a few kilobytes. */
const maxDocumentBytes = 256 * 1024;

/** Longest wait for one document, in milliseconds. */
const timeLimitMs = 20_000;

export interface GuardOptions {
  /** The MCP server that the user has named. */
  readonly server: URL;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: FetchLike;
  /** Addresses of a host name. Default: the resolver of the system. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * Returns a fetch for the documents and endpoints of a sign-in. Their addresses come from the server and from others. It
 * sends nothing over plain HTTP to another machine, nothing to internal addresses for a public server, and reads no large
 * documents. Redirects are left to the caller: the SDK follows them within the origin only.
 */
export function createGuardedFetch({
  server,
  signal,
  fetch: send = outgoingFetch,
  resolve = addressesOf,
}: GuardOptions): FetchLike {
  return async (address, init) => {
    const url = new URL(address);
    requireSecure(url, server);
    await requireReachable(url, server, resolve);
    const limit = withTimeLimit(signal, timeLimitMs);
    const response = await send(url, { ...init, redirect: 'manual', signal: limit });
    return await readBounded(response, url, secretsOf(init));
  };
}

/** @throws AgentToolsError unless the address is encrypted, or on this machine, or plain HTTP of the named server itself */
function requireSecure(url: URL, server: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return;
  if (url.protocol === 'http:' && url.origin === server.origin) return;
  throw refusal(url, server, 'It must begin with https://');
}

/** @throws AgentToolsError if a server would lead to an address that is more internal than its own */
export async function requireReachable(
  url: URL,
  server: URL,
  resolve: NonNullable<GuardOptions['resolve']> = addressesOf,
): Promise<void> {
  if (url.origin === server.origin) return;
  const [target, own] = await Promise.all([reachOf(url, resolve), reachOf(server, resolve)]);
  if (reaches.indexOf(target) >= reaches.indexOf(own)) return;
  throw new AgentToolsError(
    'refused',
    `${visibleLine(url.origin)} is an address of ${target === 'this machine' ? target : `a ${target}`}, to which a server outside must not lead. The sign-in was stopped.`,
  );
}

async function reachOf({ hostname }: URL, resolve: NonNullable<GuardOptions['resolve']>): Promise<Reach> {
  if (isLoopback(hostname) || hostname.endsWith('.localhost')) return 'this machine';
  const host = hostname.replace(/^\[|\]$/g, '');
  // Behind a proxy, only the proxy may know the name.
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  const ranks = addresses.map((address) => reaches.indexOf(reachOfAddress(address)));
  return reaches[Math.min(reaches.indexOf('public'), ...ranks)]!;
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await resolveHost(host, { all: true })).map(({ address }) => address);
}

/** Parameters of requests to a token or revocation endpoint that must not be shown. */
const secretParameters = [
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
] as const;

/** Shorter values occur in too many words. */
const shortestSecret = 6;

/** Secrets of a request, which an error of the authorization server may repeat. */
function secretsOf(init: RequestInit | undefined): readonly string[] {
  const sent = init?.body instanceof URLSearchParams ? init.body : new URLSearchParams();
  const [, basic = ''] = /^Basic (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '') ?? [];
  const [, password = ''] = /:(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  const values = [
    ...secretParameters.map((name) => sent.get(name) ?? ''),
    basic,
    password,
    new URLSearchParams(`p=${password}`).get('p') ?? '',
  ];
  return values
    .filter((value) => value.length >= shortestSecret)
    .flatMap((value) => [value, formEncode(value)]);
}

/**
 * Reads a response, and hides secrets in errors, which become messages.
 * @throws AgentToolsError if the body is larger than {@link maxDocumentBytes}
 */
async function readBounded(response: Response, url: URL, secrets: readonly string[]): Promise<Response> {
  const { status, statusText, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxDocumentBytes)
      throw new AgentToolsError(
        'refused',
        `${visibleLine(url.href)} sends more than ${maxDocumentBytes / 1024} KiB, too much for a sign-in. The sign-in was stopped.`,
      );
    chunks.push(chunk);
  }
  const isEmpty = [101, 204, 205, 304].includes(status);
  const bytes = Buffer.concat(chunks);
  const shown =
    response.ok || secrets.length === 0
      ? bytes
      : secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), bytes.toString());
  const copy = new Response(isEmpty ? null : shown, { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

/** @throws AgentToolsError unless an endpoint that metadata name can be used */
export function requireEndpoint(name: string, address: unknown, server: URL): URL | undefined {
  if (address === undefined) return undefined;
  const url = typeof address === 'string' ? parseUrl(address) : undefined;
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))))
    throw new AgentToolsError(
      'refused',
      `The metadata for ${server.host} name a ${name} that must not be used: ${visibleLine(String(address)).slice(0, 200)}. It must begin with https://. The sign-in was stopped.`,
    );
  return url;
}

function refusal(url: URL, server: URL, rule: string): AgentToolsError {
  return new AgentToolsError(
    'refused',
    `The server ${server.host} leads to ${visibleLine(url.href).slice(0, 200)} for the sign-in. ${rule}. The sign-in was stopped.`,
  );
}
