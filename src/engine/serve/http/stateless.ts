import {
  type AuthInfo,
  type InboundLegacyRoute,
  type InboundModernRoute,
  PerRequestHTTPServerTransport,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/server';
import { quotaKey } from '../../live/request-keys.js';
import { mayBeSubscribed } from '../../methods/subscriptions.js';
import type { Dispatcher } from '../../protocol/dispatcher.js';
import { type Envelope, ErrorNumber, type MessageId } from '../../protocol/envelope.js';
import { modernBatch, modernVersions } from '../../protocol/eras.js';
import { findParamsFault } from '../../protocol/params.js';
import { grantedFilter } from '../../protocol/subscriptions.js';
import { type ConnectionOptions, createServer, type RunningServer } from '../../server/running-server.js';
import type { EventBus } from './event-bus.js';
import { findArgumentFault, findStandardFault, type HeaderFault } from './mirrored-headers.js';
import { QuotaCounter, type QuotaFault } from './quotas.js';
import type { Refusal, Refuse } from './refusals.js';
import { limitBacklog, onStreamEnd } from './stream-backlog.js';
import { Subscriptions } from './subscriptions.js';
import { cutOff, Gate } from './transport-gate.js';

export interface StatelessOptions {
  readonly served: RunningServer;
  readonly bus: EventBus;
  readonly maxSubscriptions: number;
  readonly maxSubscriptionsPerUser: number;
  readonly keepAliveMs: number;
  readonly report: (line: string) => void;
}

/** A classified request. */
export interface StatelessRequest {
  readonly route: InboundModernRoute;
  readonly message: Envelope | undefined;
  readonly auth: AuthInfo | undefined;
  readonly refuse: Refuse;
}

/** The client has disconnected: this status is never read. */
const clientClosedStatus = 499;

/** @see MCP 2026-07-28, basic, "Error Codes" */
const headerMismatch = -32020;

type Request = Extract<Envelope, { kind: 'request' }>;

/** Requests report no changes: the streams of `subscriptions/listen` do. */
const perRequest: ConnectionOptions = { onChange: () => () => {}, isRemote: true };

/**
 * Answers requests of 2026-07-28, each with a new dispatcher: any process can answer it.
 * @see MCP 2026-07-28, basic/transports/streamable-http
 */
export class StatelessService {
  readonly #options: StatelessOptions;
  readonly #shares: QuotaCounter;
  readonly #subscriptions: Subscriptions;
  /** The dispatchers of requests in flight. */
  readonly #inFlight = new Set<Dispatcher>();

  constructor(options: StatelessOptions) {
    const { bus, maxSubscriptions, maxSubscriptionsPerUser, keepAliveMs } = options;
    this.#options = options;
    this.#shares = new QuotaCounter({ all: maxSubscriptions, perUser: maxSubscriptionsPerUser });
    this.#subscriptions = new Subscriptions({ bus, keepAliveMs });
  }

  async answer(request: globalThis.Request, asked: StatelessRequest): Promise<Response> {
    const { route, message, refuse } = asked;
    const fault =
      findVersionFault(route) ?? (message?.kind === 'request' && this.#findFault(message, request.headers));
    if (fault) return refuse({ status: 400, ...fault });
    // This revision has no notification that a server acts on.
    if (message?.kind !== 'request') return new Response(null, { status: 202 });
    return message.method === 'subscriptions/listen'
      ? this.#subscribe(request, message, asked)
      : await this.#dispatch(request, message, asked);
  }

  /** Sends open subscriptions their result and aborts the requests in flight. */
  async close(): Promise<void> {
    this.#subscriptions.close();
    await Promise.allSettled([...this.#inFlight].map((dispatcher) => dispatcher.close()));
  }

  #subscribe(
    { signal }: globalThis.Request,
    { id, params = {} }: Request,
    { auth, refuse }: StatelessRequest,
  ): Response {
    const release = this.#shares.take(quotaKey(auth));
    if (typeof release === 'string') return refuse(tooManySubscriptions[release]);
    const { served } = this.#options;
    const { capabilities, serverInfo } = createServer(served, 'modern', perRequest);
    const isSubscribable = (uri: string) => mayBeSubscribed(served.live, uri);
    const filter = grantedFilter(params, { capabilities, isSubscribable });
    const stream = this.#subscriptions.open({ id, filter, serverInfo, signal });
    const { resourceSubscriptions = [] } = filter;
    const held = resourceSubscriptions.flatMap((uri) => served.live.upstreams?.subscribe?.(uri) ?? []);
    return onStreamEnd(limitBacklog(stream, 'end'), () => {
      release();
      for (const one of held) one();
    });
  }

  async #dispatch(
    request: globalThis.Request,
    { id }: Request,
    { route, auth, refuse }: StatelessRequest,
  ): Promise<Response> {
    const { served, keepAliveMs, report } = this.#options;
    const dispatcher = createServer(served, 'modern', perRequest);
    const transport = new PerRequestHTTPServerTransport({
      classification: route.classification,
      keepAliveMs,
    });
    const gate = new Gate(transport, 'modern');
    gate.onerror = (error) => report(error.stack ?? error.message);
    gate.onclose = () => void this.#inFlight.delete(dispatcher);
    await dispatcher.connect(gate);
    this.#inFlight.add(dispatcher);
    try {
      const extra = { request, ...(auth && { authInfo: auth }) };
      const response = await transport.handleMessage(route.message, extra);
      if (!gate.refusedMethod) {
        return limitBacklog(response, 'skip', () => (gate.isOpen(id) ? lastWords(id) : undefined));
      }
      // The transport sends 404 only for methods that its own check refuses, not for an error of the dispatcher
      // (Protocol Version Header, ibid.).
      return new Response(response.body, { status: 404, headers: response.headers });
    } catch (error) {
      await dispatcher.close();
      if (!(error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)) throw error;
      if (request.signal.aborted) return new Response(null, { status: clientClosedStatus });
      return refuse({ status: 503, code: ErrorNumber.Internal, message: 'The server has ended.' });
    }
  }

  #findFault(message: Request, headers: Headers): RefusalDetails | undefined {
    const fault = findStandardFault(message, headers);
    if (fault) return mismatch(fault);
    const { method, params = {} } = message;
    // It has no dispatcher. The gate checks the params of all other methods.
    if (method === 'subscriptions/listen') return findParamsFault('modern', method, params);
    if (method !== 'tools/call' || typeof params.name !== 'string') return undefined;
    const tool = this.#options.served.live.current.registry.resolve('tools', params.name);
    const differing = tool && findArgumentFault(tool, params.arguments, headers);
    return differing && mismatch(differing);
  }
}

/** Final error response of a stream, for which the client would otherwise wait. */
function lastWords(id: MessageId): Uint8Array {
  const answer = JSON.stringify({ jsonrpc: '2.0', id, error: cutOff });
  return new TextEncoder().encode(`event: message\ndata: ${answer}\n\n`);
}

type RefusalDetails = Pick<Refusal, 'message' | 'code' | 'data'>;

const later = { code: ErrorNumber.Internal, headers: { 'Retry-After': '30' } };

const tooManySubscriptions: Readonly<Record<QuotaFault, Refusal>> = {
  all: {
    ...later,
    status: 503,
    message: 'There are as many subscriptions as are served. Try again later.',
  },
  user: {
    ...later,
    status: 429,
    message: 'You have as many subscriptions as one user may have. Try again later.',
  },
};

function findVersionFault({ classification: { revision } }: InboundModernRoute): RefusalDetails | undefined {
  if (modernVersions.some((served) => served === revision)) return undefined;
  return unsupportedVersionFault(revision);
}

function unsupportedVersionFault(requested: string | undefined): RefusalDetails {
  const supported = modernVersions;
  return {
    code: ErrorNumber.UnsupportedVersion,
    message: `Unsupported protocol version${requested === undefined ? '' : `: ${requested}`}. Served here: ${supported.join(', ')}.`,
    data: { supported, ...(requested !== undefined && { requested }) },
  };
}

function mismatch({ header, problem }: HeaderFault): RefusalDetails {
  return { code: headerMismatch, message: `Header mismatch: ${header} ${problem}.`, data: { header } };
}

/**
 * Refusal of a request that needs a session, for a server without sessions.
 * @see Earlier Streamable HTTP Revisions and Protocol Version Header, ibid.
 */
export function refuseLegacy({ reason, requestedVersion }: InboundLegacyRoute): Refusal {
  const status = 400;
  if (reason === 'batch') return { status, message: `Invalid request: ${modernBatch}.` };
  if (reason === 'response')
    return { status, message: 'Invalid request: nothing was asked that this answers.' };
  if (reason === 'initialize' || requestedVersion !== undefined)
    return { status, ...unsupportedVersionFault(requestedVersion) };
  const header = 'MCP-Protocol-Version';
  return {
    status,
    ...mismatch({ header, problem: `is missing. Served here: ${modernVersions.join(', ')}` }),
  };
}
