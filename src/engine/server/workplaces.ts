import type { Root } from '../items/context.js';
import { orUntil } from './coming.js';

/** How long a client's answer is waited for that is on its way. */
const longestWaitMs = 2000;

/** Where the clients work that are served now, as far as they told: for who asks apart from any of their requests. */
export class Workplaces {
  readonly #roots = new Map<object, readonly Root[]>();
  readonly #coming = new Set<Promise<unknown>>();
  #told = JSON.stringify([]);
  /** Told when what there is to know is something else. */
  onChanged = (): void => {};

  /** Takes what a client answers, once it does. */
  async expect(client: object, answer: Promise<readonly Root[]>): Promise<void> {
    if (!this.#roots.has(client)) this.#roots.set(client, []);
    this.#coming.add(answer);
    const roots = await answer.catch(() => []);
    this.#coming.delete(answer);
    // It may have left meanwhile.
    if (!this.#roots.has(client)) return;
    this.#roots.set(client, roots);
    this.#tell();
  }

  forget(client: object): void {
    if (this.#roots.delete(client)) this.#tell();
  }

  /** The roots; none where clients work in several places, since what one of them has is no business of the others. */
  get #known(): readonly Root[] {
    const lists = [...this.#roots.values()].filter(({ length }) => length > 0);
    const [first = []] = lists;
    return new Set(lists.map((list) => JSON.stringify(list))).size === 1 ? first : [];
  }

  /** The roots, with those that are on their way. */
  async list(signal: AbortSignal): Promise<readonly Root[]> {
    if (this.#coming.size > 0) await orUntil(Promise.allSettled(this.#coming), longestWaitMs, signal);
    return this.#known;
  }

  #tell(): void {
    const known = JSON.stringify(this.#known);
    if (known === this.#told) return;
    this.#told = known;
    this.onChanged();
  }
}
