import {
  type AuthInfo,
  createMcpHandler,
  type JSONRPCMessage,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { createServer, type Served } from '../factory.js';
import { type Envelope, ErrorNumber, isObject } from '../protocol/envelope.js';
import { claimsVersion, findClaimFault } from '../protocol/eras.js';
import { findListenFault, honouring } from '../protocol/listen.js';
import { mayBeSubscribed } from '../requests/subscriptions.js';
import { refusal } from './answers.js';
import type { EventBus } from './events.js';
import { type PutGate, putGate } from './gate.js';
import { findHeaderFault } from './param-headers.js';
import { bounded } from './streams.js';

export interface ModernOptions {
  readonly served: Served;
  readonly bus: EventBus;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly report: (line: string) => void;
}

/** @see MCP 2026-07-28, basic, "Error Codes" */
const headerMismatch = -32020;

/** What the SDK answers when nobody waits any more, whoever has left. */
const gone = 499;

type Request = Extract<Envelope, { kind: 'request' }>;

/**
 * Requests of 2026-07-28: each has a server of its own, so that any process may answer it.
 * @see MCP 2026-07-28, basic/transports/streamable-http
 */
export class Modern {
  readonly #served: Served;
  /** What requests under way ask for. */
  readonly #methods = new WeakMap<globalThis.Request, string>();
  /** Where their servers speak. */
  readonly #gates = new WeakMap<globalThis.Request, PutGate>();
  readonly #handler: McpHttpHandler;

  constructor({ served, bus, maxSubscriptions, keepAliveMs, report }: ModernOptions) {
    this.#served = served;
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
        maxSubscriptions,
        keepAliveMs,
        onerror: (error) => {
          if (isOurs(error)) report(error.stack ?? error.message);
        },
      },
    );
  }

  /** `body` is what was read of a POST, and sound as JSON-RPC. */
  async answer(
    request: globalThis.Request,
    body: unknown,
    { message, auth }: { readonly message: Envelope | undefined; readonly auth: AuthInfo | undefined },
  ): Promise<Response> {
    const fault = message?.kind === 'request' ? this.#findFault(message, request.headers) : undefined;
    if (fault) return fault;
    if (message?.kind === 'request') this.#methods.set(request, message.method);
    const parsedBody = isListen(body)
      ? honouring((uri) => mayBeSubscribed(this.#connection, uri), body as unknown as JSONRPCMessage)
      : body;
    const response = await this.#handler.fetch(request, { parsedBody, ...(auth && { authInfo: auth }) });
    if (response.status === gone && !request.signal.aborted) {
      const id = message?.kind === 'request' ? message.id : undefined;
      return refusal({ status: 503, code: ErrorNumber.Internal, message: 'The server has ended.', id });
    }
    if (!this.#gates.get(request)?.gate()?.refusedMethod) {
      return bounded(response, isListen(body) ? 'end' : 'skip');
    }
    // Handlers answer by names, and the SDK knows only of those that are missing (Protocol Version Header, ibid.).
    return new Response(response.body, { status: 404, headers: response.headers });
  }

  /** Gives open subscriptions their result and aborts what is still running. */
  async close(): Promise<void> {
    await this.#handler.close();
  }

  get #connection() {
    return { calls: this.#served.calls, outstanding: this.#served.outstanding };
  }

  #findFault(message: Request, headers: Headers): Response | undefined {
    const { id, method, params = {} } = message;
    if (method !== 'subscriptions/listen') return this.#findHeaderFault(message, headers);
    // The SDK answers these before any server sees them.
    const fault = claimsVersion(params) && !findClaimFault(params) ? findListenFault(params) : undefined;
    return fault && refusal({ status: 400, ...fault, id });
  }

  /** What is unfit otherwise is for the SDK to refuse. */
  #findHeaderFault({ id, method, params }: Request, headers: Headers): Response | undefined {
    if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
    if (!claimsVersion(params) || findClaimFault(params)) return undefined;
    const tool = this.#served.calls.server.registry.resolve('tools', params.name);
    const fault = tool && findHeaderFault(tool, params.arguments, headers);
    if (!fault) return undefined;
    const { header, problem } = fault;
    const message = `Header mismatch: ${header} ${problem}.`;
    return refusal({ status: 400, code: headerMismatch, message, data: { header }, id });
  }
}

function isListen(body: unknown): boolean {
  return isObject(body) && body.method === 'subscriptions/listen';
}

/** The SDK tells of every request that it refuses, too; those are what clients did wrong. */
function isOurs(error: Error): boolean {
  return (
    !('code' in error) && !/^(Rejected|Unsupported|subscriptions\/listen refused|Missing)/.test(error.message)
  );
}
