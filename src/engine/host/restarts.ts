export interface RestartOptions {
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Pause before the second restart, in milliseconds. Each later pause is twice as long. Default: 100. */
  readonly firstPauseMs?: number;
  /** Longest pause, in milliseconds. Default: 30,000. */
  readonly longestPauseMs?: number;
  /** Shortest life of a host that worked well, in milliseconds. Default: 60,000. */
  readonly goodLifeMs?: number;
  /** Number of answered calls from which a host worked well. Default: 100. */
  readonly goodCalls?: number;
}

/**
 * Pauses between the hosts of one server. The first restart is immediate; the pauses before later ones grow. A host that
 * worked well before it died resets the pauses: its successor starts at once.
 */
export class Restarts {
  readonly #options: Required<RestartOptions>;
  #startedAt = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Consecutive deaths of hosts that did not work well. */
  #deaths = 0;

  constructor(options: RestartOptions) {
    this.#options = {
      firstPauseMs: 100,
      longestPauseMs: 30_000,
      goodLifeMs: 60_000,
      goodCalls: 100,
      ...options,
    };
  }

  /** Time until the next host may start, in milliseconds; 0 if it may start now. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - this.#options.now());
  }

  /** Records the start of a host. */
  recordStart(): void {
    this.#startedAt = this.#options.now();
  }

  /** Records the death of the last started host. `calls` is the number of calls that it answered. */
  recordDeath(calls: number): void {
    const { now, goodLifeMs, goodCalls, firstPauseMs, longestPauseMs } = this.#options;
    const died = now();
    const hasWorked = died - this.#startedAt >= goodLifeMs || calls >= goodCalls;
    this.#deaths = hasWorked ? 1 : this.#deaths + 1;
    const pause = this.#deaths === 1 ? 0 : firstPauseMs * 2 ** (this.#deaths - 2);
    this.#notBefore = died + Math.min(pause, longestPauseMs);
  }
}
