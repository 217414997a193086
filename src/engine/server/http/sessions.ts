import {
  type AuthInfo,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ErrorNumber, isObject, type MessageId, readEnvelope } from '../stdio/envelope.js';
import { knowsBatches, type LegacyVersion, legacyVersions, negotiate } from '../stdio/eras.js';
import { isStream, refusal, whenDone } from './answers.js';
import { type Gate, putGate } from './gate.js';
import { RecentEvents } from './replay.js';

/** How sessions of clients up to 2025-11-25 are kept. */
export interface SessionLimits {
  /** How many there may be at a time. */
  readonly maxSessions: number;
  /** How long one lives that nobody uses. */
  readonly sessionIdleMs: number;
  /** How often a line of comment keeps a silent stream alive. */
  readonly keepAliveMs: number;
}

export interface SessionsOptions extends SessionLimits {
  readonly createServer: () => Server;
}

/** A request as sessions take it. */
export interface SessionRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  readonly auth: AuthInfo | undefined;
}

/** How long a client waits before it takes up a stream that was closed. */
const retryAfterMs = 1000;

/** @see MCP 2025-11-25, basic/transports, Session Management: a session that is over is answered 404 */
const sessionNotFound = -32001;

/** The sessions of clients up to 2025-11-25. Each has a server of its own, and is known by the id in its header. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async answer(asked: SessionRequest): Promise<Response> {
    const { request, body, auth } = asked;
    const id = request.headers.get('mcp-session-id');
    const version = request.headers.get('mcp-protocol-version');
    if (id === null) {
      if (isInitialize(body)) return await this.#open(asked);
      const way =
        'Send initialize first (up to 2025-11-25) and then the Mcp-Session-Id of its answer, or name the protocol version in "_meta" (2026-07-28).';
      return refusal({ status: 400, message: `Mcp-Session-Id is missing. ${way}`, id: idOf(body) }, version);
    }
    const session = this.#sessions.get(id);
    // Whose session it is, is no business of others: to them it is not there.
    if (!session?.belongsTo(auth)) {
      const message = 'Session not found. Send initialize again.';
      return refusal({ status: 404, code: sessionNotFound, message, id: idOf(body) }, version);
    }
    return await session.answer(asked);
  }

  /** Whether any session waits for an answer. */
  get isBusy(): boolean {
    return [...this.#sessions.values()].some(({ isBusy }) => isBusy);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    if (this.#sessions.size >= this.#options.maxSessions) {
      const idle = [...this.#sessions.values()]
        .filter(({ isUsed }) => !isUsed)
        .sort((one, other) => one.lastUsed - other.lastUsed)[0];
      if (!idle) {
        const message = `There are ${this.#sessions.size} sessions, and more are not served. Try again later.`;
        return refusal({ status: 503, message, id: idOf(asked.body), headers: { 'Retry-After': '30' } });
      }
      await idle.close();
    }
    const session = new Session(this.#options, asked.auth, {
      onOpen: (id) => void this.#sessions.set(id, session),
      onClose: (id) => void this.#sessions.delete(id),
    });
    await session.connect();
    const response = await session.answer(asked);
    if (!session.isOpen) await session.close();
    return response;
  }
}

interface SessionEvents {
  readonly onOpen: (id: string) => void;
  readonly onClose: (id: string) => void;
}

