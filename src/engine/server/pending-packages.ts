import { errorMessage } from '../base/thrown-value.js';
import { toOneLine } from '../base/to-one-line.js';
import { waitAtMost } from '../base/wait.js';
import type { InstallMissing, InstallOutcome } from '../extension/installer.js';
import type { ItemSource, LiveServer, WaitPurpose } from '../live/live-server.js';
import { describeDependents, type PendingKind, packagesIn } from '../runtime/missing-packages.js';
import type { ServedKind } from '../runtime/served-kind.js';

export interface PendingPackagesOptions {
  /** The server that misses them; it is composed again after each installation. */
  readonly live: LiveServer;
  readonly obtain: InstallMissing;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
  readonly patience?: Patience | undefined;
}

/** Limits of waits. */
export interface Patience {
  /** Longest wait of a list, or of a request for an unknown item, for packages. */
  readonly waitMs: number;
  /** Pause before failed packages are installed again. */
  readonly retryAfterMs: number;
}

/** Impatient clients give up on a list, or on the whole server, after 30 seconds. */
const defaultWaitLimits: Patience = { waitMs: 25_000, retryAfterMs: 60_000 };

interface PackageInstall {
  readonly done: Promise<void>;
  /** End of the wait of lists, as a time of `performance.now()`. */
  readonly listsWaitUntil: number;
}

/**
 * The missing packages of a server. The first request for a list or an unknown item starts their installation, since
 * clients also start servers only to probe them.
 */
export class PendingPackages implements ItemSource {
  readonly #options: PendingPackagesOptions;
  readonly #patience: Patience;
  /** The reason why a package or an item of it is unavailable, by package, as a sentence. */
  readonly #reasons = new Map<string, string>();
  /** Packages that failed while others are still being installed. */
  readonly #lost = new Set<string>();
  #run: PackageInstall | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PendingPackagesOptions) {
    this.#options = options;
    this.#patience = options.patience ?? defaultWaitLimits;
  }

  isPending(kind: PendingKind): boolean {
    return this.#options.live.lacks.some(({ kinds }) => kinds.includes(kind));
  }

  async wait(kind: PendingKind, purpose: WaitPurpose, signal: AbortSignal): Promise<void> {
    if (!this.isPending(kind)) return;
    const run = this.#obtain();
    if (!run) return;
    const ms = purpose === 'list' ? run.listsWaitUntil - performance.now() : this.#patience.waitMs;
    await waitAtMost(run.done, ms, signal);
  }

  reasons(kind: ServedKind): readonly string[] {
    const lacking = this.#options.live.lacks.filter(({ kinds }) => kinds.includes(kind));
    return packagesIn(lacking).map((name) => {
      if (this.#run && !this.#lost.has(name))
        return `The package ${name} is still being installed; try again in a moment.`;
      return this.#reasonFor(name);
    });
  }

  /** A package found missing only when the server ends has no reason: its installation was never tried. */
  #reasonFor(name: string): string {
    return this.#reasons.get(name) ?? `The package ${name} is not installed.`;
  }

  /** Starts to install missing packages, unless an installation runs or has just failed. */
  #obtain(): PackageInstall | undefined {
    if (this.#run) return this.#run;
    if (performance.now() - this.#failedAt < this.#patience.retryAfterMs) return undefined;
    const done = this.#obtainAll().finally(() => {
      this.#run = undefined;
      if (this.#options.live.lacks.length > 0) this.#failedAt = performance.now();
    });
    this.#run = { done, listsWaitUntil: performance.now() + this.#patience.waitMs };
    return this.#run;
  }

  /** Repeats, since installed packages may refer to further ones. */
  async #obtainAll(): Promise<void> {
    const { signal, report } = this.#options;
    const tried = new Set<string>();
    for (;;) {
      const names = packagesIn(this.#options.live.lacks).filter((name) => !tried.has(name));
      if (names.length === 0 || signal.aborted) break;
      for (const name of names) tried.add(name);
      await this.#obtainOnce(names);
    }
    if (signal.aborted) return;
    for (const name of packagesIn(this.#options.live.lacks)) {
      report(`${this.#reasonFor(name)} Needed by ${describeDependents(name, this.#options.live.lacks)}.`);
    }
  }

  async #obtainOnce(names: readonly string[]): Promise<void> {
    const { live, obtain, signal } = this.#options;
    for (const name of names) this.#lost.delete(name);
    const onSettled = (one: InstallOutcome) => {
      if ('version' in one) return;
      this.#lost.add(one.name);
      this.#reasons.set(one.name, toSentence(lostReason(one.name, one.reason)));
    };
    const failures = await obtain(names, { signal, onSettled }).catch(
      (error: unknown) => new Map(names.map((name) => [name, errorMessage(error)])),
    );
    const unusable = await live.recompose().then(() => undefined, errorMessage);
    for (const name of names) {
      const failure = failures.get(name);
      const reason =
        failure === undefined
          ? (unusable ?? `The package ${name} was installed, but is not found`)
          : lostReason(name, failure);
      this.#reasons.set(name, toSentence(reason));
    }
  }
}

function lostReason(name: string, reason: string): string {
  return `The package ${name} could not be installed: ${reason}`;
}

function toSentence(text: string): string {
  return `${toOneLine(text).replace(/\.$/, '')}.`;
}
