import { type AuthInfo, classifyInboundRequest } from '@modelcontextprotocol/server';
import { describeThrown } from '../../base/line-reporter.js';
import { ChangeNotifier } from '../../live/change-notifier.js';
import { type Envelope, ErrorNumber, type MessageId } from '../../protocol/envelope.js';
import { createServer, type RunningServer } from '../../server/running-server.js';
import { authenticate, type TokenVerifier } from './auth.js';
import { BodyError, type BodyLimits } from './body.js';
import { type EventBus, guardedBus, memoryBus } from './event-bus.js';
import { AnswerTimeoutError, InFlightHttp, type RequestTimer, type TimeLimits } from './in-flight.js';
import { OriginGuard, type OriginGuardOptions } from './origin-guard.js';
import { type IncomingRequest, type ParsedRequest, readIncoming } from './read-request.js';
import { createRefusal, type Refusal, type Refuse } from './refusals.js';
import { type SessionLimits, Sessions } from './sessions.js';
import { refuseLegacy, StatelessService } from './stateless.js';

/** Limits of sizes, counts and times. */
export interface Limits extends BodyLimits, SessionLimits, TimeLimits {
  /** Most open subscriptions. */
  readonly maxSubscriptions: number;
  /** Most open subscriptions of one user, if tokens identify users. */
  readonly maxSubscriptionsPerUser: number;
}

/** Limits to change; undefined: default. */
export type LimitSettings = { readonly [K in keyof Limits]?: Limits[K] | undefined };

const minute = 60_000;

const defaultLimits: Limits = {
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 60 * minute,
  maxSessions: 1000,
  maxSessionsPerUser: 100,
  sessionIdleMs: 30 * minute,
  maxSubscriptions: 1024,
  maxSubscriptionsPerUser: 100,
  keepAliveMs: 15_000,
};

export interface ServiceOptions extends OriginGuardOptions {
  readonly served: RunningServer;
  /** Verifies tokens. Default: every client is accepted. */
  readonly authority?: TokenVerifier | undefined;
  /** The only path of MCP. Default: every path. */
  readonly path?: string | undefined;
  /** True to serve clients up to 2025-11-25, which need sessions. Default: true. */
  readonly hasSessions?: boolean | undefined;
  readonly bus?: EventBus | undefined;
  readonly limits?: LimitSettings | undefined;
  readonly report: (line: string) => void;
}

/** The facts of a request that refusals need, set as it is read. */
interface ParsedEnvelope {
  /** Revision of the client. */
  version: string | null | undefined;
  id: MessageId | undefined;
}

