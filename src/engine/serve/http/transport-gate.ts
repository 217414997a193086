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

/** What whoever waits is told when no answer will come. */
export const cutOff: ErrorBody = {
  code: ErrorNumber.Internal,
  message: 'The call was cut off: its time is over, or its session or the server ends.',
};

/** How much is kept for a stream that is not open: the latest counts. */
const maxWaiting = 64;

/** A request that is not answered yet. */
interface UnansweredRequest {
  readonly method: string;
  /** What it came in, maybe with others whose answers leave by the same stream. */
  readonly post: unknown;
}

/**
 * What stands between a transport of the SDK and its server: params that a method cannot take are answered here, errors
 * get the words and numbers of their era, and nothing is sent for what was cancelled.
 */
export class Gate implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Whether a method was asked for that there is not. */
  refusedMethod = false;
  readonly #transport: Transport;
  readonly #era: Era;
  readonly #open = new Map<MessageId, UnansweredRequest>();
  /** What those came in that were cancelled while others of it were not answered yet. */
  readonly #cancelled = new Map<MessageId, unknown>();
  /** What the client was asked and has not answered, by whose call asked it. */
  readonly #asked = new Map<MessageId, MessageId>();
  /** What belongs to no request and waits for a stream that takes it; undefined: there is one, or never will be. */
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

  /** Whether any request has not been answered. One that waits for the client itself does not count: it may have gone. */
  get isBusy(): boolean {
    const waiting = new Set(this.#asked.values());
    return [...this.#open.keys()].some((id) => !waiting.has(id));
  }

  /** Keeps what belongs to no request until there is a stream for it. */
  hold(): void {
    this.#waiting ??= [];
  }

  /** There is a stream for what belongs to no request. */
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

  /** Answers whatever is not answered yet. */
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
        // Whoever asked may have gone.
        void this.#transport.send({ jsonrpc: '2.0', id, error } as JSONRPCMessage).catch(() => {});
        return;
      }
      this.#open.set(id, { method, post: extra?.request });
      this.#cancelled.delete(id);
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const id = (message.params as JsonObject | undefined)?.requestId;
      // What asks it to stop is known to the server by the same message.
      if (isMessageId(id) && this.#open.get(id)?.method !== 'initialize') this.#cancel(id);
    } else if (!('method' in message)) {
      this.#asked.delete(message.id as MessageId);
    }
    this.onmessage?.(message, extra);
  }

  /** A question is open until it is answered, or no answer is waited for. */
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

  /** Ends the stream of what came together, when all that is left of it was cancelled: the transport would wait for it. */
  #leave(post: unknown): void {
    if (this.#cancelled.size === 0) return;
    for (const open of this.#open.values()) if (open.post === post) return;
    const transport: Transport & { closeSSEStream?: (id: MessageId) => void } = this.#transport;
    for (const [id, cameIn] of this.#cancelled) {
      if (cameIn !== post) continue;
      this.#cancelled.delete(id);
      transport.closeSSEStream?.(id);
      // The transport forgets what is answered.
      void transport.send(unsentAnswer(id)).catch(() => {});
    }
  }
}
