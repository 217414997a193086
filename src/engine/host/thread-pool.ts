import { access } from 'node:fs';
import process from 'node:process';

// Kept before extension code loads.
const probe = access;
const { execPath } = process;
const requests = (process as unknown as { readonly _getActiveRequests: () => readonly unknown[] })
  ._getActiveRequests;
const later = setTimeout;
const forget = clearTimeout;
const clock = performance;
const { now } = performance;
const { apply } = Reflect;

/** Pause between probes while no request shows: work of `node:crypto` does not. Milliseconds; a probe takes 0.04 ms. */
const pauseMs = 5;

/** How long a probe may take, in milliseconds. */
const limitMs = 500;

/** Probes the threads on which Node works on files, names of hosts and keys. Work without end there delays all other. */
export class ThreadPool {
  #isProbing = false;
  #last = Number.NEGATIVE_INFINITY;
  #onEnd: (() => void) | undefined;

  /** Begins a probe if there may be work. */
  probe(): void {
    if (this.#isProbing) return;
    const time = apply(now, clock, []) as number;
    if (requests().length === 0 && time - this.#last < pauseMs) return;
    this.#last = time;
    this.#isProbing = true;
    probe(execPath, this.#end);
  }

  readonly #end = (): void => {
    this.#isProbing = false;
    this.#onEnd?.();
  };

  /** True if there may be more work than threads. */
  get isBusy(): boolean {
    if (requests().length > 0) this.probe();
    return this.#isProbing;
  }

  /** Calls back once: with true when the probe ends, with false if that takes too long. */
  whenFree(take: (isFree: boolean) => void): void {
    const settle = (isFree: boolean): void => {
      forget(timer);
      this.#onEnd = undefined;
      take(isFree);
    };
    const timer = later(settle, limitMs, false);
    this.#onEnd = () => settle(true);
  }
}
