import { type AuthInfo, classifyInboundRequest, isJsonContentType } from '@modelcontextprotocol/server';
import { createServer, type Served } from '../factory.js';
import { type Envelope, ErrorNumber, readEnvelope } from '../protocol/envelope.js';
import { Admission, type AdmissionOptions } from './admission.js';
import { refusal } from './answers.js';
import { type Authority, authenticate } from './auth.js';
import { BodyError, type BodyLimits } from './body.js';
import { type Broadcast, broadcast, type EventBus, memoryBus } from './events.js';
import { Modern } from './modern.js';
import { type SessionLimits, Sessions } from './sessions.js';
import { type Time, type TimeLimits, UnderWay } from './under-way.js';

/** How much, how many and how long. */
export interface Limits extends BodyLimits, SessionLimits, TimeLimits {
  /** How many streams may wait for news. */
  readonly maxSubscriptions: number;
}

/** Limits as they are told; what is undefined is as usual. */
export type LimitSettings = { readonly [K in keyof Limits]?: Limits[K] | undefined };

const minute = 60_000;

const defaultLimits: Limits = {
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 60 * minute,
  maxSessions: 1000,
  sessionIdleMs: 30 * minute,
  maxSubscriptions: 1024,
  keepAliveMs: 15_000,
};

export interface ServiceOptions extends AdmissionOptions {
  readonly served: Served;
  /** Who decides on tokens; absent: everybody is let in. */
  readonly authority?: Authority | undefined;
  /** The one path that MCP is served at; every path when absent. */
  readonly path?: string | undefined;
  /** Whether clients up to 2025-11-25 are served, who need sessions. */
  readonly hasSessions?: boolean | undefined;
  readonly bus?: EventBus | undefined;
  readonly limits?: LimitSettings | undefined;
  readonly report: (line: string) => void;
}

/** A request, whoever took it in. */
export interface Incoming {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Aborts when whoever asked has gone. */
  readonly signal: AbortSignal;
  /** @throws BodyError */
  readonly readBody: (limits: BodyLimits) => Promise<string>;
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6 */
const allowed = 'GET, POST, DELETE';

/** A composed server over HTTP, in both eras, whatever platform takes the requests. */
export class Service {
  readonly limits: Limits;
  readonly #options: ServiceOptions;
  readonly #admission: Admission;
  readonly #broadcast: Broadcast;
  readonly #modern: Modern;
  readonly #sessions: Sessions | undefined;
  #isDraining = false;
  #isClosed = false;
  readonly #underWay: UnderWay;

  constructor(options: ServiceOptions) {
    const { served, bus = memoryBus(), report, hasSessions = true } = options;
    this.#options = options;
    this.limits = { ...defaultLimits, ...definedOf(options.limits ?? {}) };
    this.#admission = new Admission(options);
    this.#underWay = new UnderWay(this.limits);
    this.#broadcast = broadcast(served, bus, report);
    const { maxSubscriptions, keepAliveMs } = this.limits;
    const modern = this.#broadcast.served('modern');
    this.#modern = new Modern({ served: modern, bus, maxSubscriptions, keepAliveMs, report });
    const legacy = this.#broadcast.served('legacy');
    const makeServer = () => createServer(legacy, 'legacy');
    this.#sessions = hasSessions ? new Sessions({ ...this.limits, createServer: makeServer }) : undefined;
  }

  async answer(incoming: Incoming): Promise<Response> {
    const { method, url, headers } = incoming;
    if (url.pathname === '/healthz') return this.#health();
    const refused = this.#admission.check(method, url, headers);
    if (refused) return refused;
    const response = await this.#answer(incoming).catch((error: unknown) => this.#explain(error));
    return this.#admission.open(response, headers);
  }