/** Serves a composed server over HTTP, in both eras and on any platform. */
export class Service {
  readonly limits: Limits;
  readonly #options: ServiceOptions;
  readonly #admission: OriginGuard;
  readonly #modern: StatelessService;
  readonly #sessions: Sessions | undefined;
  #isDraining = false;
  #isClosed = false;
  readonly #underWay: InFlightHttp;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(options: ServiceOptions) {
    const { served, report, hasSessions = true } = options;
    const bus = guardedBus(options.bus ?? memoryBus(), report);
    this.#options = options;
    this.limits = { ...defaultLimits, ...omitUndefined(options.limits ?? {}) };
    this.#admission = new OriginGuard(options);
    this.#underWay = new InFlightHttp(this.limits);
    // Changes go over the bus, also back to this process.
    const { onChange, announce } = new ChangeNotifier();
    this.#unsubscribe = [bus.subscribe(announce), served.live.onChange((change) => bus.publish(change))];
    this.#modern = new StatelessService({ ...this.limits, served, bus, report });
    const makeServer = () => createServer(served, 'legacy', { onChange, isRemote: true });
    this.#sessions = hasSessions ? new Sessions({ ...this.limits, createServer: makeServer }) : undefined;
  }

  async answer(incoming: IncomingRequest): Promise<Response> {
    const { method, url, headers } = incoming;
    if (url.pathname === '/healthz') return await this.#health();
    const refused = this.#admission.check(method, url, headers);
    if (refused) return refused;
    const asked: ParsedEnvelope = { version: headers.get('mcp-protocol-version'), id: undefined };
    const refuse = (told: Refusal) => createRefusal({ ...told, id: told.id ?? asked.id }, asked.version);
    const response = await this.#answer(incoming, asked, refuse).catch((error: unknown) =>
      this.#explain(error, refuse),
    );
    return this.#admission.open(response, headers);
  }

  /** Waits for requests in flight, at most `limitMs`, then ends the rest. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    await Promise.all([this.#underWay.wait(limitMs), this.#endTasks(limitMs)]);
    await this.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#modern.close(), this.#sessions?.close(), this.#endTasks(0)]);
    // Final messages may still be on their way to slow readers. Nothing waits for them.
    this.#underWay.settle();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  /** Cancels tasks, since no client can fetch their results any more, and waits for their handlers. */
  async #endTasks(limitMs: number): Promise<void> {
    const { live, host } = this.#options.served;
    const { calls } = live;
    if (!calls.server.registry.all('tools').some(({ task }) => task)) return;
    if (host) {
      await host.endTasks(limitMs);
      return;
    }
    const { serverTasks } = await import('../../tasks/tasks.js');
    await serverTasks(calls).end(limitMs);
  }

  async #answer(incoming: IncomingRequest, asked: ParsedEnvelope, refuse: Refuse): Promise<Response> {
    const { method, url, headers } = incoming;
    const { authority, path } = this.#options;
    const metadata = authority?.metadata?.(url);
    if (metadata) return metadata;
    if (path !== undefined && url.pathname !== path) {
      return refuse({ status: 404, message: `There is nothing at ${url.pathname}. MCP is at ${path}.` });
    }
    // Only sessions have other methods than POST.
    const methods = this.#sessions ? ['GET', 'POST', 'DELETE'] : ['POST'];
    if (!methods.includes(method)) {
      const message = `${method} is not one of MCP's methods here.`;
      // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
      return refuse({ status: 405, message, headers: { Allow: methods.join(', ') } });
    }
    const auth = authority && (await authenticate(headers, authority));
    if (auth instanceof Response) return auth;
    const ended: Refusal = { status: 503, message: 'This server has ended.' };
    if (this.#isClosed) return refuse(ended);
    const session = this.#sessions?.find(headers, auth);
    if (session) asked.version = session.version;
    const serve = async ({ signal, exempt }: RequestTimer) => {
      const read = await readIncoming(incoming, { limits: this.limits, refuse });
      if (read instanceof Response) return read;
      const { message } = read;
      if (message?.kind === 'request') asked.id = message.id;
      // "A JSON-RPC error response that has no id", in each revision (Sending Messages to the Server).
      else if (message) asked.version = undefined;
      if (this.#isClosed) return refuse(ended);
      if (method === 'GET' || isListen(message)) exempt();
      return await this.#serve({ ...incoming, signal }, { ...read, auth, refuse });
    };
    return await this.#underWay.run(incoming.signal, serve);
  }

  /** Returns the response to a request that failed. */
  #explain(error: unknown, refuse: Refuse): Response {
    if (error instanceof BodyError) {
      const { status, message } = error;
      // The rest of the body is not read.
      const headers = { Connection: 'close' };
      return refuse({ status, message, headers, ...(status === 400 && { code: ErrorNumber.Parse }) });
    }
    const code = ErrorNumber.Internal;
    if (error instanceof AnswerTimeoutError) return refuse({ status: 504, code, message: error.message });
    this.#options.report(describeThrown(error));
    return refuse({ status: 500, code, message: 'Internal error.' });
  }

  async #health(): Promise<Response> {
    if (this.#isDraining) return Response.json({ status: 'draining' }, { status: 503 });
    const isWell = (await this.#options.served.host?.isWell()) ?? true;
    return Response.json({ status: isWell ? 'ok' : 'unresponsive' }, { status: isWell ? 200 : 503 });
  }

  async #serve(
    { method, url, headers, signal }: IncomingRequest,
    read: AuthenticatedRequest,
  ): Promise<Response> {
    const { body, message, auth, refuse } = read;
    // Receivers use no other members, since the body is read. A real Request would cost more than all of them.
    const request = { method, url: url.href, headers, signal } as Request;
    const route = classifyInboundRequest({
      httpMethod: method,
      ...optionalEntry('protocolVersionHeader', headers.get('mcp-protocol-version')),
      ...optionalEntry('mcpMethodHeader', headers.get('mcp-method')),
      ...optionalEntry('mcpNameHeader', headers.get('mcp-name')),
      ...(body !== undefined && { body }),
    });
    if (route.kind === 'reject') {
      const { httpStatus: status, code, message, data } = route;
      return refuse({ status, code, message, data });
    }
    if (route.kind === 'modern') {
      return await this.#modern.answer(request, { route, message, auth, refuse });
    }
    if (!this.#sessions) return refuse(refuseLegacy(route));
    return await this.#sessions.answer({ request, body, auth, refuse });
  }
}

/** A parsed request of an accepted client. */
interface AuthenticatedRequest extends ParsedRequest {
  readonly auth: AuthInfo | undefined;
  readonly refuse: Refuse;
}

function isListen(message: Envelope | undefined): boolean {
  return message?.kind === 'request' && message.method === 'subscriptions/listen';
}

function optionalEntry<K extends string>(key: K, value: string | null): { readonly [key in K]?: string } {
  return (value === null ? {} : { [key]: value }) as { readonly [key in K]?: string };
}

function omitUndefined(limits: LimitSettings): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
