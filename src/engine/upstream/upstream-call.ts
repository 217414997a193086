import { asker, type RequesterInfo } from '../live/connection.js';
import type { JsonObject } from '../protocol/envelope.js';
import { logLevels } from '../protocol/eras.js';
import type { Context, LogLevel } from '../runtime/context.js';
import { InputRequiredSignal } from '../runtime/input-required.js';
import { requestClientAnswer, type UpstreamInputRequest } from './input-requests.js';

/** The handler that waits for an upstream call: in this process, or in an extension host. */
export interface Attendant {
  /** Aborts when the handler ends. After an {@link InputRequiredSignal}, a later run may attend to the call. */
  readonly signal: AbortSignal;
  progress(progress: number, more: { readonly total?: number; readonly message?: string }): void;
  /** Forwards the params of a log message. */
  log(params: JsonObject): void;
  /** Sends an input request to the client of the handler. @throws UnansweredRequestError */
  answer(question: UpstreamInputRequest, key: string): Promise<JsonObject>;
}

/** Attendant for a handler in this process. */
export function attendantOf(ctx: Context): Attendant {
  return {
    signal: ctx.signal,
    progress: (progress, more) => ctx.progress(progress, more),
    log: (params) => logThrough(ctx, params),
    answer: async (question, key) => await requestClientAnswer(ctx, question, key),
  };
}

/** Sends a log message unchanged, if the client of the request wants its level. */
function logThrough(ctx: Context, params: JsonObject): void {
  const who = (ctx as { readonly [asker]?: RequesterInfo })[asker];
  const { level, data } = params;
  const rank = Math.max(logLevels.indexOf(level as never), 0);
  if (!who) {
    // Contexts have no levels above "error".
    ctx.log[logLevels[Math.min(rank, logLevels.indexOf('error'))] as LogLevel](data);
    return;
  }
  const lowest = logLevels.indexOf(who.logLevel as never);
  if (lowest === -1 || rank < lowest) return;
  who.request.notify({ method: 'notifications/message', params }).catch(() => {});
}

/** An open input request of the upstream server. */
interface PendingUpstreamRequest {
  readonly key: string;
  readonly question: UpstreamInputRequest;
  readonly answer: (response: JsonObject) => void;
  readonly refuse: (error: unknown) => void;
}

/** Keeps a call, so that the run with the answers finds it. */
type RegisterCall = (call: UpstreamCall) => Promise<void>;

/**
 * A call of an upstream server in progress. Messages of the upstream server go to the attending handler. On 2026-07-28
 * each input request ends that handler, and another run attends.
 */
export class UpstreamCall {
  /** The client that the call runs for; undefined for a call without a client. */
  readonly asker: RequesterInfo | undefined;
  readonly #ending = new AbortController();
  readonly #open = new Map<string, PendingUpstreamRequest>();
  #result: Promise<JsonObject> | undefined;
  #questions = 0;
  #attending:
    | { readonly attendant: Attendant; readonly put: (open: PendingUpstreamRequest) => void }
    | undefined;
  /** Called when no handler attends to the call any more and the call continues. */
  onAlone = () => {};
  /** Called when a handler has received the result or the error. */
  onDone = () => {};

  constructor(asker: RequesterInfo | undefined) {
    this.asker = asker;
  }

  /** Aborts when the call is cancelled. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isAttended(): boolean {
    return this.#attending !== undefined;
  }

  begin(work: Promise<JsonObject>): void {
    this.#result = work;
    // The call may fail while no handler attends to it.
    work.catch(() => {});
  }

  cancel(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** Sends an input request to the client of the call. @throws UnansweredRequestError; the reason of a cancellation */
  async ask(question: UpstreamInputRequest): Promise<JsonObject> {
    this.signal.throwIfAborted();
    this.#questions += 1;
    const key = `upstream${this.#questions}`;
    try {
      return await new Promise<JsonObject>((answer, refuse) => {
        const open: PendingUpstreamRequest = { key, question, answer, refuse };
        this.#open.set(key, open);
        this.signal.addEventListener('abort', () => refuse(this.signal.reason), { once: true });
        this.#attending?.put(open);
      });
    } finally {
      this.#open.delete(key);
    }
  }

  progress(
    progress: number,
    { total, message }: { readonly total?: number | undefined; readonly message?: string | undefined },
  ): void {
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    this.#attending?.attendant.progress(progress, more);
  }

  /** Forwards the params of a log message. */
  log(params: JsonObject): void {
    this.#attending?.attendant.log(params);
  }

  /**
   * Waits for the result, and forwards input requests to the client. The call ends with the handler unless the call is
   * kept. Without `keep`, it is already kept.
   */
  async attend(attendant: Attendant, keep?: RegisterCall): Promise<JsonObject> {
    let keeping: Promise<void> | undefined;
    let isKept = keep === undefined;
    const kept = async () => {
      keeping ??= keep?.(this);
      await keeping;
      isKept = true;
    };
    const put = async ({ key, question, answer, refuse }: PendingUpstreamRequest): Promise<void> => {
      try {
        await kept();
        answer(await attendant.answer(question, key));
      } catch (error) {
        refuse(error);
      }
    };
    const { signal } = attendant;
    const leave = () => {
      this.#attending = undefined;
      if (signal.reason instanceof InputRequiredSignal && isKept) this.onAlone();
      else this.cancel(signal.reason);
    };
    this.#attending = { attendant, put: (open) => void put(open) };
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    for (const open of this.#open.values()) void put(open);
    try {
      return await this.#result!;
    } finally {
      signal.removeEventListener('abort', leave);
      if (this.#attending?.attendant === attendant) this.onDone();
    }
  }
}
