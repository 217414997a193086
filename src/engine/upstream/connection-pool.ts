import type { Upstream } from './upstream.js';

/** Limits of the connections to one upstream server. Times are in milliseconds. */
const poolLimits = { most: 16, idleMs: 15 * 60_000 };

interface Seat {
  readonly upstream: Upstream;
  /** The user of the last call. */
  owner: unknown;
  calls: number;
  /** Time of the last use, in `performance.now()` time. */
  usedAt: number;
}

/**
 * Connections to one upstream server up to 2025-11-25: one for each user, since its input requests name no call. The
 * first connection also lists the items, and is never closed.
 */
export class ConnectionPool {
  readonly #first: Seat;
  readonly #open: () => Upstream;
  readonly #others: Seat[] = [];
  /** Wakes the calls that wait for a connection, the oldest first. */
  readonly #waiting: (() => void)[] = [];

  constructor(first: Upstream, open: () => Upstream) {
    this.#first = { upstream: first, owner: undefined, calls: 0, usedAt: 0 };
    this.#open = open;
  }

  /** Runs work on the connection of a user. Waits while all connections are busy with calls of others. */
  async run<T>(owner: unknown, signal: AbortSignal, work: (upstream: Upstream) => Promise<T>): Promise<T> {
    const seat = await this.#take(owner, signal);
    try {
      return await work(seat.upstream);
    } finally {
      seat.calls -= 1;
      seat.usedAt = performance.now();
      this.#waiting.shift()?.();
      this.#closeLater();
    }
  }

  /** Forgets a user that has disconnected. */
  forget(owner: unknown): void {
    for (const seat of this.#seats) if (seat.owner === owner) seat.owner = undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#others.splice(0).map(async ({ upstream }) => await upstream.close()));
  }

  get #seats(): readonly Seat[] {
    return [this.#first, ...this.#others];
  }

  async #take(owner: unknown, signal: AbortSignal): Promise<Seat> {
    for (;;) {
      signal.throwIfAborted();
      const seat = this.#find(owner) ?? this.#create();
      if (seat) {
        seat.owner = owner;
        seat.calls += 1;
        return seat;
      }
      await this.#turn(signal);
    }
  }

  /** The connection of the user, or one that no user has. */
  #find(owner: unknown): Seat | undefined {
    const seats = this.#seats;
    return (
      seats.find((seat) => seat.owner === owner && owner !== undefined) ??
      seats.find((seat) => seat.owner === undefined && seat.calls === 0)
    );
  }

  /** Opens a connection. If there are too many, replaces the one that was unused for the longest time. */
  #create(): Seat | undefined {
    if (this.#others.length + 1 >= poolLimits.most) {
      const idle = this.#others.filter(({ calls }) => calls === 0);
      const [oldest] = idle.sort((one, other) => one.usedAt - other.usedAt);
      if (!oldest) return undefined;
      this.#end(oldest);
    }
    const seat: Seat = { upstream: this.#open(), owner: undefined, calls: 0, usedAt: performance.now() };
    this.#others.push(seat);
    return seat;
  }

  #end(seat: Seat): void {
    this.#others.splice(this.#others.indexOf(seat), 1);
    void seat.upstream.close();
  }

  #closeLater(): void {
    const timer = setTimeout(() => {
      const before = performance.now() - poolLimits.idleMs;
      for (const seat of this.#others.filter(({ calls, usedAt }) => calls === 0 && usedAt <= before)) {
        this.#end(seat);
      }
    }, poolLimits.idleMs + 1);
    timer.unref();
  }

  /** Waits until a call has ended. */
  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        const at = this.#waiting.indexOf(wake);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(wake);
    });
  }
}
