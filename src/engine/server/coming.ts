import type { ComingKind } from '../items/lacks.js';
import type { ServedKind } from '../items/registry.js';

/** What of a server may still come while it is served, and is waited for by those who ask. */
export interface Coming {
  /** Whether it is never over: what has come may be another thing the next time. */
  readonly isLasting: boolean;
  /** Whether anything of a kind may still come that nothing is known of yet, with whatever belongs to it. */
  includes(kind: ComingKind): boolean;
  /** Waits until a list is whole, or has to be answered as it is. */
  forList(kind: ServedKind, signal: AbortSignal): Promise<void>;
  /** Looks for an item again once it may have come; undefined if it has not. */
  find<T>(kind: ComingKind, look: () => T | undefined, signal: AbortSignal): Promise<T | undefined>;
  /** Why items of a kind are not there, in sentences; none if nothing is missing. */
  reasons(kind: ServedKind): readonly string[];
  /** What an error says, and why items of a kind are not there, if any are missing. */
  explain(what: string, kind: ServedKind): string;
}

/** Several that are waited for as one. More may join while the server is served. */
export class Awaited implements Coming {
  readonly #parts: Coming[] = [];

  add(part: Coming): void {
    this.#parts.push(part);
  }

  get isLasting(): boolean {
    return this.#parts.some((part) => part.isLasting);
  }

  includes(kind: ComingKind): boolean {
    return this.#parts.some((part) => part.includes(kind));
  }

  async forList(kind: ServedKind, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.forList(kind, signal)));
  }

  async find<T>(kind: ComingKind, look: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
    // Whoever has it need not wait for the others.
    return await new Promise((resolve, reject) => {
      const searches = this.#parts.map(async (part) => {
        const found = await part.find(kind, look, signal);
        if (found !== undefined) resolve(found);
      });
      Promise.all(searches).then(() => resolve(look()), reject);
    });
  }

  explain(what: string, kind: ServedKind): string {
    return withReasons(what, this.reasons(kind));
  }

  reasons(kind: ServedKind): readonly string[] {
    return this.#parts.flatMap((part) => part.reasons(kind));
  }
}

/** What an error says, with sentences that say why. */
export function withReasons(what: string, reasons: readonly string[]): string {
  return reasons.length === 0 ? what : [`${what}.`, ...reasons].join(' ');
}

/** Waits for work, but no longer than it may take or anybody wants to know. */
export async function orUntil(work: Promise<unknown>, ms: number, signal: AbortSignal): Promise<void> {
  let stop = () => {};
  const over = new Promise<void>((resolve) => {
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, Math.max(0, ms));
    signal.addEventListener('abort', stop);
  });
  if (!signal.aborted) await Promise.race([work, over]);
  stop();
}
