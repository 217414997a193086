import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describeThrown } from '../../base/line-reporter.js';
import { isRecord } from '../../base/value-checks.js';
import type { Dispatcher } from '../../protocol/dispatcher.js';
import {
  type Envelope,
  type ErrorBody,
  ErrorNumber,
  isMessageId,
  type JsonObject,
  type MessageId,
  readEnvelope,
  takenId,
  toMessage,
} from '../../protocol/envelope.js';
import {
  claimsVersion,
  type Era,
  errorId,
  findBatchFault,
  findClaimFault,
  isHandshake,
  type LegacyVersion,
  modernBatch,
  modernVersions,
  negotiate,
} from '../../protocol/eras.js';
import { clientGone } from '../../protocol/errors.js';
import { isTooDeep, withoutDepths } from '../../protocol/message-depth.js';
import { findParamsFault } from '../../protocol/params.js';
import { Batch } from './batch.js';
import { type InFlightRequest, InFlightRequests } from './in-flight-requests.js';
import type { LineWriter, OutgoingMessage } from './line-writer.js';
import { OutboundRouter } from './outbound-router.js';
import { StdioChannel } from './stdio-channel.js';

export interface MessageRouterOptions {
  readonly createServer: (era: Era) => Dispatcher;
  readonly outlet: LineWriter;
  readonly report: (line: string) => void;
}

/** The dispatcher of one era, and its channel. */
interface EraServer {
  readonly server: Dispatcher;
  readonly channel: StdioChannel;
}

type Request = Extract<Envelope, { kind: 'request' }>;
type NotificationEnvelope = Extract<Envelope, { kind: 'notification' }>;

/**
 * Routes the lines of the pipe to the dispatchers of both eras. Each message counts by itself: one that claims a
 * protocol version goes to the modern dispatcher, every other to the legacy one, on the same connection
 * (MCP 2026-07-28 basic/versioning). The router itself answers unreadable, invalid and premature messages.
 */
export class MessageRouter {
  readonly calls = new InFlightRequests();
  readonly #options: MessageRouterOptions;
  readonly #outlet: LineWriter;
  readonly #outbound: OutboundRouter;
  readonly #channels = new Map<Era, EraServer>();
  readonly #broken = new Set<Era>();
  /** Revision of the latest valid `initialize`. */
  #legacyVersion: LegacyVersion | undefined;

  constructor(options: MessageRouterOptions) {
    this.#options = options;
    this.#outlet = options.outlet;
    this.#outbound = new OutboundRouter(this.calls, options.outlet);
  }

  receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      if (line.trim() !== '') this.#refuse(ErrorNumber.Parse, 'Parse error: the line is not valid JSON.');
      return;
    }
    if (isTooDeep(line)) this.#accept(withoutDepths(readEnvelope(value)), undefined);
    else if (Array.isArray(value)) this.#receiveBatch(value);
    else this.#accept(readEnvelope(value), undefined);
  }

  /** Refuses a line that was too long to be kept. */
  receiveOverlong(maxBytes: number): void {
    this.#refuse(
      ErrorNumber.InvalidRequest,
      `Invalid request: a message may have at most ${maxBytes} bytes.`,
    );
  }

  /** No more input will arrive: open requests to the client fail, so that the calls that wait for them can end. */
  stopReceiving(): void {
    const error = { code: ErrorNumber.Internal, message: clientGone };
    for (const id of this.#outbound.abandonQuestions())
      this.#deliver('legacy', { jsonrpc: '2.0', id, error });
  }

  /** Aborts requests in flight and sends open subscriptions their result. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#channels.values()].map(({ server }) => server.close()));
  }

  #receiveBatch(values: readonly unknown[]): void {
    const fault = findBatchFault(values, this.#legacyVersion);
    if (fault !== undefined) {
      this.#refuse(ErrorNumber.InvalidRequest, `Invalid request: ${fault}.`);
      return;
    }
    const batch = new Batch((answers) => this.#outlet.write(answers));
    for (const value of values) this.#accept(readEnvelope(value), batch);
    batch.close();
  }

  #accept(envelope: Envelope, batch: Batch | undefined): void {
    if (envelope.kind === 'request') this.#acceptRequest(envelope, batch);
    else if (envelope.kind === 'notification') this.#acceptNotification(envelope);
    else if (envelope.kind === 'response') this.#acceptResponse(envelope);
    else
      this.#refuse(ErrorNumber.InvalidRequest, `Invalid request: ${envelope.problem}.`, envelope.id, batch);
  }

  #acceptRequest(request: Request, batch: Batch | undefined): void {
    const { id, method, params } = request;
    if (this.calls.has(id)) {
      this.#refuse(ErrorNumber.InvalidRequest, `Invalid request: ${takenId(id)}.`, id, batch);
      return;
    }
    const era = isHandshake(method, params) || !claimsVersion(params) ? 'legacy' : 'modern';
    const fault =
      era === 'modern' ? this.#findModernFault(request, batch) : this.#findLegacyFault(request, batch);
    if (fault !== undefined) {
      this.#reply({ jsonrpc: '2.0', id, error: fault }, batch);
      return;
    }
    if (era === 'legacy' && method === 'ping') {
      this.#reply({ jsonrpc: '2.0', id, result: {} }, batch);
      return;
    }
    const meta = params?._meta;
    this.calls.add({
      id,
      method,
      era,
      progressToken: isRecord(meta) ? meta.progressToken : undefined,
      batch,
    });
    batch?.owe();
    this.#deliver(
      era,
      era === 'legacy' && method === 'initialize' ? this.#handshake(id, params) : toMessage(request),
    );
  }

  #findModernFault({ method, params }: Request, batch: Batch | undefined): ErrorBody | undefined {
    if (batch !== undefined) {
      return { code: ErrorNumber.InvalidRequest, message: `Invalid request: ${modernBatch}.` };
    }
    return findClaimFault(params) ?? findParamsFault('modern', method, params);
  }

  #findLegacyFault({ method, params }: Request, batch: Batch | undefined): ErrorBody | undefined {
    if (method === 'initialize') {
      if (batch === undefined) return findParamsFault('legacy', method, params);
      return {
        code: ErrorNumber.InvalidRequest,
        message: 'Invalid request: initialize cannot be part of a batch.',
      };
    }
    if (this.#legacyVersion !== undefined || method === 'ping')
      return findParamsFault('legacy', method, params);
    return {
      code: ErrorNumber.InvalidParams,
      message: `Invalid params for ${method}: send initialize first (up to 2025-11-25), or name the protocol version in "_meta["io.modelcontextprotocol/protocolVersion"]" (${modernVersions.join(', ')}).`,
    };
  }

  #handshake(id: MessageId, params: JsonObject | undefined): JSONRPCMessage {
    this.#legacyVersion = negotiate(params?.protocolVersion);
    const negotiated = { ...params, protocolVersion: this.#legacyVersion };
    return { jsonrpc: '2.0', id, method: 'initialize', params: negotiated };
  }

  #acceptNotification(notification: NotificationEnvelope): void {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') {
      this.#cancel(notification);
      return;
    }
    if (claimsVersion(params)) {
      if (findClaimFault(params) === undefined) this.#deliver('modern', toMessage(notification));
      return;
    }
    if (this.#legacyVersion !== undefined) this.#deliver('legacy', toMessage(notification));
  }

  /** Cancels a request in its era. Ignores `initialize`, and an id that is unknown or answered. */
  #cancel(notification: NotificationEnvelope): void {
    const id = notification.params?.requestId;
    if (!isMessageId(id) || this.calls.get(id)?.method === 'initialize') return;
    const call = this.calls.cancel(id);
    if (call === undefined) return;
    call.batch?.settle(undefined);
    this.#deliver(call.era, toMessage(notification));
    this.calls.noteIdle();
  }

  /** Only legacy servers send requests. A response to no open request is ignored (JSON-RPC 2.0, section 5). */
  #acceptResponse(response: Extract<Envelope, { kind: 'response' }>): void {
    if (this.#outbound.takeAnswer(response.id)) this.#deliver('legacy', toMessage(response));
  }

  #deliver(era: Era, message: JSONRPCMessage): void {
    if (this.#broken.has(era)) {
      this.#failCallsOf(era);
      return;
    }
    let channel: StdioChannel;
    try {
      channel = this.#channelOf(era);
    } catch (error) {
      this.#options.report(`The server could not be made: ${describeThrown(error)}`);
      this.#broken.add(era);
      this.#failCallsOf(era);
      return;
    }
    try {
      channel.deliver(message);
    } catch (error) {
      this.#options.report(`A message could not be taken in: ${describeThrown(error)}`);
      const call = 'id' in message && 'method' in message ? this.calls.settle(message.id) : undefined;
      if (call) this.#outbound.fail(call, { code: ErrorNumber.Internal, message: 'Internal error.' });
    }
  }

  #channelOf(era: Era): StdioChannel {
    const known = this.#channels.get(era);
    if (known) return known.channel;
    const server = this.#options.createServer(era);
    const channel = new StdioChannel((message, options) => this.#outbound.send(era, message, options));
    void server.connect(channel);
    this.#channels.set(era, { server, channel });
    return channel;
  }

  #failCallsOf(era: Era): void {
    const error = { code: ErrorNumber.Internal, message: 'Internal error: the server could not be made.' };
    for (const { id } of this.calls.of(era))
      this.#outbound.fail(this.calls.settle(id) as InFlightRequest, error);
  }

  #reply(answer: OutgoingMessage, batch: Batch | undefined): void {
    if (batch === undefined) this.#outlet.write(answer);
    else batch.answer(answer);
  }

  /** Answers an invalid message with an error. */
  #refuse(code: number, message: string, id?: MessageId, batch?: Batch): void {
    const error = { code, message };
    this.#reply({ jsonrpc: '2.0', ...errorId(id, this.#legacyVersion), error }, batch);
  }
}
