import type { Obtain, Settled } from '../extension/obtain.js';
import { type ComingKind, type Lack, packagesIn, whoNeeds } from '../items/lacks.js';
import type { ServedKind } from '../items/registry.js';
import { messageOf } from '../thrown.js';
import type { Audience } from './audience.js';
import { type Coming, orUntil, withReasons } from './coming.js';
import { oneLine } from './one-line.js';

/** A server after packages came: what it still lacks, and whose lists are not what they were. */
export interface Renewal {
  readonly lacks: readonly Lack[];
  readonly changed: readonly ServedKind[];
}

export interface OutstandingOptions {
  readonly lacks: readonly Lack[];
  readonly obtain: Obtain;
  /** Composes the server anew, of what is here now. */
  readonly renew: () => Promise<Renewal>;
  /** Who is told that lists which they may have read have changed. */
  readonly audience: Pick<Audience, 'listChanged'>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
  readonly patience?: Patience | undefined;
}

/** How long things may take. */
export interface Patience {
  /** How long a list, or who asks for something that is not known, is kept waiting for packages. */
  readonly waitMs: number;
  /** How soon packages that could not be had are asked for again. */
  readonly retryAfterMs: number;
}

/** Impatient clients give up on a list, or on the whole server, after 30 seconds. */
const defaultPatience: Patience = { waitMs: 25_000, retryAfterMs: 60_000 };

interface Run {
  readonly done: Promise<void>;
  /** Until when lists wait for it, by the clock of `performance`. */
  readonly listsWaitUntil: number;
}

/**
 * What a server that is being served still waits for: items of packages that are not here. They are obtained when a list
 * or something unknown is first asked for, since clients probe with servers that they end at once.
 */
export class Outstanding implements Coming {
  readonly isLasting = false;
  readonly #options: OutstandingOptions;
  readonly #patience: Patience;
  /** Why a package, or what was wanted of it, could not be had, as a sentence. */
  readonly #reasons = new Map<string, string>();
  /** Packages that could not be had, though others are still being installed. */
  readonly #lost = new Set<string>();
  /** Kinds that were listed as they were. */
  readonly #behind = new Set<ServedKind>();
  #lacks: readonly Lack[];
  #run: Run | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: OutstandingOptions) {
    this.#options = options;
    this.#lacks = options.lacks;
    this.#patience = options.patience ?? defaultPatience;
  }

  /** Whether items of a kind may still come. */
  includes(kind: ComingKind): boolean {
    return this.#lacks.some(({ kinds }) => kinds.includes(kind));
  }

  /** Waits until a list is whole, or has to be answered as it is. */
  async forList(kind: ServedKind, signal: AbortSignal): Promise<void> {
    if (!this.includes(kind)) return;
    this.#behind.delete(kind);
    const run = this.#obtain();
    if (run) await orUntil(run.done, run.listsWaitUntil - performance.now(), signal);
    if (this.includes(kind)) this.#behind.add(kind);
  }

  /** Looks for an item again once it may have come; undefined if it has not. */
  async find<T>(kind: ComingKind, look: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
    if (!this.includes(kind)) return undefined;
    const run = this.#obtain();
    if (run) await orUntil(run.done, this.#patience.waitMs, signal);
    return look();
  }

  explain(what: string, kind: ServedKind): string {
    return withReasons(what, this.reasons(kind));
  }

  reasons(kind: ServedKind): readonly string[] {
    const lacking = this.#lacks.filter(({ kinds }) => kinds.includes(kind));
    return packagesIn(lacking).map((name) => {
      if (this.#run && !this.#lost.has(name))
        return `The package ${name} is still being installed; try again in a moment.`;
      return this.#reasonFor(name);
    });
  }

  /** Nothing has been tried yet for what was only found to be lacking when nobody was served any more. */
  #reasonFor(name: string): string {
    return this.#reasons.get(name) ?? `The package ${name} is not installed.`;
  }

  /** Begins to obtain what is lacking, unless that is under way or has just failed. */
  #obtain(): Run | undefined {
    if (this.#run) return this.#run;
    if (performance.now() - this.#failedAt < this.#patience.retryAfterMs) return undefined;
    const done = this.#obtainAll().finally(() => {
      this.#run = undefined;
      if (this.#lacks.length > 0) this.#failedAt = performance.now();
    });
    this.#run = { done, listsWaitUntil: performance.now() + this.#patience.waitMs };
    return this.#run;
  }

  /** What came may refer to further packages. */
  async #obtainAll(): Promise<void> {
    const { signal, report } = this.#options;
    const tried = new Set<string>();
    for (;;) {
      const names = packagesIn(this.#lacks).filter((name) => !tried.has(name));
      if (names.length === 0 || signal.aborted) break;
      for (const name of names) tried.add(name);
      await this.#obtainOnce(names);
    }
    if (signal.aborted) return;
    for (const name of packagesIn(this.#lacks)) {
      report(`${this.#reasonFor(name)} Needed by ${whoNeeds(name, this.#lacks)}.`);
    }
  }

  async #obtainOnce(names: readonly string[]): Promise<void> {
    const { obtain, renew, signal } = this.#options;
    for (const name of names) this.#lost.delete(name);
    const onSettled = (one: Settled) => {
      if ('version' in one) return;
      this.#lost.add(one.name);
      this.#reasons.set(one.name, sentence(lostReason(one.name, one.reason)));
    };
    const failures = await obtain(names, { signal, onSettled }).catch(
      (error: unknown) => new Map(names.map((name) => [name, messageOf(error)])),
    );
    const unusable = await renew().then((renewal) => this.#accept(renewal), messageOf);
    for (const name of names) {
      const failure = failures.get(name);
      const reason =
        failure === undefined
          ? (unusable ?? `The package ${name} was installed, and is not found all the same`)
          : lostReason(name, failure);
      this.#reasons.set(name, sentence(reason));
    }
  }

  #accept({ lacks, changed }: Renewal): undefined {
    this.#lacks = lacks;
    for (const kind of changed) if (this.#behind.delete(kind)) this.#options.audience.listChanged(kind);
  }
}

function lostReason(name: string, reason: string): string {
  return `The package ${name} could not be installed: ${reason}`;
}

function sentence(text: string): string {
  return `${oneLine(text).replace(/\.$/, '')}.`;
}
