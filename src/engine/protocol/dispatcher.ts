import type {
  AuthInfo,
  JSONRPCMessage,
  MessageExtraInfo,
  ServerCapabilities,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { settleAfter } from '../base/deferred.js';
import { InFlightMap } from '../base/in-flight-map.js';
import { describeThrown } from '../base/line-reporter.js';
import { isRecord } from '../base/value-checks.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { type ErrorBody, ErrorNumber, type JsonObject, type MessageId } from './envelope.js';
import { type Era, legacyVersions, metaKey, modernVersions, negotiate } from './eras.js';
import { findParamsFault } from './params.js';
import {
  type ClientIdentity,
  type ClientRequestLimits,
  type OutboundMessage,
  type Peer,
  type RequestContext,
  RequestTimeoutError,
} from './request.js';
import { type CacheHints, modernResult } from './results.js';
import {
  acknowledgment,
  endOfSubscription,
  eventListKind,
  grantedFilter,
  listChanged,
  reports,
  type ServerEvent,
  type SubscriptionFilter,
  subscriptionLimit,
  toNotification,
} from './subscriptions.js';

/** Answers one method. @throws ProtocolError; any other error is a bug and is reported */
export type RequestHandler = (
  params: JsonObject,
  request: RequestContext,
) => Promise<JsonObject> | JsonObject;

export interface DispatcherOptions {
  readonly era: Era;
  /** Sent as serverInfo. */
  readonly info: JsonObject;
  /** Returns the present instructions for a client by its name (`clientInfo.name`). */
  readonly instructions?: (clientName: unknown) => string | Promise<string> | undefined;
  /** Waits for the instructions, before `server/discover` is answered. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** Holds a resource that a client of 2026-07-28 has subscribed to. Returns the function that releases it. */
  readonly hold?: (uri: string) => (() => void) | undefined;
  /** The server's capabilities for a client with these; `undefined` before the client has introduced itself. */
  readonly capabilities: (client: unknown) => ServerCapabilities;
  /** The handler of a method; undefined: method not found. */
  readonly handlerOf: (method: string) => RequestHandler | undefined;
  /** Cache lifetime and scope of results, by method; 2026-07-28 only. */
  readonly cacheHints?: CacheHints | undefined;
  /** True if clients may subscribe to a resource; 2026-07-28 only. */
  readonly isSubscribable?: (uri: string) => boolean;
  /** True if the client has subscribed to a resource; up to 2025-11-25 only. */
  readonly isSubscribed?: (uri: string) => boolean;
  /** Handles notifications that the dispatcher does not handle itself, by method; up to 2025-11-25 only. */
  readonly onNotification?: Readonly<Partial<Record<string, () => void>>>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Most subscriptions of one connection. */
const maxSubscriptions = 1024;

/**
 * Answers the messages of one connection in one era: the handshake, `ping`, `server/discover` and subscriptions itself,
 * every other request by its handler. Owns the requests in flight in both directions, and cancellation.
 * @see MCP basic; basic/lifecycle; basic/utilities/cancellation; 2026-07-28 basic/patterns/subscriptions
 */
export class Dispatcher implements Peer {
  onclose?: () => void;
  client: ClientIdentity | undefined;
  version: string | undefined;
  readonly #options: DispatcherOptions;
  readonly #inFlight = new InFlightMap<MessageId, DispatchedRequest>();
  /** Requests of the server that the client has not answered. */
  readonly #asked = new Map<number, PendingClientRequest>();
  readonly #subscriptions = new Map<MessageId, SubscriptionFilter>();
  /** Functions that release the resources of subscriptions. */
  readonly #held = new Map<MessageId, readonly (() => void)[]>();
  #transport: Transport | undefined;
  #lastAsked = -1;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.version = options.era === 'modern' ? modernVersions[0] : undefined;
  }

  get capabilities(): ServerCapabilities {
    return this.#options.capabilities(this.client?.capabilities);
  }

  get serverInfo(): JsonObject {
    return this.#options.info;
  }

  /** Serves over a transport, until either side closes. */
  async connect(transport: Transport): Promise<void> {
    if (this.#transport) throw new Error('This dispatcher is connected already.');
    this.#transport = transport;
    transport.onmessage = (message, extra) => this.#receive(message, extra);
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      this.#end();
    };
    transport.setSupportedProtocolVersions?.([...legacyVersions]);
    await transport.start();
  }

  /** Sends open subscriptions their result, aborts the requests in flight, and closes the transport. */
  async close(): Promise<void> {
    for (const id of this.#subscriptions.keys()) {
      await this.#write(endOfSubscription(id, this.#options.info));
    }
    this.#subscriptions.clear();
    await this.#transport?.close();
  }

  /**
   * Notifies the client of a change. On 2026-07-28: if it subscribed. Before: of a list if the server declared
   * `listChanged`, of a resource if the client subscribed.
   */
  notifyChange(change: ServerEvent): void {
    if (this.#options.era === 'modern') {
      this.#notifySubscribers(change);
      return;
    }
    if (change.kind === 'resource_updated') {
      const { uri } = change;
      if (!this.#options.isSubscribed?.(uri)) return;
      void this.#write({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
      return;
    }
    const kind = eventListKind(change)!;
    const isPromised = this.capabilities[kind]?.listChanged === true;
    if (this.client && isPromised) void this.#write({ jsonrpc: '2.0', method: listChanged[kind] });
  }

  /** Sends the client a request. @throws RequestTimeoutError, ProtocolError for an error of the client */
  ask(
    { method, params }: OutboundMessage,
    { signal, timeoutMs }: Partial<ClientRequestLimits> = {},
    relatedRequestId?: MessageId,
  ): Promise<JsonObject> {
    const related = relatedRequestId === undefined ? undefined : { relatedRequestId };
    return new Promise((resolve, reject) => {
      if (!this.#transport) throw new Error('The connection is closed.');
      if (signal?.aborted) throw toError(signal.reason);
      this.#lastAsked += 1;
      const id = this.#lastAsked;
      const settle = () => {
        this.#asked.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const withdraw = (reason: unknown) => {
        settle();
        const told = { requestId: id, reason: toError(reason).message };
        void this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: told }, related);
        reject(toError(reason));
      };
      const abort = () => withdraw(signal?.reason);
      const late = () => withdraw(new RequestTimeoutError('The request was not answered in time.'));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#asked.set(id, settleAfter(settle, { resolve, reject }));
      const request = { jsonrpc: '2.0', id, method, ...(params && { params }) } as JSONRPCMessage;
      this.#transport.send(request, related).catch((error: unknown) => {
        settle();
        reject(error);
      });
    });
  }

  /** Sends a notification. Rejects if it cannot be written. */
  async notify({ method, params }: OutboundMessage, relatedRequestId: MessageId): Promise<void> {
    const notification = { jsonrpc: '2.0', method, ...(params && { params }) } as JSONRPCMessage;
    await this.#transport?.send(notification, { relatedRequestId });
  }

  /** Sends a notification that belongs to no request. Never rejects. */
  async tell({ method, params }: OutboundMessage): Promise<void> {
    if (this.client) await this.#write({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (!('method' in message)) this.#settle(message as unknown as JsonObject);
    else if ('id' in message) void this.#serve(message.id, message.method, message.params, extra);
    else this.#take(message.method, message.params);
  }

  async #serve(
    id: MessageId,
    method: string,
    params: JsonObject = {},
    extra: MessageExtraInfo | undefined,
  ): Promise<void> {
    const handler = this.#ownHandlerOf(method) ?? this.#options.handlerOf(method);
    if (!handler) {
      await this.#write({ jsonrpc: '2.0', id, error: methodNotFoundError });
      return;
    }
    const request = new DispatchedRequest(this, { id, method, params, extra });
    this.#inFlight.set(id, request);
    let answer: { readonly result: JsonObject } | { readonly error: ErrorBody } | undefined;
    try {
      const result = await handler(params, request);
      answer = result === noResponse ? undefined : { result: this.#stamped(method, result) };
    } catch (error) {
      answer = { error: this.#errorBody(error) };
    }
    if (this.#inFlight.get(id) === request) this.#inFlight.delete(id);
    if (answer && !request.isOver) await this.#write({ jsonrpc: '2.0', id, ...answer });
  }

  #stamped(method: string, result: JsonObject): JsonObject {
    const { era, info: serverInfo, cacheHints = {} } = this.#options;
    return era === 'modern' ? modernResult(method, result, { serverInfo, cacheHints }) : result;
  }

  #errorBody(error: unknown): ErrorBody {
    if (error instanceof ProtocolError) {
      const { code, message, data } = error;
      return { code, message, ...(data !== undefined && { data }) };
    }
    this.#options.report(describeThrown(error));
    return { code: ErrorNumber.Internal, message: 'Internal error' };
  }

  /** Handlers of methods that need no item of the server. */
  #ownHandlerOf(method: string): RequestHandler | undefined {
    if (this.#options.era === 'legacy') {
      if (method === 'initialize') return (params) => this.#initialize(params);
      return method === 'ping' ? () => ({}) : undefined;
    }
    if (method === 'server/discover') return (_, request) => this.#discover(request);
    return method === 'subscriptions/listen'
      ? (params, request) => this.#subscribe(params, request)
      : undefined;
  }

  /** Answers at once where it can: requests that follow without a wait are then answered after it. */
  #initialize({ protocolVersion, capabilities, clientInfo }: JsonObject): JsonObject | Promise<JsonObject> {
    this.client = { info: clientInfo, capabilities };
    const version = negotiate(protocolVersion);
    this.version = version;
    this.#transport?.setProtocolVersion?.(version);
    const answer = (instructions: string | undefined) => ({
      protocolVersion: version,
      capabilities: this.capabilities,
      serverInfo: this.#options.info,
      ...(instructions !== undefined && { instructions }),
    });
    const instructions = this.#instructions(clientInfo);
    return instructions instanceof Promise ? instructions.then(answer) : answer(instructions);
  }

  async #discover({ meta, signal }: RequestContext): Promise<JsonObject> {
    await this.#options.ready?.(signal);
    const instructions = await this.#instructions(meta?.[metaKey.clientInfo]);
    return {
      supportedVersions: modernVersions,
      capabilities: this.#options.capabilities(meta?.[metaKey.clientCapabilities]),
      ...(instructions !== undefined && { instructions }),
    };
  }

  #instructions(client: unknown) {
    return this.#options.instructions?.(isRecord(client) ? client.name : undefined);
  }

  #subscribe(params: JsonObject, { id, method }: RequestContext): JsonObject {
    const fault = findParamsFault('modern', method, params);
    if (fault) throw new ProtocolError(fault.code, fault.message, fault.data);
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw new ProtocolError(subscriptionLimit.code, subscriptionLimit.message);
    }
    const { isSubscribable = () => false } = this.#options;
    const filter = grantedFilter(params, { capabilities: this.capabilities, isSubscribable });
    this.#subscriptions.set(id, filter);
    const { hold } = this.#options;
    if (hold)
      this.#held.set(
        id,
        (filter.resourceSubscriptions ?? []).flatMap((uri) => hold(uri) ?? []),
      );
    void this.#write(acknowledgment(id, filter));
    return noResponse;
  }

  #notifySubscribers(event: ServerEvent): void {
    for (const [id, filter] of this.#subscriptions) {
      if (reports(filter, event)) void this.#write(toNotification(id, event));
    }
  }

  #take(method: string, params: JsonObject | undefined): void {
    if (method === 'notifications/cancelled') {
      const id = params?.requestId as MessageId;
      if (!this.#subscriptions.delete(id)) this.#inFlight.get(id)?.abort(params?.reason);
      this.#release(id);
      return;
    }
    const { era, onNotification = {} } = this.#options;
    if (era === 'legacy' && Object.hasOwn(onNotification, method)) onNotification[method]?.();
  }

  #release(id: MessageId): void {
    for (const release of this.#held.get(id) ?? []) release();
    this.#held.delete(id);
  }

  #settle({ id, result, error }: JsonObject): void {
    // An empty id would otherwise count as 0, the id of the first request.
    const asked = id === '' ? undefined : this.#asked.get(Number(id));
    if (isRecord(error)) {
      asked?.reject(new ProtocolError(Number(error.code), String(error.message), error.data));
    } else asked?.resolve(isRecord(result) ? result : {});
  }

  /** Sends a message. Never rejects: the transport reports a message that cannot be written. */
  async #write(message: object, options?: TransportSendOptions): Promise<void> {
    await this.#transport?.send(message as JSONRPCMessage, options).catch(() => {});
  }

  #end(): void {
    const closed = new Error('The connection is closed.');
    this.#transport = undefined;
    this.onclose?.();
    for (const asked of [...this.#asked.values()]) asked.reject(closed);
    for (const request of this.#inFlight.values()) request.abort(closed);
    this.#inFlight.clear();
    for (const id of [...this.#held.keys()]) this.#release(id);
  }
}

/** Result of a handler that leaves its request open until the connection ends. */
const noResponse: JsonObject = {};

const methodNotFoundError = { code: -32601, message: 'Method not found' } as const;

interface PendingClientRequest {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

interface ReceivedRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject;
  readonly extra: MessageExtraInfo | undefined;
}

/** An unanswered request of the client. */
class DispatchedRequest implements RequestContext {
  readonly id: MessageId;
  readonly method: string;
  isOver = false;
  lastProgress: number | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #params: JsonObject;
  readonly #extra: MessageExtraInfo | undefined;
  #reason: unknown;
  #onAbort: ((reason: unknown) => void) | undefined;
  #controller: AbortController | undefined;

  constructor(dispatcher: Dispatcher, { id, method, params, extra }: ReceivedRequest) {
    this.id = id;
    this.method = method;
    this.#dispatcher = dispatcher;
    this.#params = params;
    this.#extra = extra;
  }

  get meta(): JsonObject | undefined {
    const { _meta } = this.#params;
    return isRecord(_meta) ? _meta : undefined;
  }

  /** Created on first access: most requests end before anything listens. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.isOver) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    if (this.isOver) listener(this.#reason);
    else this.#onAbort = listener;
  }

  get inputResponses(): JsonObject | undefined {
    const { inputResponses } = this.#params;
    return inputResponses === undefined ? undefined : responsesIn(inputResponses);
  }

  get requestState(): unknown {
    return this.#params.requestState;
  }

  get auth(): AuthInfo | undefined {
    return this.#extra?.authInfo;
  }

  notify(notification: OutboundMessage): Promise<void> {
    const { method, params } = notification;
    if (method === 'notifications/progress') {
      const { progress } = params ?? {};
      if (typeof progress !== 'number' || progress <= (this.lastProgress ?? Number.NEGATIVE_INFINITY))
        return Promise.resolve();
      this.lastProgress = progress;
    }
    return this.#dispatcher.notify(notification, this.id);
  }

  ask(request: OutboundMessage, limits: ClientRequestLimits): Promise<JsonObject> {
    return this.#dispatcher.ask(request, limits, this.id);
  }

  closeStream(): void {
    this.#extra?.closeSSEStream?.();
  }

  abort(reason: unknown): void {
    this.isOver = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#onAbort?.(reason);
    this.#onAbort = undefined;
  }
}

/** Keeps plain results. Drops entries that are not objects, or have `method` or `result`. */
function responsesIn(inputResponses: unknown): JsonObject {
  const entries = isRecord(inputResponses) ? Object.entries(inputResponses) : [];
  return Object.fromEntries(
    entries.filter(([, entry]) => isRecord(entry) && !('method' in entry) && !('result' in entry)),
  );
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
