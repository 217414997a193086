import { setMaxListeners } from 'node:events';
import { mayBeThenable } from '../base/code-boundary.js';
import { deadlines } from './deadlines.js';

/** Work that did not end in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** Deadline of running work. */
export interface CallDeadline {
  /** Aborts at the deadline, or when the caller cancels. Created on first access, because few handlers use it. */
  readonly signal: AbortSignal;
  /** Same as `signal.aborted`, without creating the signal. */
  readonly isOver: boolean;
  /** Pauses the clock until the returned function is called, because the wait for a user does not count. */
  pause(): () => void;
  /** Ends the wait for work that will not resume. No effect if the work has ended. */
  end(reason: Error): void;
}

/** Cancellation by the caller. Most work reads no signal, and creating one takes longer than the rest of a call. */
export interface Cancellation {
  /** Same as `signal.aborted`, without creating the signal. */
  readonly isOver: boolean;
  /** Created on first access. */
  readonly signal: AbortSignal;
}

/** True if the caller no longer waits. */
export function isCancelled(outer: AbortSignal | Cancellation): boolean {
  return 'aborted' in outer ? outer.aborted : outer.isOver;
}

function signalOf(outer: AbortSignal | Cancellation): AbortSignal {
  return 'aborted' in outer ? outer : outer.signal;
}

/** Pauses every deadline while the work runs. */
export async function pauseDeadlines<T>(limits: readonly CallDeadline[], work: () => Promise<T>): Promise<T> {
  const resume = limits.map((limit) => limit.pause());
  try {
    return await work();
  } finally {
    for (const go of resume) go();
  }
}

/** A deadline that never expires, for code that runs before the clock starts. */
export function unboundedDeadline(outer: AbortSignal | Cancellation): CallDeadline {
  return { signal: signalOf(outer), isOver: false, pause: () => () => {}, end: () => {} };
}

/**
 * Runs work until it ends, or until its time is up. Does not interrupt code that blocks the thread.
 * @throws TimeoutError, the reason given to `end`, or the error that the work throws.
 */
export async function withTimeLimit<T>(
  work: (limit: CallDeadline) => T | Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | Cancellation },
): Promise<T> {
  const run = new TimedDeadline(signal, timeoutMs);
  try {
    const outcome = work(run);
    return mayBeThenable(outcome) ? await run.within(Promise.resolve(outcome)) : outcome;
  } finally {
    run.forget();
  }
}

class TimedDeadline implements CallDeadline {
  readonly #outer: AbortSignal | Cancellation;
  readonly #timeoutMs: number;
  #controller: AbortController | undefined;
  /** Reason given to `end`; undefined if the caller cancelled the work. */
  #reason: Error | undefined;
  #wait: ReturnType<typeof deadlines.add> | undefined;
  #reject: ((reason: Error) => void) | undefined;
  #leftMs: number;
  #pauses = 0;
  #isDone = false;

  constructor(outer: AbortSignal | Cancellation, timeoutMs: number) {
    this.#outer = outer;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
  }

  get isOver(): boolean {
    return this.#reason !== undefined || isCancelled(this.#outer);
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    // Every input request and every nested call listens to it.
    setMaxListeners(0, this.#controller.signal);
    if (this.isOver) this.#abort();
    else signalOf(this.#outer).addEventListener('abort', this.#abort, { once: true });
    return this.#controller.signal;
  }

  within<T>(outcome: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#reason) reject(this.#reason);
      else this.#start();
      outcome.then(resolve, reject);
    });
  }

  pause(): () => void {
    this.#pauses += 1;
    this.#stop();
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses -= 1;
      this.#start();
    };
  }

  end(reason: Error): void {
    if (this.#isDone || this.#reason) return;
    this.#reason = reason;
    this.#stop();
    this.#abort();
    this.#reject?.(reason);
  }

  forget(): void {
    this.#isDone = true;
    this.#stop();
    if (this.#controller) signalOf(this.#outer).removeEventListener('abort', this.#abort);
  }

  #start(): void {
    if (!this.#reject || this.#wait || this.#pauses > 0 || this.#isDone || this.#reason) return;
    this.#wait = deadlines.add(this.#leftMs, () => {
      this.#wait = undefined;
      this.end(new TimeoutError(`no answer within ${this.#timeoutMs / 1000} s`));
    });
  }

  #stop(): void {
    if (!this.#wait) return;
    deadlines.remove(this.#wait);
    this.#leftMs = Math.max(0, this.#wait.at - performance.now());
    this.#wait = undefined;
  }

  readonly #abort = (): void => this.#controller?.abort(this.#reason ?? signalOf(this.#outer).reason);
}
