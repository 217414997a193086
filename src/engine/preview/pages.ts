import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { PreviewEvents } from './page-messages.js';

/** Actions that the page can call, by the last part of their URL. */
type PageActions = Readonly<
  Record<string, (body: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>>
>;

export interface PagesOptions {
  /** The built pages. */
  readonly folder: string;
  /** Zero: any free port. */
  readonly port: number;
  readonly actions: PageActions;
  /** Sends the current state to a page that has just connected. */
  readonly greet: (send: SendEvent) => void;
}

type SendEvent = <Name extends keyof PreviewEvents>(name: Name, data: PreviewEvents[Name]) => void;

/** The pages of a preview, served on this machine to clients that know the URL. */
export interface PreviewPages {
  /** URL of the host page; it holds a random token. */
  readonly url: string;
  /** Sends an event to every open page. */
  readonly send: SendEvent;
  /** Adds a page, on another origin, that frames an app under its policy. Returns its URL. */
  addFrame(policy: string): string;
  close(): Promise<void>;
}

const address = '127.0.0.1';

/** Larger bodies are rejected: no arguments are that long. */
const maxRequestBytes = 20_000_000;

/** Number of renderings that keep their frame. An open page shows the last ones. */
const maxFrames = 100;

/** The files of the host page, by the last part of their URL. */
const files = {
  '': { file: 'index.html', type: 'text/html; charset=utf-8' },
  'page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  'page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
} as const satisfies Record<string, { readonly file: string; readonly type: string }>;

/** Serves the host page and, from a second origin, the frames of apps. @throws AgentToolsError `failed` */
export async function servePages({ folder, port, actions, greet }: PagesOptions): Promise<PreviewPages> {
  const token = randomBytes(24).toString('base64url');
  const frames = new Map<string, string>();
  const read = (file: string) => readFile(path.join(folder, file), 'utf8');
  const framePage = await read('frame.html');
  const contents = new Map(
    await Promise.all(
      Object.entries(files).map(async ([part, { file, type }]) => {
        return [part, { content: await read(file), type }] as const;
      }),
    ),
  );
  const streams = new Set<ServerResponse>();

  const frameServer = createServer((request, response) => {
    const policy = isFor(request, frameServer) ? frames.get(lastPart(request.url)) : undefined;
    if (policy === undefined || request.method !== 'GET') return refuse(response);
    sendPage(response, 200, framePage.replace('{{host}}', serverOrigin(hostServer)), {
      'content-type': 'text/html; charset=utf-8',
      'origin-agent-cluster': '?1',
      'content-security-policy': `${policy}; frame-ancestors ${serverOrigin(hostServer)}`,
    });
  });

  const hostServer = createServer((request, response) => {
    if (!isFor(request, hostServer) || !isFromHere(request, serverOrigin(hostServer)))
      return refuse(response);
    const [given, ...rest] = splitPath(request.url);
    if (!isTokenEqual(given, token)) return refuse(response);
    const part = rest.join('/');
    if (request.method === 'POST') return void answer(part, request, response);
    if (request.method !== 'GET') return refuse(response);
    if (part === 'events') return stream(response);
    const known = contents.get(part);
    if (!known) return refuse(response, 404);
    sendPage(response, 200, known.content, {
      'content-type': known.type,
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': hostPolicy(serverOrigin(frameServer)),
    });
  });

  const answer = async (part: string, request: IncomingMessage, response: ServerResponse) => {
    const action = Object.hasOwn(actions, part) ? actions[part] : undefined;
    const isJson = request.headers['content-type'] === 'application/json';
    if (!action || !isJson) return refuse(response, action ? 415 : 404);
    if (!(Number(request.headers['content-length']) <= maxRequestBytes)) return refuse(response, 413);
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    try {
      const body: unknown = JSON.parse(await readText(request));
      const result = await action(isRecord(body) ? body : {}, leaving.signal);
      sendPage(response, 200, JSON.stringify(result ?? {}), { 'content-type': 'application/json' });
    } catch (error) {
      const message = JSON.stringify({ message: errorMessage(error) });
      sendPage(response, 500, message, { 'content-type': 'application/json' });
    }
  };

  const stream = (response: ServerResponse) => {
    response.writeHead(200, { ...common, 'content-type': 'text/event-stream' });
    streams.add(response);
    response.on('close', () => streams.delete(response));
    greet((name, data) => writeEvent(response, name, data));
  };

  // The server with the chosen port listens first: if the port is in use, nothing is left open.
  await listenOnPort(hostServer, port);
  await listenOnPort(frameServer, 0);
  return {
    url: `${serverOrigin(hostServer)}/${token}/`,
    send: (name, data) => {
      for (const response of streams) writeEvent(response, name, data);
    },
    addFrame(policy) {
      const id = randomBytes(24).toString('base64url');
      frames.set(id, policy);
      for (const old of [...frames.keys()].slice(0, -maxFrames)) frames.delete(old);
      return `${serverOrigin(frameServer)}/${id}`;
    },
    async close() {
      for (const server of [hostServer, frameServer]) server.closeAllConnections();
      await Promise.all(
        [hostServer, frameServer].map((server) => new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}

/** Headers of every response: it is not cached, and its URL is not sent as a referrer. */
const common = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/**
 * The host page runs its own script, connects to its own program and frames apps. It creates no HTML from
 * strings.
 */
function hostPolicy(frames: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** True if the Host header has the server's address. Other names may come from DNS rebinding. */
function isFor(request: IncomingMessage, server: Server): boolean {
  return request.headers.host === serverOrigin(server).replace('http://', '');
}

/**
 * True if the host page made the request, or a user opened it. A browser sends no origin and no site, or
 * `none`, for a page that a user opens.
 */
function isFromHere({ headers, method }: IncomingMessage, own: string): boolean {
  if (headers.origin !== undefined) return headers.origin === own;
  const site = headers['sec-fetch-site'];
  const isOpened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && (site === undefined || site === 'same-origin' || site === 'none' || isOpened);
}

function isTokenEqual(given: string | undefined, token: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function splitPath(url = '/'): readonly string[] {
  return url.split(/[?#]/)[0]!.slice(1).split('/');
}

function lastPart(url: string | undefined): string {
  return splitPath(url).join('/');
}

function serverOrigin(server: Server): string {
  const at = server.address();
  return typeof at === 'object' && at ? `http://${address}:${at.port}` : '';
}

async function listenOnPort(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EADDRINUSE' ? 'the port is in use. Omit --port to use a free one' : error.message;
    throw new AgentToolsError('failed', `Cannot listen on ${address}:${port}: ${reason}.`);
  });
}

function sendPage(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (!response.headersSent) response.writeHead(status, { ...common, ...headers });
  response.end(body);
}

function refuse(response: ServerResponse, status = 403): void {
  const text = status === 403 ? 'Open the address that agenttools preview has printed.\n' : '';
  sendPage(response, status, text, { 'content-type': 'text/plain; charset=utf-8' });
}

function writeEvent(response: ServerResponse, name: string, data: unknown): void {
  response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
