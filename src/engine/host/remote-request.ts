import type { AuthInfo } from '@modelcontextprotocol/server';
import { settleAfter } from '../base/deferred.js';
import { isRecord } from '../base/value-checks.js';
import type { ReplayState } from '../live/connection.js';
import type { JsonObject, MessageId } from '../protocol/envelope.js';
import {
  type ClientRequestLimits,
  type OutboundMessage,
  type RequestContext,
  RequestTimeoutError,
} from '../protocol/request.js';
import { InputRequiredSignal } from '../runtime/input-required.js';
import { ProtocolError, ToolError } from '../runtime/result-builders.js';
import type { FromHost, HostedRequest, ToHost } from './host-messages.js';

type SendToFront = (message: FromHost) => void;

interface PendingReply {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Requests of this host that the front has not answered. */
export class FrontRequests {
  readonly #send: SendToFront;
  readonly #waiting = new Map<number, PendingReply>();
  #last = 0;

  constructor(send: SendToFront) {
    this.#send = send;
  }

  /** Sends a request to the front. @throws ProtocolError, RequestTimeoutError */
  put(message: (question: number) => FromHost, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#last += 1;
      const question = this.#last;
      const settle = () => {
        this.#waiting.delete(question);
        signal?.removeEventListener('abort', withdraw);
      };
      const withdraw = () => {
        settle();
        const reason = signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason));
        const isSuspension = reason instanceof InputRequiredSignal && { isSuspension: true };
        this.#send({ type: 'withdraw', question, reason: reason.message, ...isSuspension });
        reject(reason);
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', withdraw, { once: true });
      this.#waiting.set(question, settleAfter(settle, { resolve, reject }));
      this.#send(message(question));
    });
  }

  take(message: Extract<ToHost, { readonly type: 'answer' | 'failure' }>): void {
    const waiting = this.#waiting.get(message.question);
    if (message.type === 'answer') {
      waiting?.resolve(message.result);
      return;
    }
    const { error, isTimeout, isForModel } = message;
    if (isForModel) waiting?.reject(new ToolError(error.message));
    waiting?.reject(
      isTimeout
        ? new RequestTimeoutError(error.message)
        : new ProtocolError(error.code, error.message, error.data),
    );
  }
}

/** Client request, forwarded by the front. */
export class RemoteRequest implements RequestContext {
  readonly id: MessageId;
  readonly method: string;
  readonly meta: JsonObject | undefined;
  readonly auth: AuthInfo | undefined;
  readonly inputResponses: JsonObject | undefined;
  readonly requestState: ReplayState | undefined;
  /** The number of the request on the channel. */
  readonly call: number;
  readonly #send: SendToFront;
  readonly #questions: FrontRequests;
  #ending: AbortController | undefined;
  #reason: string | undefined;

  constructor(
    call: number,
    { id, method, params, auth, inputResponses, state }: HostedRequest,
    { send, questions }: { readonly send: SendToFront; readonly questions: FrontRequests },
  ) {
    this.id = id;
    this.method = method;
    this.meta = isRecord(params._meta) ? params._meta : undefined;
    this.auth = auth;
    this.inputResponses = inputResponses;
    this.requestState = state;
    this.call = call;
    this.#send = send;
    this.#questions = questions;
  }

  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  /** Created on first use. */
  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#reason !== undefined) this.#ending.abort(this.#reason);
    return this.#ending.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.signal.addEventListener('abort', () => listener(this.#reason), { once: true });
  }

  async notify({ method, params = {} }: OutboundMessage): Promise<void> {
    this.#send({ type: 'notify', call: this.call, method, params });
  }

  async ask(
    { method, params }: OutboundMessage,
    { signal, timeoutMs }: ClientRequestLimits,
  ): Promise<JsonObject> {
    const { call } = this;
    const result = await this.#questions.put(
      (question) => ({ type: 'ask', call, question, method, ...(params && { params }), timeoutMs }),
      signal,
    );
    return isRecord(result) ? result : {};
  }

  /** Has the front sign the state that this request needs after the client has answered. */
  async seal(remembered: ReplayState): Promise<string> {
    const { call } = this;
    return String(await this.#questions.put((question) => ({ type: 'seal', call, question, remembered })));
  }

  closeStream(): void {
    this.#send({ type: 'close-stream', call: this.call });
  }

  abort(reason: string): void {
    this.#reason = reason;
    this.#ending?.abort(reason);
  }
}