  /** Waits until what is being answered has been, but no longer than it may take; then ends what is left. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#underWay.wait(limitMs);
    await this.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#modern.close(), this.#sessions?.close()]);
    // Last words may still be on their way to slow readers, for whom nothing has to be kept up.
    this.#underWay.settle();
    this.#broadcast.close();
  }

  async #answer(incoming: Incoming): Promise<Response> {
    const { method, url, headers } = incoming;
    const { authority, path } = this.#options;
    const metadata = authority?.metadata?.(url);
    if (metadata) return metadata;
    if (path !== undefined && url.pathname !== path) {
      return refusal({ status: 404, message: `There is nothing at ${url.pathname}. MCP is at ${path}.` });
    }
    if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') {
      const message = `${method} is not one of MCP's methods.`;
      return refusal({ status: 405, message, headers: { Allow: allowed } });
    }
    const auth = authority && (await authenticate(headers, authority));
    if (auth instanceof Response) return auth;
    if (this.#isClosed) return refusal({ status: 503, message: 'This server has ended.' });
    const serve = ({ signal, exempt }: Time) => this.#serve({ ...incoming, signal }, { auth, exempt });
    return await this.#underWay.run(incoming.signal, serve);
  }

  /** The answer to a request that could not be answered. */
  #explain(error: unknown): Response {
    if (error instanceof BodyError) {
      const { status, message } = error;
      // What is still on its way is not read.
      return refusal({ status, message, headers: { Connection: 'close' } });
    }
    this.#options.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return refusal({ status: 500, code: ErrorNumber.Internal, message: 'Internal error.' });
  }

  #health(): Response {
    const status = this.#isDraining ? 'draining' : 'ok';
    return Response.json({ status }, { status: this.#isDraining ? 503 : 200 });
  }

  async #serve(
    incoming: Incoming,
    { auth, exempt }: { readonly auth: AuthInfo | undefined; readonly exempt: () => void },
  ): Promise<Response> {
    const { method, url, headers, signal } = incoming;
    const version = headers.get('mcp-protocol-version');
    const read = method === 'POST' ? await this.#read(incoming) : { body: undefined, message: undefined };
    if (read instanceof Response) return read;
    const { body, message } = read;
    if (method === 'GET' || isListen(message)) exempt();
    // Receivers look at nothing else of a request whose body was read; a real one would cost more than all of them.
    const request = { method, url: url.href, headers, signal } as Request;
    const { kind } = classifyInboundRequest({
      httpMethod: method,
      ...given('protocolVersionHeader', version),
      ...given('mcpMethodHeader', headers.get('mcp-method')),
      ...given('mcpNameHeader', headers.get('mcp-name')),
      ...(body !== undefined && { body }),
    });
    if (kind === 'legacy' && this.#sessions) return await this.#sessions.answer({ request, body, auth });
    return await this.#modern.answer(request, body, { message, auth });
  }

  /** What a POST brings. Only members that JSON-RPC knows are kept: receivers drop a message with others. */
  async #read({
    headers,
    readBody,
  }: Incoming): Promise<{ readonly body: unknown; readonly message: Envelope | undefined } | Response> {
    const version = headers.get('mcp-protocol-version');
    if (!isJsonContentType(headers.get('content-type'))) {
      return refusal({ status: 415, message: 'The Content-Type must be application/json.' }, version);
    }
    const text = await readBody(this.limits);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      const message = 'Parse error: the body is not valid JSON.';
      return refusal({ status: 400, code: ErrorNumber.Parse, message }, version);
    }
    if (Array.isArray(body)) {
      return { body: body.map((one) => wireOf(readEnvelope(one), one)), message: undefined };
    }
    const message = readEnvelope(body);
    if (message.kind === 'invalid') {
      const { id, problem } = message;
      return refusal({ status: 400, message: `Invalid request: ${problem}.`, id }, version);
    }
    return { body: wireOf(message, body), message };
  }
}

function isListen(message: Envelope | undefined): boolean {
  return message?.kind === 'request' && message.method === 'subscriptions/listen';
}

function wireOf(message: Envelope, body: unknown): unknown {
  if (message.kind !== 'request' && message.kind !== 'notification') return body;
  const { kind: _, ...members } = message;
  return { jsonrpc: '2.0', ...members };
}

function given<K extends string>(key: K, value: string | null): { readonly [key in K]?: string } {
  return (value === null ? {} : { [key]: value }) as { readonly [key in K]?: string };
}

function definedOf(limits: LimitSettings): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
