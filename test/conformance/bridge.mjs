// A server that speaks over pipes, put on HTTP for a suite that speaks nothing else. It adds and mends nothing: what comes
// out of the pipe is what the suite judges.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ServerProcess } from './server-process.mjs';

const claimKey = 'io.modelcontextprotocol/protocolVersion';
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** HTTP statuses of errors on 2026-07-28. @see MCP 2026-07-28, basic/transports/streamable-http */
const statuses = { '-32601': 404, '-32600': 400, '-32700': 400, '-32020': 400, '-32021': 400, '-32022': 400 };

/**
 * Serves on 127.0.0.1. Each session of the handshake has a process of its own; all requests of 2026-07-28 go to one.
 * @param {{ command: string, args: readonly string[], env: NodeJS.ProcessEnv, log: string }} program
 * @param {(fault: string) => void} tell
 */
export async function startBridge(program, tell) {
  /** Lines on stdout that were no JSON-RPC. */
  const impurities = [];
  const open = () => new Pipe(new ServerProcess(program, tell), (line) => impurities.push(line));
  const sessions = new Map();
  let stateless;

  const http = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function answer(request, response) {
    const sessionId = request.headers['mcp-session-id'];
    const session = sessions.get(sessionId);
    if (sessionId !== undefined && !session) return void response.writeHead(404).end();
    if (request.method === 'GET' && session) return session.listen(response);
    if (request.method === 'DELETE' && session) {
      sessions.delete(sessionId);
      await session.close();
      return void response.writeHead(200).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request));
    if (session) return session.take(message, response);
    if (message.method === 'initialize' && !message.params?._meta?.[claimKey]) {
      const id = randomUUID();
      const opened = new Session(open());
      sessions.set(id, opened);
      response.setHeader('Mcp-Session-Id', id);
      return opened.take(message, response);
    }
    stateless ??= new Stateless(open());
    return stateless.take(message, response);
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://localhost:${http.address().port}/mcp`,
    impurities,
    async close() {
      http.close();
      http.closeAllConnections();
      await Promise.all([...sessions.values(), stateless].map((one) => one?.close()));
    },
  };
}

/** A process of the server, and what it says. */
class Pipe {
  onMessage = () => {};
  #server;
  #partial = '';

  constructor(server, onImpurity) {
    this.#server = server;
    server.child.stdout.setEncoding('utf8').on('data', (chunk) => {
      const lines = (this.#partial + chunk).split('\n');
      this.#partial = lines.pop();
      for (const line of lines) {
        const message = parsed(line);
        if (message?.jsonrpc === '2.0') this.onMessage(message);
        else onImpurity(line);
      }
    });
  }

  send(message) {
    this.#server.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close() {
    await this.#server.end(({ stdin }) => stdin.end());
  }
}

/** A connection of the handshake. Ids are the client's own. */
class Session {
  #pipe;
  #exchanges = new Map();
  #listener;

  constructor(pipe) {
    this.#pipe = pipe;
    pipe.onMessage = (message) => this.#pass(message);
  }

  take(message, response) {
    if (message.method === undefined || message.id === undefined) response.writeHead(202).end();
    else this.#exchanges.set(message.id, new Exchange(response));
    this.#pipe.send(message);
  }

  listen(response) {
    this.#listener = new Exchange(response);
    this.#listener.begin();
  }

  async close() {
    this.#listener?.end();
    await this.#pipe.close();
  }

  /** A pipe does not say which request a message belongs to: it goes with the youngest. */
  #pass(message) {
    const exchange = this.#exchanges.get(message.id);
    if (message.method === undefined && exchange) {
      this.#exchanges.delete(message.id);
      exchange.finish(message, 200);
      return;
    }
    ([...this.#exchanges.values()].at(-1) ?? this.#listener)?.write(message);
  }
}

/** Requests that know of no others. Ids and tokens of many clients are made one client's, and back. */
class Stateless {
  #pipe;
  #last = 0;
  #exchanges = new Map();

  constructor(pipe) {
    this.#pipe = pipe;
    pipe.onMessage = (message) => this.#pass(message);
  }

  take(message, response) {
    if (message.id === undefined) return void response.writeHead(202).end();
    this.#last += 1;
    const id = this.#last;
    const meta = message.params?._meta;
    const token = meta?.progressToken;
    const exchange = new Exchange(response);
    this.#exchanges.set(id, { exchange, message, token });
    response.on('close', () => {
      if (!this.#exchanges.delete(id)) return;
      this.#pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    });
    const own =
      token === undefined ? message.params : { ...message.params, _meta: { ...meta, progressToken: id } };
    this.#pipe.send({ ...message, id, ...(own && { params: own }) });
  }

  async close() {
    await this.#pipe.close();
  }

  #pass(message) {
    if (message.method === undefined) {
      const found = this.#exchanges.get(message.id);
      if (!found) return;
      this.#exchanges.delete(message.id);
      found.exchange.finish(restored(message, found), statusOf(message, found.message));
      return;
    }
    const { progressToken, _meta } = message.params ?? {};
    const found = this.#exchanges.get(progressToken ?? _meta?.[subscriptionKey]);
    if (found) return found.exchange.write(restored(message, found));
    for (const { exchange, message: asked } of this.#exchanges.values()) {
      if (asked.method !== 'subscriptions/listen') exchange.write(message);
    }
  }
}

/** What answers one HTTP request: JSON, or a stream if more comes than the answer. */
class Exchange {
  #response;

  constructor(response) {
    this.#response = response;
  }

  begin() {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    this.#response.flushHeaders();
  }

  write(message) {
    this.begin();
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  finish(message, status) {
    if (!this.#response.headersSent) {
      this.#response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(message));
      return;
    }
    this.write(message);
    this.end();
  }

  end() {
    this.#response.end();
  }
}

/** A message with the id and token of the client that asked. */
function restored(message, { message: asked, token }) {
  const again = structuredClone(message);
  if (again.id !== undefined) again.id = asked.id;
  if (again.params?.progressToken !== undefined) again.params.progressToken = token;
  for (const holder of [again.params, again.result]) {
    if (holder?._meta?.[subscriptionKey] !== undefined) holder._meta[subscriptionKey] = asked.id;
  }
  return again;
}

function statusOf({ error }, asked) {
  if (!error) return 200;
  if (error.code !== -32602) return statuses[error.code] ?? 200;
  const meta = asked.params?._meta;
  const isWhole = meta?.[claimKey] && meta['io.modelcontextprotocol/clientCapabilities'];
  return isWhole ? 200 : 400;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
