import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, vi } from 'vitest';
import { LiveServer } from '../../src/engine/live/live-server.js';
import { composeServer } from '../../src/engine/runtime/compose-server.js';
import { parseToolOptions } from '../../src/engine/runtime/tool-options.js';
import { openWorkspace } from './packages.js';
import { root } from './program.js';
import { openSession, type Session, type SessionOptions } from './session.js';

/** What a stand-in is asked. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** What a stand-in answers with. */
export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends the headers, then ends the connection in the middle. */
  readonly breaksOff?: boolean;
  /** Never answers. */
  readonly hangs?: boolean;
}

type Answer = Reply | ((asked: Asked) => Reply);

/** The services of Wolfram, as far as they are documented, in this process. Without an answer: 404. */
export interface Services {
  readonly base: string;
  readonly asked: Asked[];
  answers: Readonly<Record<string, Answer>>;
}

export const llmPath = '/api/v1/llm-api';
export const fullPath = '/v2/query';
export const contextPath = '/api/apis/v1/WolframAlphaContext';

/** Starts stand-ins. They end with the test file. */
export async function startServices(): Promise<Services> {
  const services = { base: '', asked: [] as Asked[], answers: {} as Services['answers'] };
  const server = createServer(async (request, response) => {
    const asked = await readAsked(request);
    services.asked.push(asked);
    const answer = services.answers[asked.path] ?? { status: 404, body: 'not found' };
    send(response, typeof answer === 'function' ? answer(asked) : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  services.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return services;
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '', 'http://stand-in');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    authorization: request.headers.authorization,
    body: Buffer.concat(chunks).toString(),
  };
}

function send(
  response: ServerResponse,
  { status = 200, type = 'text/plain;charset=utf-8', headers, body = '', breaksOff, hangs }: Reply,
): void {
  if (hangs) return;
  response.writeHead(status, { ...(type !== '' && { 'content-type': type }), ...headers });
  if (!breaksOff) return void response.end(body);
  response.write(body);
  setImmediate(() => response.destroy());
}

/** Lets requests for addresses of Wolfram|Alpha come to a stand-in; gives the hosts that others were sent to. */
export function rerouteAlpha(base: string): string[] {
  const elsewhere: string[] = [];
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', (to: URL | string, init: RequestInit) => {
    const url = new URL(to);
    if (url.origin === base) return send(url, init);
    if (url.hostname.endsWith('wolframalpha.com')) {
      return send(new URL(`/${url.hostname}${url.pathname}${url.search}`, base), init);
    }
    elsewhere.push(url.hostname);
    return Promise.reject(new TypeError('there is no network'));
  });
  return elsewhere;
}

/** A client of one of the bundled Wolfram servers, and what went to stderr. */
export interface WolframSession extends Session {
  readonly reports: string[];
  readonly live: LiveServer;
}

const uiCapability = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** Opens a bundled server, or that of a folder. */
export async function openWolfram(
  server: string,
  { ui = false, toolOptions, ...options }: SessionOptions & { ui?: boolean; toolOptions?: unknown } = {},
): Promise<WolframSession> {
  const workspace = openWorkspace({ builtinFolder: path.join(root, 'src/builtin') });
  const spec = await composeServer(await workspace.findServer(server), workspace);
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  const live = new LiveServer({ server: spec, env: {}, report });
  const set = toolOptions === undefined ? undefined : JSON.stringify(toolOptions);
  const served = { live, toolOptions: parseToolOptions(set, report) };
  const session = await openSession({ served }, { ...(ui && { capabilities: uiCapability }), ...options });
  return Object.assign(session, { reports, live });
}
