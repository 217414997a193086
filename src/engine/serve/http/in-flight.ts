import { deadlines } from '../../runtime/deadlines.js';
import { onStreamEnd } from './stream-backlog.js';

export interface TimeLimits {
  /** Longest time of a whole request. GET streams and subscriptions have no limit. */
  readonly requestTimeoutMs: number;
}

export class AnswerTimeoutError extends Error {
  override readonly name = 'AnswerTimeoutError';
}

/** Time limit of one request. */
export interface RequestTimer {
  /** Aborts when the time is over or the client disconnects. */
  readonly signal: AbortSignal;
  /** Removes the limit. `wait` ignores the request from then on. */
  readonly exempt: () => void;
}

/** HTTP requests in flight, each with a time limit. */
export class InFlightHttp {
  readonly #limitMs: number;
  /** Functions that remove the limit of a request. */
  readonly #settlers = new Set<() => void>();
  #onIdle: (() => void) | undefined;

  constructor({ requestTimeoutMs }: TimeLimits) {
    this.#limitMs = requestTimeoutMs;
  }

  /** Runs `work`, and ends its response in time or when `signal` aborts. @throws AnswerTimeoutError */
  async run(signal: AbortSignal, work: (time: RequestTimer) => Promise<Response>): Promise<Response> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const { promise: late, settle } = this.#limit(abort);
    const finish = () => {
      settle();
      signal.removeEventListener('abort', abort);
    };
    try {
      const response = await Promise.race([work({ signal: controller.signal, exempt: settle }), late]);
      return onStreamEnd(response, finish, controller.signal);
    } catch (error) {
      finish();
      throw error;
    }
  }

  /** Waits until no request with a limit is in flight, at most `limitMs`. */
  async wait(limitMs: number): Promise<void> {
    if (this.#settlers.size === 0) return;
    await new Promise<void>((resolve) => {
      const wait = deadlines.add(limitMs, resolve);
      this.#onIdle = () => {
        deadlines.remove(wait);
        resolve();
      };
    });
  }

  /** Removes all limits. */
  settle(): void {
    for (const settle of [...this.#settlers]) settle();
  }

  /** Starts a limit. At its end, `promise` rejects and `abort` is called; `settle` removes the limit. */
  #limit(abort: () => void): { readonly promise: Promise<never>; readonly settle: () => void } {
    let fail: (error: AnswerTimeoutError) => void = () => {};
    const promise = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const wait = deadlines.add(this.#limitMs, () => {
      fail(new AnswerTimeoutError(`The request was not answered within ${this.#limitMs} ms.`));
      abort();
    });
    const settle = () => {
      if (!this.#settlers.delete(settle)) return;
      deadlines.remove(wait);
      if (this.#settlers.size === 0) this.#onIdle?.();
    };
    this.#settlers.add(settle);
    return { promise, settle };
  }
}
