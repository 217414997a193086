import { waitAtMost } from '../base/wait.js';
import type { Root } from '../runtime/context.js';

/** Longest wait for requested roots, in milliseconds. */
const longestWaitMs = 2000;

/** Roots of the connected clients, for code that runs outside a client request. */
export class ClientRoots {
  readonly #roots = new Map<object, readonly Root[]>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  #reported = JSON.stringify([]);

  /** Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Stores the roots of a client once they arrive. */
  async expect(client: object, answer: Promise<readonly Root[]>): Promise<void> {
    if (!this.#roots.has(client)) this.#roots.set(client, []);
    this.#pending.add(answer);
    const roots = await answer.catch(() => []);
    this.#pending.delete(answer);
    // The client may have disconnected during the wait.
    if (!this.#roots.has(client)) return;
    this.#roots.set(client, roots);
    this.#report();
  }

  forget(client: object): void {
    if (this.#roots.delete(client)) this.#report();
  }

  /** The roots; empty if clients have different roots, since clients must not see each other's roots. */
  get #known(): readonly Root[] {
    const lists = [...this.#roots.values()].filter(({ length }) => length > 0);
    const [first = []] = lists;
    return new Set(lists.map((list) => JSON.stringify(list))).size === 1 ? first : [];
  }

  /** The roots, including those that are requested but not yet received. */
  async list(signal: AbortSignal): Promise<readonly Root[]> {
    if (this.#pending.size > 0) await waitAtMost(Promise.allSettled(this.#pending), longestWaitMs, signal);
    return this.#known;
  }

  #report(): void {
    const known = JSON.stringify(this.#known);
    if (known === this.#reported) return;
    this.#reported = known;
    for (const listener of this.#listeners) listener();
  }
}
