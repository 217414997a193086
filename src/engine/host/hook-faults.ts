import type { Excluded } from './host-messages.js';

/** Deaths of hosts in a row during a hook, after which the hook is skipped. */
const most = 2;

/** Hooks of one server that block or end its hosts. */
export class HookFaults {
  readonly #counts = new Map<string, number>();
  readonly #leftOut = new Map<string, string>();

  /** Skipped hooks, each with the reason. */
  get leftOut(): Excluded {
    return Object.fromEntries(this.#leftOut);
  }

  /**
   * Records that a host ended while a hook ran. `isCertain`: nothing else ran. Returns true if the hook is now skipped.
   */
  record(hook: string, reason: string, isCertain: boolean): boolean {
    const count = (this.#counts.get(hook) ?? 0) + (isCertain ? most : 1);
    this.#counts.set(hook, count);
    if (count < most) return false;
    this.#leftOut.set(hook, `it is left out for 5 minutes, since the extension host ${reason} while it ran`);
    return true;
  }

  /** Records that a hook completed. */
  clear(hook: string): void {
    this.#counts.delete(hook);
    this.#leftOut.delete(hook);
  }
}
