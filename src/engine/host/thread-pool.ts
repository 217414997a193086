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

/**
 * Pause between probes while no active request shows, in milliseconds. Work of `node:crypto` never shows. A probe takes
 * 0.04 ms.
 */
const pauseMs = 5;

/** Longest run of a probe, in milliseconds. On a machine with too much work, a probe of a free pool took more than 500. */
const limitMs = 2000;

/** Probes Node's thread pool, which runs file, DNS and crypto work. Endless work there delays all other work. */
export class ThreadPool {
  #isProbing = false;
  #last = Number.NEGATIVE_INFINITY;
  #onEnd: (() => void) | undefined;

  /** Starts a probe if the thread pool may have work. */
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

  /** True if the thread pool may have more work than threads. */
  get isBusy(): boolean {
    if (requests().length > 0) this.probe();
    return this.#isProbing;
  }

  /** Resolves with false if work of a module fills the thread pool, so that no other module would load. */
  isUsable(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = later(resolve, limitMs, false);
      probe(execPath, () => {
        forget(timer);
        resolve(true);
      });
    });
  }

  /** Calls back once: with true when the probe ends, with false if the probe takes too long. */
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