class Session {
  lastUsed = performance.now();
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #gate: () => Gate | undefined;
  readonly #owner: string;
  readonly #idleMs: number;
  #id: string | undefined;
  #version: LegacyVersion = legacyVersions[0];
  #streams = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { createServer, keepAliveMs, sessionIdleMs }: SessionsOptions,
    auth: AuthInfo | undefined,
    { onOpen, onClose }: SessionEvents,
  ) {
    this.#owner = ownerOf(auth);
    this.#idleMs = sessionIdleMs;
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new RecentEvents(),
      retryInterval: retryAfterMs,
      keepAliveMs,
      onsessioninitialized: (id) => {
        this.#id = id;
        onOpen(id);
        this.#watch();
      },
    });
    this.#server = createServer();
    const { onclose } = this.#server;
    this.#server.onclose = () => {
      clearTimeout(this.#timer);
      if (this.#id !== undefined) onClose(this.#id);
      onclose?.();
    };
    this.#gate = putGate(this.#server, 'legacy').gate;
  }

  get isOpen(): boolean {
    return this.#id !== undefined;
  }

  get isBusy(): boolean {
    return this.#gate()?.isBusy === true;
  }

  /** Whether somebody listens or waits for an answer. */
  get isUsed(): boolean {
    return this.#streams > 0 || this.isBusy;
  }

  belongsTo(auth: AuthInfo | undefined): boolean {
    return this.#owner === ownerOf(auth);
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.#transport);
    this.#gate()?.hold();
  }

  async answer({ request, body, auth }: SessionRequest): Promise<Response> {
    this.lastUsed = performance.now();
    const fault = this.#findFault(body);
    if (fault) return fault;
    if (isInitialize(body)) this.#version = negotiate(body.params.protocolVersion);
    const response = await this.#transport.handleRequest(isInitialize(body) ? request : this.#told(request), {
      ...(request.method === 'POST' && { parsedBody: body }),
      ...(auth && { authInfo: auth }),
    });
    if (!isStream(response)) return response;
    const isOwn = request.method === 'GET';
    this.#streams += 1;
    if (isOwn) this.#gate()?.release();
    return whenDone(response, () => {
      this.#streams -= 1;
      if (isOwn) this.#gate()?.hold();
      this.lastUsed = performance.now();
    });
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * A request as one of the revision that was negotiated. Some clients name another, or none.
   * @see MCP 2025-11-25, basic/transports, Protocol Version Header
   */
  #told(request: Request): Request {
    const version = request.headers.get('mcp-protocol-version');
    const isKnown = version === null || legacyVersions.some((known) => known === version);
    if (version === this.#version || !isKnown) return request;
    const headers = new Headers(request.headers);
    headers.set('mcp-protocol-version', this.#version);
    // The body has been read.
    return new Request(request.url, { method: request.method, headers, signal: request.signal });
  }

  /** What the transport would take, and the revision does not. */
  #findFault(body: unknown): Response | undefined {
    const refuse = (message: string, id?: MessageId) =>
      refusal(
        { status: 400, code: ErrorNumber.InvalidRequest, message: `Invalid request: ${message}.`, id },
        this.#version,
      );
    if (Array.isArray(body) && !knowsBatches(this.#version)) {
      return refuse('batches are served only after an initialize at 2025-03-26');
    }
    for (const message of Array.isArray(body) ? body : [body]) {
      const id = idOf(message);
      if (id !== undefined && this.#gate()?.isOpen(id)) {
        return refuse(`the id ${JSON.stringify(id)} belongs to a request that is not answered yet`, id);
      }
    }
    return undefined;
  }

  /** Ends the session once nobody has used it for long. */
  #watch(): void {
    const left = this.isUsed ? this.#idleMs : this.lastUsed + this.#idleMs - performance.now();
    if (left <= 0) {
      void this.close();
      return;
    }
    this.#timer = setTimeout(() => this.#watch(), left);
    (this.#timer as { unref?: () => void }).unref?.();
  }
}

/** Who a session belongs to. @see MCP 2025-11-25, basic/security_best_practices, Session Hijacking */
function ownerOf(auth: AuthInfo | undefined): string {
  return auth ? JSON.stringify([auth.clientId, auth.extra?.iss, auth.extra?.sub]) : '';
}

interface Initialize {
  readonly params: { readonly protocolVersion?: unknown };
}

function isInitialize(body: unknown): body is Initialize {
  return isObject(body) && body.method === 'initialize' && isObject(body.params);
}

function idOf(body: unknown): MessageId | undefined {
  if (Array.isArray(body)) return undefined;
  const envelope = readEnvelope(body);
  return envelope.kind === 'request' ? envelope.id : undefined;
}
