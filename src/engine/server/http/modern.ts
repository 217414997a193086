import {
  type AuthInfo,
  createMcpHandler,
  type InboundLegacyRoute,
  type InboundModernRoute,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { createServer, type Served } from '../factory.js';
import { userOf } from '../owner.js';
import { type Envelope, ErrorNumber, type MessageId } from '../protocol/envelope.js';
import { modernBatch, modernVersions } from '../protocol/eras.js';
import { honouring } from '../protocol/listen.js';
import { findParamsFault } from '../protocol/params.js';
import { mayBeSubscribed } from '../requests/subscriptions.js';
import type { Refusal, Refuse } from './answers.js';
import type { EventBus } from './events.js';
import { cutOff, type PutGate, putGate } from './gate.js';
import { findArgumentFault, findStandardFault, type HeaderFault } from './mirrored-headers.js';
import { Shares, type Shortage } from './shares.js';
import { bounded, whenDone } from './streams.js';

export interface ModernOptions {
  readonly served: Served;
  readonly bus: EventBus;
  readonly maxSubscriptions: number;
  readonly maxSubscriptionsPerUser: number;
  readonly keepAliveMs: number;
  readonly report: (line: string) => void;
}

/** A request as what it was judged to be. */
export interface ModernRequest {
  readonly route: InboundModernRoute;
  readonly message: Envelope | undefined;
  readonly auth: AuthInfo | undefined;
  readonly refuse: Refuse;
}

/** @see MCP 2026-07-28, basic, "Error Codes" */
const headerMismatch = -32020;

/** What the SDK answers when nobody waits any more, whoever has left. */
const gone = 499;

type Request = Extract<Envelope, { kind: 'request' }>;

/**
 * Requests of 2026-07-28: each has a server of its own, so that any process may answer it. What is unfit is refused here,
 * so what the SDK reports is what went wrong on our side.
 * @see MCP 2026-07-28, basic/transports/streamable-http
 */
export class Modern {
  readonly #options: ModernOptions;
  /** What requests under way ask for. */
  readonly #methods = new WeakMap<globalThis.Request, string>();
  /** Where their servers speak. */
  readonly #gates = new WeakMap<globalThis.Request, PutGate>();
  readonly #subscriptions: Shares;
  readonly #handler: McpHttpHandler;

  constructor(options: ModernOptions) {
    const { served, bus, maxSubscriptions, maxSubscriptionsPerUser, keepAliveMs, report } = options;
    this.#options = options;
    this.#subscriptions = new Shares({ all: maxSubscriptions, perUser: maxSubscriptionsPerUser });
    this.#handler = createMcpHandler(
      ({ requestInfo }) => {
        const server = createServer(served, 'modern', requestInfo && this.#methods.get(requestInfo));
        const gate = putGate(server, 'modern');
        if (requestInfo) this.#gates.set(requestInfo, gate);
        return server;
      },
      {
        legacy: 'reject',
        bus,
        maxSubscriptions: Number.POSITIVE_INFINITY,
        keepAliveMs,
        onerror: (error) => report(error.stack ?? error.message),
      },
    );
  }

  async answer(
    request: globalThis.Request,
    { route, message, auth, refuse }: ModernRequest,
  ): Promise<Response> {
    const fault =
      findVersionFault(route) ?? (message?.kind === 'request' && this.#findFault(message, request.headers));
    if (fault) return refuse({ status: 400, ...fault });
    // This revision has no notifications that a server could do anything about.
    if (message?.kind !== 'request') return new Response(null, { status: 202 });
    this.#methods.set(request, message.method);
    const authInfo = auth && { authInfo: auth };
    if (message.method === 'subscriptions/listen') {
      const release = this.#subscriptions.take(userOf(auth));
      if (typeof release === 'string') return refuse(tooManySubscriptions[release]);
      const parsedBody = honouring((uri) => mayBeSubscribed(this.#connection, uri), route.message);
      const stream = await this.#handler.fetch(request, { parsedBody, ...authInfo });
      return whenDone(bounded(stream, 'end'), release);
    }
    const response = await this.#handler.fetch(request, { parsedBody: route.message, ...authInfo });
    if (response.status === gone && !request.signal.aborted) {
      return refuse({ status: 503, code: ErrorNumber.Internal, message: 'The server has ended.' });
    }
    const gate = this.#gates.get(request)?.gate();
    if (!gate?.refusedMethod) {
      return bounded(response, 'skip', () => (gate?.isOpen(message.id) ? lastWords(message.id) : undefined));
    }
    // Handlers answer by names, and the SDK knows only of those that are missing (Protocol Version Header, ibid.).
    return new Response(response.body, { status: 404, headers: response.headers });
  }

  /** Gives open subscriptions their result and aborts what is still running. */
  async close(): Promise<void> {
    await this.#handler.close();
  }

  get #connection() {
    const { calls, outstanding } = this.#options.served;
    return { calls, outstanding };
  }

  #findFault(message: Request, headers: Headers): Fault | undefined {
    const fault = findStandardFault(message, headers);
    if (fault) return mismatch(fault);
    const { method, params = {} } = message;
    // The SDK answers it without a server, before whose gate the params of all others are looked at.
    if (method === 'subscriptions/listen') return findParamsFault('modern', method, params);
    if (method !== 'tools/call' || typeof params.name !== 'string') return undefined;
    const tool = this.#options.served.calls.server.registry.resolve('tools', params.name);
    const differing = tool && findArgumentFault(tool, params.arguments, headers);
    return differing && mismatch(differing);
  }
}

/** The end of a stream that has none, which clients would go on waiting for. */
function lastWords(id: MessageId): Uint8Array {
  const answer = JSON.stringify({ jsonrpc: '2.0', id, error: cutOff });
  return new TextEncoder().encode(`event: message\ndata: ${answer}\n\n`);
}

type Fault = Pick<Refusal, 'message' | 'code' | 'data'>;

const later = { code: ErrorNumber.Internal, headers: { 'Retry-After': '30' } };

const tooManySubscriptions: Readonly<Record<Shortage, Refusal>> = {
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

function findVersionFault({ classification: { revision } }: InboundModernRoute): Fault | undefined {
  if (modernVersions.some((served) => served === revision)) return undefined;
  return unsupported(revision);
}

function unsupported(requested: string | undefined): Fault {
  const supported = modernVersions;
  return {
    code: ErrorNumber.UnsupportedVersion,
    message: `Unsupported protocol version${requested === undefined ? '' : `: ${requested}`}. Served here: ${supported.join(', ')}.`,
    data: { supported, ...(requested !== undefined && { requested }) },
  };
}

function mismatch({ header, problem }: HeaderFault): Fault {
  return { code: headerMismatch, message: `Header mismatch: ${header} ${problem}.`, data: { header } };
}

/**
 * What a server without sessions says to what would need one.
 * @see Earlier Streamable HTTP Revisions and Protocol Version Header, ibid.
 */
export function refuseLegacy({ reason, requestedVersion }: InboundLegacyRoute): Refusal {
  const status = 400;
  if (reason === 'batch') return { status, message: `Invalid request: ${modernBatch}.` };
  if (reason === 'response')
    return { status, message: 'Invalid request: nothing was asked that this answers.' };
  if (reason === 'initialize' || requestedVersion !== undefined)
    return { status, ...unsupported(requestedVersion) };
  const header = 'MCP-Protocol-Version';
  return {
    status,
    ...mismatch({ header, problem: `is missing. Served here: ${modernVersions.join(', ')}` }),
  };
}
