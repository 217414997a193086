/** Least additions between two renewals. */
const renewalPeriod = 256;

/**
 * Map for entries that come and go, such as open requests.
 *
 * A `Map` under constant change replaces its table again and again. Once V8 has moved a table to the old generation, each
 * replaced table keeps the next one with its entries alive until a full collection. Then a minor collection copies
 * every removed entry twice. A new `Map` now and then breaks the chain.
 */
export class InFlightMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #additions = 0;

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#additions += 1;
    if (this.#additions > renewalPeriod && this.#additions > this.#entries.size) {
      this.#additions = 0;
      this.#entries = new Map(this.#entries);
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries = new Map();
  }

  /** A copy: callers may change the map while they read it. */
  values(): Value[] {
    return [...this.#entries.values()];
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }
}
