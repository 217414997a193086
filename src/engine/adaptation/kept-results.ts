/** A result that was too long for its client. */
export interface KeptResult {
  /** Owner of the result, from the token of the request. Empty without tokens. */
  readonly owner: string;
  /** Its text, in parts that the client can read. */
  readonly pages: readonly string[];
  readonly mimeType: string;
}

/** Most UTF-16 units of all kept results of a server. */
const maxLength = 16 * 1024 * 1024;

/** Long results of one server, while it runs. The newest stay. */
export class KeptResults {
  readonly #results = new Map<string, KeptResult>();
  #length = 0;

  /** Keeps a result and returns its id, which cannot be guessed. Undefined: it is too long. */
  keep(result: KeptResult): string | undefined {
    const length = lengthOf(result);
    if (length > maxLength) return undefined;
    const id = crypto.randomUUID();
    this.#results.set(id, result);
    this.#length += length;
    for (const [oldest, one] of this.#results) {
      if (this.#length <= maxLength) break;
      this.#results.delete(oldest);
      this.#length -= lengthOf(one);
    }
    return id;
  }

  find(id: string, owner: string): KeptResult | undefined {
    const result = this.#results.get(id);
    return result?.owner === owner ? result : undefined;
  }
}

function lengthOf({ pages }: KeptResult): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}
