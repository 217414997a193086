import type { JSONRPCMessage, JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/value-checks.js';
import { type ErrorBody, ErrorNumber, type JsonObject, type MessageId } from '../../protocol/envelope.js';
import { type Era, metaKey } from '../../protocol/eras.js';
import { clientGone, forClient } from '../../protocol/errors.js';
import { ProtocolError } from '../../runtime/result-builders.js';
import type { InFlightRequest, InFlightRequests } from './in-flight-requests.js';
import type { LineWriter, OutgoingMessage } from './line-writer.js';

/** Sends messages of the dispatchers to the client. Responses settle their call; messages of closed calls are dropped. */
export class OutboundRouter {
  readonly #calls: InFlightRequests;
  readonly #outlet: LineWriter;
  readonly #asked = new Set<MessageId>();
  #isDeaf = false;

  constructor(calls: InFlightRequests, outlet: LineWriter) {
    this.#calls = calls;
    this.#outlet = outlet;
  }

  /** Sends one message of the dispatcher of an era. Resolves when the pipe accepts more. */
  send(era: Era, message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!('method' in message)) return this.#sendResponse(era, message as OutgoingMessage);
    if ('id' in message) return this.#sendRequest(message, options);
    const params = message.params as JsonObject | undefined;
    // A request to the client is cancelled even if its call was: the client may still show it.
    const isTakenBack =
      message.method === 'notifications/cancelled' && this.#asked.delete(params?.requestId as MessageId);
    const isWanted = isTakenBack || this.#isWanted(era, message.method, params, options?.relatedRequestId);
    if (!isWanted) return Promise.resolve();
    return this.#outlet.write(message);
  }

  /** Answers a call, alone or as a part of its batch. */
  answer(call: InFlightRequest, answer: OutgoingMessage): Promise<void> {
    const written = call.batch === undefined ? this.#outlet.write(answer) : call.batch.settle(answer);
    this.#calls.noteIdle();
    return written ?? Promise.resolve();
  }

  fail(call: InFlightRequest, error: ErrorBody): Promise<void> {
    return this.answer(call, { jsonrpc: '2.0', id: call.id, error });
  }

  /** True if a response answers an open request of a server; each is answered once. */
  takeAnswer(id: MessageId | undefined): boolean {
    return id !== undefined && this.#asked.delete(id);
  }

  /** Returns the ids of open requests to the client, which will get no response. Later requests are rejected. */
  abandonQuestions(): MessageId[] {
    this.#isDeaf = true;
    const abandoned = [...this.#asked];
    this.#asked.clear();
    return abandoned;
  }

  #sendResponse(era: Era, message: OutgoingMessage): Promise<void> {
    const id = message.id as MessageId;
    if (this.#calls.get(id)?.era !== era) return Promise.resolve();
    const call = this.#calls.settle(id) as InFlightRequest;
    const answer =
      'error' in message ? { ...message, error: forClient(call, message.error as ErrorBody) } : message;
    const written = this.answer(call, answer);
    const isEnd = call.method === 'subscriptions/listen' && 'result' in message;
    return isEnd ? this.#endSubscription(call) : written;
  }

  /**
   * Ends an answered subscription. Clients may rely on the response (MCP 2026-07-28 patterns/subscriptions, Graceful
   * Closure) or on this notification, which is required too (patterns/cancellation).
   */
  #endSubscription({ id }: InFlightRequest): Promise<void> {
    return this.#outlet.write({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
  }

  /** Rejects a request that cannot be answered: if it were dropped, its handler would wait for the response. */
  #sendRequest(message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const related = options?.relatedRequestId;
    if (related !== undefined && this.#calls.isCancelled(related)) {
      return Promise.reject(new Error(`The request this ${message.method} belongs to was cancelled.`));
    }
    if (this.#isDeaf) return Promise.reject(new ProtocolError(ErrorNumber.Internal, clientGone));
    this.#asked.add(message.id);
    return this.#outlet.write(message).catch((error) => {
      this.#asked.delete(message.id);
      throw error;
    });
  }

  /**
   * False for messages of a cancelled request (MCP 2026-07-28 patterns/cancellation) and progress after the response
   * (patterns/progress). The modern era has no session, so every message of a request ends with its response.
   */
  #isWanted(
    era: Era,
    method: string,
    params: JsonObject | undefined,
    related: MessageId | undefined,
  ): boolean {
    if (method === 'notifications/progress') {
      const token = params?.progressToken;
      return related === undefined
        ? this.#calls.hasProgressToken(token)
        : token !== undefined && this.#calls.get(related)?.progressToken === token;
    }
    if (related !== undefined && !this.#calls.has(related)) {
      return era === 'legacy' && !this.#calls.isCancelled(related);
    }
    if (era === 'legacy' || !isRecord(params?._meta)) return true;
    const subscription = params._meta[metaKey.subscriptionId] as MessageId | undefined;
    return subscription === undefined || this.#calls.has(subscription);
  }
}
