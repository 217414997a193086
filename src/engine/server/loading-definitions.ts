import { setTimeout as sleep } from 'node:timers/promises';
import { waitAtMost } from '../base/wait.js';
import type { ItemSource, WaitPurpose } from '../live/live-server.js';
import type { PendingKind } from '../runtime/missing-packages.js';
import type { ServedKind } from '../runtime/served-kind.js';

export interface LoadingDefinitionsOptions {
  /** Kinds with definitions that are still loading. */
  readonly kinds: readonly PendingKind[];
  /** Resolves when one more definition is loaded or left out. */
  readonly progress: () => Promise<void>;
  /** Composes the server again and returns the kinds with definitions that are still loading. */
  readonly renew: () => Promise<readonly PendingKind[]>;
  /** Longest wait of lists, in milliseconds from now. */
  readonly waitMs: number;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

/** Longest wait for one definition by a client that reads a list only once, in milliseconds. The client ends it before. */
const longestMs = 60_000;

/** Pause before a composition, in milliseconds: definitions that finish together cost only one. */
const gatherMs = 100;

/** Definitions in code that were still loading when the server answered its handshake. Lists wait for them. */
export class LoadingDefinitions implements ItemSource {
  readonly #options: LoadingDefinitionsOptions;
  readonly #listsWaitUntil: number;
  #kinds: readonly PendingKind[];
  #renewed: Promise<void>;
  #onRenewed: () => void = () => {};

  constructor(options: LoadingDefinitionsOptions) {
    this.#options = options;
    this.#kinds = options.kinds;
    this.#listsWaitUntil = performance.now() + options.waitMs;
    this.#renewed = this.#next();
    void this.#follow();
  }

  isPending(kind: PendingKind): boolean {
    return this.#kinds.includes(kind);
  }

  async wait(kind: PendingKind, purpose: WaitPurpose, signal: AbortSignal): Promise<void> {
    while (this.isPending(kind) && !signal.aborted) {
      const leftMs = purpose === 'whole' ? longestMs : this.#listsWaitUntil - performance.now();
      if (leftMs <= 0) return;
      await waitAtMost(this.#renewed, leftMs, signal);
    }
  }

  reasons(kind: ServedKind): readonly string[] {
    return this.isPending(kind) ? ['Definitions are still loading; try again in a moment.'] : [];
  }

  async #follow(): Promise<void> {
    const { progress, renew, signal } = this.#options;
    while (this.#kinds.length > 0 && !signal.aborted) {
      await progress();
      await sleep(gatherMs);
      if (signal.aborted) return;
      this.#kinds = await renew();
      const renewed = this.#onRenewed;
      this.#renewed = this.#next();
      renewed();
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRenewed = resolve;
    });
  }
}
