import { InFlightMap } from '../base/in-flight-map.js';

/** A wait that can be cancelled. */
interface DeadlineWait {
  readonly at: number;
  readonly expire: () => void;
}

/** Node's timers overflow above this many milliseconds and fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Many waits on one timer, because arming a timer costs more than a quick call. */
class Deadlines {
  readonly #waits = new InFlightMap<DeadlineWait, DeadlineWait>();
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #isSuspended = false;

  /** Ends all deadlines for good: a debugger may stop this process for any time. */
  suspend(): void {
    this.#isSuspended = true;
  }

  /** Calls `expire` after `ms` milliseconds, unless the wait is removed before. */
  add(ms: number, expire: () => void): DeadlineWait {
    const wait = { at: performance.now() + ms, expire };
    this.#waits.set(wait, wait);
    if (wait.at < this.#armedFor) this.#arm(wait.at);
    else if (this.#waits.size === 1) this.#timer?.ref();
    return wait;
  }

  remove(wait: DeadlineWait): void {
    this.#waits.delete(wait);
    // A timer without waits must not keep the process alive.
    if (this.#waits.size === 0) this.#timer?.unref();
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#armedFor = at;
    const ms = Math.min(Math.max(0, at - performance.now()), longestTimer);
    this.#timer = setTimeout(() => this.#fire(), Math.ceil(ms));
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (this.#isSuspended) return;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const wait of this.#waits.values()) {
      if (wait.at > now) {
        next = Math.min(next, wait.at);
        continue;
      }
      this.#waits.delete(wait);
      wait.expire();
    }
    if (next < this.#armedFor) this.#arm(next);
  }
}

/** All waits of this process. */
export const deadlines = new Deadlines();
