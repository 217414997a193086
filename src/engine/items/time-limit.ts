import { deadlines } from './deadlines.js';

/** Work that did not end in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** What running code is told to stop by. */
export interface Limit {
  /** Aborts when the time is up or whoever asked gives up; made when first asked for, since few handlers do. */
  readonly signal: AbortSignal;
  /** The same as `signal.aborted`, for less. */
  readonly isOver: boolean;
}

/**
 * Runs work until it ends, or until its time is up. Code that blocks the thread is not interrupted.
 * @throws TimeoutError, or whatever the work throws.
 */
export async function withTimeLimit<T>(
  work: (limit: Limit) => T | Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<T> {
  const run = new Run(signal);
  try {
    const outcome = work(run);
    return isThenable(outcome) ? await run.within(timeoutMs, Promise.resolve(outcome)) : outcome;
  } finally {
    run.forget();
  }
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function';
}

class Run implements Limit {
  readonly #outer: AbortSignal;
  #controller: AbortController | undefined;
  #timeout: TimeoutError | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
  }

  get isOver(): boolean {
    return this.#timeout !== undefined || this.#outer.aborted;
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.isOver) this.#abort();
    else this.#outer.addEventListener('abort', this.#abort, { once: true });
    return this.#controller.signal;
  }

  within<T>(timeoutMs: number, outcome: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = deadlines.add(timeoutMs, () => {
        this.#timeout = new TimeoutError(`no answer within ${timeoutMs / 1000} s`);
        this.#abort();
        reject(this.#timeout);
      });
      outcome.then(resolve, reject).finally(() => deadlines.remove(wait));
    });
  }

  forget(): void {
    if (this.#controller) this.#outer.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller?.abort(this.#timeout ?? this.#outer.reason);
}
