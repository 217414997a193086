import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { chooseProxy } from './choose-proxy.js';
import type { ConnectionSettings } from './connection-settings.js';

/** Longest chain of redirects, as in the Fetch standard. */
const maxRedirects = 20;

/** A fetch with proxies and certificates of the user. The fetch of Node 20 has no settings for them. */
export function createProxiedFetch(settings: ConnectionSettings): typeof fetch {
  const agents = new Map<string, http.Agent>();
  const agentFor = (url: URL): http.Agent => {
    const proxy = chooseProxy(url, settings);
    const name = `${url.protocol} ${proxy}`;
    const agent = agents.get(name) ?? createAgent(url, proxy, settings);
    agents.set(name, agent);
    return agent;
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    return await follow({ url: new URL(request.url), request, body, redirects: 0 }, (step) =>
      send(step, agentFor(step.url), settings),
    );
  };
}

/** One request of a chain of redirects. */
interface RequestStep {
  readonly url: URL;
  readonly request: Request;
  readonly body: Buffer | undefined;
  readonly redirects: number;
}

async function follow(
  step: RequestStep,
  answer: (step: RequestStep) => Promise<IncomingMessage>,
): Promise<Response> {
  const { url, request, body, redirects } = step;
  const message = await answer(step);
  const { statusCode: status = 0, headers } = message;
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
  if (!isRedirect || request.redirect === 'manual') return toResponse(message, step);
  message.destroy();
  if (request.redirect === 'error') throw failure(new Error('unexpected redirect'));
  if (redirects === maxRedirects) throw failure(new Error('redirect count exceeded'));
  const next = new URL(headers.location!, url);
  if (!/^https?:$/.test(next.protocol)) throw failure(new Error('URL scheme must be a HTTP(S) scheme'));
  const sent = new Headers(request.headers);
  const becomesGet =
    (status === 303 && !['GET', 'HEAD'].includes(request.method)) ||
    ([301, 302].includes(status) && request.method === 'POST');
  if (becomesGet) for (const name of ['content-type', 'content-length']) sent.delete(name);
  if (next.origin !== url.origin)
    for (const name of ['authorization', 'proxy-authorization', 'cookie', 'host']) sent.delete(name);
  const { signal, redirect } = request;
  const method = becomesGet ? 'GET' : request.method;
  const following = new Request(next, { method, headers: sent, signal, redirect });
  return await follow(
    { url: next, request: following, body: becomesGet ? undefined : body, redirects: redirects + 1 },
    answer,
  );
}

function createAgent({ protocol }: URL, proxy: string | undefined, settings: ConnectionSettings): http.Agent {
  const isSecure = protocol === 'https:';
  if (proxy === undefined)
    return isSecure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  if (/^socks/i.test(proxy)) return new SocksProxyAgent(proxy);
  const { ca, strictSsl } = settings;
  const connection = { ...(ca && { ca: [...ca] }), rejectUnauthorized: strictSsl };
  return isSecure ? new HttpsProxyAgent(proxy, connection) : new HttpProxyAgent(proxy, connection);
}

async function send(
  { url, request, body }: RequestStep,
  agent: http.Agent,
  { ca, cert, key, strictSsl }: ConnectionSettings,
): Promise<IncomingMessage> {
  const { method, signal } = request;
  signal.throwIfAborted();
  const headers = {
    accept: '*/*',
    'user-agent': 'agenttools',
    ...Object.fromEntries(request.headers),
    ...(body && { 'content-length': String(body.length) }),
  };
  const trust = { ...(ca && { ca: [...ca] }), ...(cert && { cert }), ...(key && { key }) };
  const options = { method, headers, agent, signal, rejectUnauthorized: strictSsl, ...trust };
  return await new Promise((resolve, reject) => {
    const sending = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
    sending.once('error', (error) => reject(signal.aborted ? signal.reason : failure(error)));
    sending.end(body);
  });
}

/** An error with its reason as the cause, as Node's fetch throws it. */
function failure(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}

function toResponse(message: IncomingMessage, { url, redirects }: RequestStep): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  const isEmpty = [101, 204, 205, 304].includes(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  const response = new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    statusText,
    headers,
  });
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: redirects > 0 },
  });
}
