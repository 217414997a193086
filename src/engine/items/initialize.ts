import type { Context } from './context.js';
import type { Lazy } from './lazy.js';
import type { Initializer } from './specs.js';

/** Runs the `initialize` hooks of one served server: each once, on first need; one that failed runs again. */
export class Initializers {
  readonly #runs = new Map<Lazy<Initializer>, Promise<unknown>>();
  readonly #done = new Set<Lazy<Initializer>>();

  /**
   * The hooks of a server and then of one of its tools; nothing to wait for when there are none, or all have run.
   * Rejects with what a hook threw.
   */
  ready(hooks: readonly (Lazy<Initializer> | undefined)[], ctx: Context): Promise<void> | undefined {
    const waiting = hooks.filter((hook) => hook !== undefined && !this.#done.has(hook));
    return waiting.length > 0 ? this.#run(waiting as Lazy<Initializer>[], ctx) : undefined;
  }

  async #run(hooks: readonly Lazy<Initializer>[], ctx: Context): Promise<void> {
    for (const hook of hooks) {
      await this.#once(hook, ctx);
      this.#done.add(hook);
    }
  }

  #once(hook: Lazy<Initializer>, ctx: Context): Promise<unknown> {
    const known = this.#runs.get(hook);
    if (known) return known;
    const run = hook().then((initialize) => initialize(ctx));
    this.#runs.set(hook, run);
    run.catch(() => this.#runs.delete(hook));
    return run;
  }
}
