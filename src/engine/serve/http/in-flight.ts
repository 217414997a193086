import { deadlines } from '../../runtime/deadlines.js';
import { onStreamEnd } from './stream-backlog.js';

export interface TimeLimits {
  /** How long one request may take as a whole; streams that wait for news may stay. */
  readonly requestTimeoutMs: number;
}

/** A request was not answered in time. */
export class AnswerTimeoutError extends Error {
  override readonly name = 'LateError';
}

/** The time that a request has. */
export interface RequestTimer {
  /** Aborts when it is over, or whoever asked has gone. */
  readonly signal: AbortSignal;
  /** It may take as long as it likes, and nobody waits for its end. */
  readonly exempt: () => void;
}

/** What is being answered. It ends in time, and its end can be waited for. */
export class InFlightHttp {
  readonly #limitMs: number;
  /** What calls off the limits of each. */
  readonly #settlers = new Set<() => void>();
  #onIdle: (() => void) | undefined;

  constructor({ requestTimeoutMs }: TimeLimits) {
    this.#limitMs = requestTimeoutMs;
  }

  /** Has an answer made, and ended in time. `signal` tells that whoever asked has gone. @throws LateError */
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

  /** Waits until nothing is under way that has a limit, but no longer than it may take. */
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

  /** Calls off all limits. */
  settle(): void {
    for (const settle of [...this.#settlers]) settle();
  }

  /** Fails when something takes too long, which is aborted then; and what calls this off. */
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
