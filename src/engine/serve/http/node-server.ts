import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { AgentToolsError } from '../../base/errors.js';
import { parseUrl } from '../../base/parse-url.js';
import { errorMessage } from '../../base/thrown-value.js';
import { deadlines } from '../../runtime/deadlines.js';
import { BodyBuffer, type BodyLimits, brokenOff, inTime, tooLong } from './body.js';
import { Connections } from './connections.js';
import type { Service } from './http-service.js';
import { isStream } from './stream-backlog.js';

/** Longest time for the headers of a request to arrive. */
const headersTimeoutMs = 10_000;
/** Interval at which Node checks for timeouts. Its default, 30 s, is three times the time for headers. */
const checkEveryMs = 1000;
const maxHeaderBytes = 16 * 1024;
const maxHeaders = 100;

/** Longest idle time of a connection. Longer than in common proxies: closing first would race with their requests. */
const idleConnectionMs = 75_000;

/** Time to read the refusal of a body while the rest of the body is discarded. */
const lingerMs = 2000;

/** Default of `readTimeoutMs`. */
const defaultReadTimeoutMs = 60_000;

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Longest time that a client may read nothing of a response. Default: one minute. */
  readonly readTimeoutMs?: number | undefined;
}

/** A listening Node HTTP server. */
export interface ListeningServer {
  readonly port: number;
  /** Accepts no more connections, answers requests in flight within `limitMs`, and ends. */
  drain(limitMs: number): Promise<void>;
}

/** Serves over Node's HTTP server. @throws AgentToolsError if it cannot listen at the address */
export async function serveNodeHttp(
  service: Service,
  { host, port, readTimeoutMs = defaultReadTimeoutMs }: ListenOptions,
): Promise<ListeningServer> {
  let isDraining = false;
  const connections = new Connections();
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: service.limits.bodyTimeoutMs + headersTimeoutMs,
      keepAliveTimeout: idleConnectionMs,
      connectionsCheckingInterval: checkEveryMs,
    },
    (request, response) => {
      connections.begin(request, response);
      if (isDraining) response.setHeader('Connection', 'close');
      // If no response can be sent, the connection breaks.
      const expectReader = () => awaitReader(response, readTimeoutMs);
      serve({ service, request, response, expectReader }).catch(() => response.destroy());
    },
  );
  server.maxHeadersCount = maxHeaders;
  server.on('connection', (socket) => connections.add(socket));
  await openServer(server, { host, port });
  return {
    port: (server.address() as AddressInfo).port,
    async drain(limitMs) {
      isDraining = true;
      const end = performance.now() + limitMs;
      // The `close` of the HTTP server would cut off responses that are being sent.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      connections.end();
      await service.drain(limitMs);
      connections.endIdle();
      const rest = Math.max(end - performance.now(), lastWordsMs);
      const wait = deadlines.add(rest, () => server.closeAllConnections());
      await closed;
      deadlines.remove(wait);
    },
  };
}

/** Time to send final messages after the time for responses is over. */
const lastWordsMs = 500;

async function openServer(server: Server, { host, port }: ListenOptions): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, resolve);
    });
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'something else listens there. Choose another --port, or 0 for any',
      EACCES: 'that is not allowed to this user. Choose a --port from 1024 on',
      EADDRNOTAVAIL: 'this machine does not have that address',
      ENOTFOUND: 'there is no such host',
    };
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = reasons[code] ?? errorMessage(error);
    throw new AgentToolsError('failed', `Port ${port} of ${host} cannot be listened at: ${reason}.`);
  }
}

interface HttpExchange {
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ends the connection if the client reads nothing. Returns a function that cancels this. */
  readonly expectReader: () => () => void;
}

async function serve({ service, request, response, expectReader }: HttpExchange): Promise<void> {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  // `close` reports a client that disconnects during a request.
  request.on('error', () => {});
  response.on('error', () => {});
  const answer = await service.answer({
    method: request.method ?? 'GET',
    url: requestUrlPath(request),
    headers: toHeaders(request),
    signal: controller.signal,
    readBody: (limits) => readBody(request, limits),
  });
  if (!request.complete) lingerAfter(response, request);
  await sendResponse(answer, { response, expectReader });
}

/**
 * Discards the rest of the body after the response, before the connection closes. If a connection closes with unread data,
 * clients get no response.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
function lingerAfter(response: ServerResponse, request: IncomingMessage): void {
  const { socket } = request;
  // Node calls `destroySoon` after the last response of a connection.
  response.prependOnceListener('finish', () => {
    socket.destroySoon = () => {
      socket.end();
      const wait = deadlines.add(lingerMs, () => socket.destroy());
      socket.once('close', () => deadlines.remove(wait));
    };
    request.resume();
  });
}

/** Reads a body as text, within the limits. Reads nothing if `Content-Length` is too large. */
async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBodyBytes)
    throw tooLong(limits.maxBodyBytes);
  // A request that is destroyed already emits no more events.
  if (request.destroyed) throw brokenOff();
  const bytes = new BodyBuffer(limits);
  const whole = new Promise<void>((resolve, reject) => {
    request.on('data', (part: Uint8Array) => {
      try {
        bytes.add(part);
      } catch (error) {
        request.pause().removeAllListeners('data');
        reject(error);
      }
    });
    request.once('end', resolve);
    request.once('close', () => reject(brokenOff()));
  });
  await inTime(whole, limits);
  return bytes.text();
}

function requestUrlPath({ url = '/' }: IncomingMessage): URL {
  // Only the path counts; the origin guard checks the Host header.
  const base = 'http://localhost';
  return parseUrl(url, base) ?? new URL('/invalid', base);
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return headers;
}

async function sendResponse(
  answer: Response,
  { response, expectReader }: Pick<HttpExchange, 'response' | 'expectReader'>,
): Promise<void> {
  const { status, headers, body } = answer;
  if (response.destroyed) {
    await body?.cancel().catch(() => {});
    return;
  }
  if (body === null || !isStream(answer)) {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    response.writeHead(status, { ...Object.fromEntries(headers), 'Content-Length': bytes.byteLength });
    response.end(bytes);
    expectReader();
    return;
  }
  response.writeHead(status, Object.fromEntries(headers));
  // Data of this turn, often the whole response, leaves in one write.
  response.cork();
  response.flushHeaders();
  setImmediate(() => {
    if (!response.writableEnded) response.uncork();
  });
  const reader = body.getReader();
  response.once('close', () => void reader.cancel().catch(() => {}));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (response.write(value)) continue;
      const stopExpecting = expectReader();
      await waitForDrain(response);
      stopExpecting();
    }
  } catch {
    // The stream broke off, and so does the response.
  }
  // Node 24 loses corked data if the response ends.
  if (response.writableCorked > 0) response.uncork();
  response.end();
  expectReader();
}

async function waitForDrain(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.on('drain', go);
    response.on('close', go);
  });
}

/** Ends the connection if the client reads nothing for `limitMs`. Returns a function that cancels this. */
function awaitReader(response: ServerResponse, limitMs: number): () => void {
  const { socket } = response;
  if (!socket || response.writableLength === 0) return () => {};
  // Node restarts the timeout when the system accepts data.
  socket.setTimeout(limitMs);
  const stop = () => void socket.setTimeout(0);
  // Runs before Node sets the timeout between two requests.
  response.prependOnceListener('finish', stop);
  return () => {
    response.off('finish', stop);
    stop();
  };
}
