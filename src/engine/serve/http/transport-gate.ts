import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import {
  type ErrorBody,
  ErrorNumber,
  isMessageId,
  type JsonObject,
  type MessageId,
} from '../../protocol/envelope.js';
import type { Era } from '../../protocol/eras.js';
import { forClient } from '../../protocol/errors.js';
import { findParamsFault } from '../../protocol/params.js';
import { unsentAnswer } from './replay-buffer.js';

/** @see JSON-RPC 2.0, section 5.1 */
const methodNotFoundCode = -32601;

/** Error for a request that will get no other response. */
export const cutOff: ErrorBody = {
  code: ErrorNumber.Internal,
  message: 'The call was cut off: its time is over, or its session or the server ends.',
};

/** Most messages kept for a stream that is not open; the latest are kept. */
const maxWaiting = 64;

/** An unanswered request. */
interface UnansweredRequest {
  readonly method: string;
  /** The POST that it came in. Requests of one POST are answered on one stream. */
  readonly post: unknown;
}

/**
 * Filter between a transport of the SDK and its dispatcher: answers requests with invalid params, adapts errors to the
 * era, and sends nothing for cancelled requests.
 */
export class Gate implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** True after a request for an unknown method. */
  refusedMethod = false;
  readonly #transport: Transport;
  readonly #era: Era;
  readonly #open = new Map<MessageId, UnansweredRequest>();
  /** The POSTs of cancelled requests, by id, while other requests of the POST are unanswered. */
  readonly #cancelled = new Map<MessageId, unknown>();
  /** Calls that wait for the client, by the id of their unanswered request to it. */
  readonly #asked = new Map<MessageId, MessageId>();
  /** Messages of no request, until a stream for them opens; undefined if it is open or will never be. */
  #waiting: JSONRPCMessage[] | undefined;

  constructor(transport: Transport, era: Era) {
    this.#transport = transport;
    this.#era = era;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#transport.hasPerRequestStream ?? false;
  }

  isOpen(id: MessageId): boolean {
    return this.#open.has(id);
  }

  /** True if a request is unanswered. One that waits for the client does not count: the client may be gone. */
  get isBusy(): boolean {
    const waiting = new Set(this.#asked.values());
    return [...this.#open.keys()].some((id) => !waiting.has(id));
  }

  /** Keeps messages of no request until a stream for them opens. */
  hold(): void {
    this.#waiting ??= [];
  }

  /** Sends the kept messages: a stream for them is open. */
  release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) void this.#transport.send(message).catch(() => {});
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#transport.setSupportedProtocolVersions?.(versions);
  }

  async start(): Promise<void> {
    const transport = this.#transport;
    transport.onmessage = (message, extra) => this.#receive(message, extra);
    transport.onclose = () => this.onclose?.();
    transport.onerror = (error) => this.onerror?.(error);
    await transport.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const related = options?.relatedRequestId;
    if (related !== undefined && !this.#open.has(related)) {
      if ('id' in message) throw new Error('The request that this belongs to was cancelled or answered.');
      return;
    }
    if ('method' in message) {
      this.#note(message, related);
      if (related !== undefined || !this.#waiting) return await this.#transport.send(message, options);
      this.#waiting.push(message);
      if (this.#waiting.length > maxWaiting) this.#waiting.shift();
      return;
    }
    const id = message.id as MessageId;
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    if ('error' in message && message.error.code === methodNotFoundCode) this.refusedMethod = true;
    const { method, post } = open;
    const answer =
      'error' in message
        ? { ...message, error: forClient({ era: this.#era, method }, message.error as ErrorBody) }
        : message;
    await this.#transport.send(answer as JSONRPCMessage, options);
    this.#leave(post);
  }

  /** Answers all open requests with an error. */
  async cutOff(): Promise<void> {
    const answers = [...this.#open.keys()].map((id) => ({ jsonrpc: '2.0', id, error: cutOff }) as const);
    await Promise.allSettled(answers.map((answer) => this.send(answer as JSONRPCMessage)));
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  #receive(message: JSONRPCMessage, extra: Parameters<NonNullable<Transport['onmessage']>>[1]): void {
    if ('method' in message && 'id' in message) {
      const { id, method, params } = message;
      const error = findParamsFault(this.#era, method, params as JsonObject | undefined);
      if (error) {
        // The client may have disconnected.
        void this.#transport.send({ jsonrpc: '2.0', id, error } as JSONRPCMessage).catch(() => {});
        return;
      }
      this.#open.set(id, { method, post: extra?.request });
      this.#cancelled.delete(id);
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const id = (message.params as JsonObject | undefined)?.requestId;
      // The dispatcher gets the same message and aborts the request.
      if (isMessageId(id) && this.#open.get(id)?.method !== 'initialize') this.#cancel(id);
    } else if (!('method' in message)) {
      this.#asked.delete(message.id as MessageId);
    }
    this.onmessage?.(message, extra);
  }

  /** Tracks a request to the client until it is answered or cancelled. */
  #note(message: JSONRPCMessage, related: MessageId | undefined): void {
    if ('id' in message && related !== undefined) this.#asked.set(message.id as MessageId, related);
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    this.#asked.delete((message.params as JsonObject | undefined)?.requestId as MessageId);
  }

  #cancel(id: MessageId): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#cancelled.set(id, open.post);
    this.#leave(open.post);
  }

  /** Ends the stream of a POST if all its open requests were cancelled: the transport would wait for them. */
  #leave(post: unknown): void {
    if (this.#cancelled.size === 0) return;
    for (const open of this.#open.values()) if (open.post === post) return;
    const transport: Transport & { closeSSEStream?: (id: MessageId) => void } = this.#transport;
    for (const [id, cameIn] of this.#cancelled) {
      if (cameIn !== post) continue;
      this.#cancelled.delete(id);
      transport.closeSSEStream?.(id);
      // An answer makes the transport forget the request.
      void transport.send(unsentAnswer(id)).catch(() => {});
    }
  }
}
