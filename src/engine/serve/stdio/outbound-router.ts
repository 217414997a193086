import type { JSONRPCMessage, JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/server';
import {
  type ErrorBody,
  ErrorNumber,
  isObject,
  type JsonObject,
  type MessageId,
} from '../../protocol/envelope.js';
import { type Era, metaKey } from '../../protocol/eras.js';
import { clientGone, forClient } from '../../protocol/errors.js';
import { ProtocolError } from '../../runtime/result-builders.js';
import type { InFlightRequest, InFlightRequests } from './in-flight-requests.js';
import type { LineWriter, OutgoingMessage } from './line-writer.js';

/** What the servers send, on its way to the client: answers find their call, and what belongs to no open call stays. */
export class OutboundRouter {
  readonly #calls: InFlightRequests;
  readonly #outlet: LineWriter;
  readonly #asked = new Set<MessageId>();
  #isDeaf = false;

  constructor(calls: InFlightRequests, outlet: LineWriter) {
    this.#calls = calls;
    this.#outlet = outlet;
  }

  /** One message of the server of an era. Resolves when the pipe takes more. */
  send(era: Era, message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!('method' in message)) return this.#sendResponse(era, message as OutgoingMessage);
    if ('id' in message) return this.#sendRequest(message, options);
    const params = message.params as JsonObject | undefined;
    // What was asked for a call is taken back, though the call itself was cancelled: the client may still show it.
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

  /** Whether a response answers something a server asked; each question is answered once. */
  takeAnswer(id: MessageId | undefined): boolean {
    return id !== undefined && this.#asked.delete(id);
  }

  /** The client will not be heard any more: what was asked of it, and nothing asked from now on, will be answered. */
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
   * A subscription that is answered has ended. Clients may go by the answer (MCP 2026-07-28 patterns/subscriptions,
   * Graceful Closure) or by what must be sent, too (patterns/cancellation).
   */
  #endSubscription({ id }: InFlightRequest): Promise<void> {
    return this.#outlet.write({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
  }

  /** A question that cannot be answered is refused rather than swallowed, or its handler would wait for the answer. */
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
   * Nothing more is sent for a cancelled request (MCP 2026-07-28 patterns/cancellation), progress ends with the answer
   * (patterns/progress), and so does everything about a request of the modern era, which has no session to speak to.
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
    if (era === 'legacy' || !isObject(params?._meta)) return true;
    const subscription = params._meta[metaKey.subscriptionId] as MessageId | undefined;
    return subscription === undefined || this.#calls.has(subscription);
  }
}
