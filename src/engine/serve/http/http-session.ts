import { type AuthInfo, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/value-checks.js';
import { ownerKey, quotaKey } from '../../live/request-keys.js';
import type { Dispatcher } from '../../protocol/dispatcher.js';
import {
  type Envelope,
  type JsonObject,
  type MessageId,
  readEnvelope,
  takenId,
} from '../../protocol/envelope.js';
import { findBatchFault, type LegacyVersion, legacyVersions, negotiate } from '../../protocol/eras.js';
import { type Refuse, rebuildRefusal } from './refusals.js';
import { isOfSession, type ReplayBudget } from './replay-buffer.js';
import { isStream, limitBacklog, onStreamEnd } from './stream-backlog.js';
import { Gate } from './transport-gate.js';

export interface SessionOptions {
  readonly createServer: () => Dispatcher;
  readonly replayBudget: ReplayBudget;
  /** Time without use after which a session ends. */
  readonly sessionIdleMs: number;
  /** Interval of the comments that keep a silent stream open. */
  readonly keepAliveMs: number;
}

/** A request for a session. */
export interface SessionRequest {
  readonly request: Request;
  /** The parsed body of a POST. */
  readonly body: unknown;
  readonly auth: AuthInfo | undefined;
  readonly refuse: Refuse;
}

/** Wait of a client before it resumes a closed stream. */
const retryAfterMs = 1000;

/** Longest time between checks of a session. Timers of more than 24 days would fire at once. */
const longestWaitMs = 24 * 60 * 60 * 1000;

export interface SessionEvents {
  readonly onOpen: (id: string) => void;
  readonly onClose: (id: string) => void;
}

/** The session of one client: a dispatcher, and the latest events for replay. */
export class HttpSession {
  lastUsed = performance.now();
  /** Per-user quota key; undefined if users are not identified. */
  readonly user: string | undefined;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Dispatcher;
  readonly #gate: Gate;
  readonly #owner: string;
  readonly #idleMs: number;
  /** Ids of requests that are not yet with the dispatcher. */
  readonly #arriving = new Set<MessageId>();
  #id: string | undefined;
  #version: LegacyVersion = legacyVersions[0];
  #streams = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { createServer, replayBudget, keepAliveMs, sessionIdleMs }: SessionOptions,
    auth: AuthInfo | undefined,
    { onOpen, onClose }: SessionEvents,
  ) {
    this.#owner = ownerKey(auth);
    this.user = quotaKey(auth);
    this.#idleMs = sessionIdleMs;
    const events = replayBudget.open();
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: events,
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
      events.close();
      if (this.#id !== undefined) onClose(this.#id);
      onclose?.();
    };
    this.#gate = new Gate(this.#transport, 'legacy');
  }

  get isOpen(): boolean {
    return this.#id !== undefined;
  }

  /** The negotiated revision. */
  get version(): LegacyVersion {
    return this.#version;
  }

  get isBusy(): boolean {
    return this.#gate.isBusy === true;
  }

  /** True if a stream is open or a request is unanswered. */
  get isUsed(): boolean {
    return this.#streams > 0 || this.isBusy;
  }

  belongsTo(auth: AuthInfo | undefined): boolean {
    return this.#owner === ownerKey(auth);
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.#gate);
    this.#gate.hold();
  }

  async answer({ request, body, auth, refuse }: SessionRequest): Promise<Response> {
    this.lastUsed = performance.now();
    const fault = this.#findFault(body, refuse);
    if (fault) return fault;
    if (isInitialize(body) && !this.isOpen) this.#version = negotiate(body.params?.protocolVersion);
    const response = await this.#handOver({ request, body, auth });
    if (!isStream(response)) return await rebuildRefusal(response, refuse);
    const isOwn = request.method === 'GET' && isOfSession(request.headers.get('last-event-id'));
    this.#streams += 1;
    if (isOwn) this.#gate.release();
    return onStreamEnd(limitBacklog(response, 'end'), () => {
      this.#streams -= 1;
      if (isOwn) this.#gate.hold();
      this.lastUsed = performance.now();
    });
  }

  /** Tracks ids, since two requests with one id may arrive together and the later must be refused. */
  async #handOver({ request, body, auth }: Omit<SessionRequest, 'refuse'>): Promise<Response> {
    const ids = envelopesIn(body).flatMap((envelope) => (envelope.kind === 'request' ? [envelope.id] : []));
    for (const id of ids) this.#arriving.add(id);
    try {
      return await this.#transport.handleRequest(isInitialize(body) ? request : this.#withVersion(request), {
        ...(request.method === 'POST' && { parsedBody: body }),
        ...(auth && { authInfo: auth }),
      });
    } finally {
      for (const id of ids) this.#arriving.delete(id);
    }
  }

  async close(): Promise<void> {
    await this.#gate.cutOff();
    await this.#server.close();
  }

  /**
   * Returns a request with the negotiated revision in its header. Some clients send another, or none.
   * @see MCP 2025-11-25, basic/transports, Protocol Version Header
   */
  #withVersion(request: Request): Request {
    const version = request.headers.get('mcp-protocol-version');
    const isKnown = version === null || legacyVersions.some((known) => known === version);
    if (version === this.#version || !isKnown) return request;
    const headers = new Headers(request.headers);
    headers.set('mcp-protocol-version', this.#version);
    // The body has been read.
    return new Request(request.url, { method: request.method, headers, signal: request.signal });
  }

  /** Finds faults that the transport accepts but the revision does not. */
  #findFault(body: unknown, refuse: Refuse): Response | undefined {
    const invalid = (problem: string, id?: MessageId) =>
      refuse({ status: 400, message: `Invalid request: ${problem}.`, id });
    const batchFault = Array.isArray(body) ? findBatchFault(body, this.#version) : undefined;
    if (batchFault !== undefined) return invalid(batchFault);
    const ids = new Set<MessageId>();
    for (const envelope of envelopesIn(body)) {
      if (envelope.kind === 'invalid') return invalid(envelope.problem, envelope.id);
      if (envelope.kind !== 'request') continue;
      const { id } = envelope;
      if (ids.has(id) || this.#arriving.has(id) || this.#gate.isOpen(id)) {
        return invalid(takenId(id), id);
      }
      ids.add(id);
    }
    return undefined;
  }

  /** Ends the session after `sessionIdleMs` without use. */
  #watch(): void {
    const left = this.isUsed ? this.#idleMs : this.lastUsed + this.#idleMs - performance.now();
    if (left <= 0) {
      void this.close();
      return;
    }
    this.#timer = setTimeout(() => this.#watch(), Math.min(left, longestWaitMs));
    // The timer must not keep Node running. On other platforms it may be a number.
    (this.#timer as { unref?: () => void }).unref?.();
  }
}

/** The messages of a body; none for GET and DELETE. */
function envelopesIn(body: unknown): readonly Envelope[] {
  if (body === undefined) return [];
  return (Array.isArray(body) ? body : [body]).map(readEnvelope);
}

interface InitializeRequest {
  readonly method: 'initialize';
  readonly params?: JsonObject;
}

/** True if a body would begin a session. */
export function isInitialize(body: unknown): body is InitializeRequest {
  return isRecord(body) && body.method === 'initialize';
}
