import type { Context } from './context.js';
import type { Lazy } from './lazy.js';
import type { Initializer } from './specs.js';

/** Runs the `initialize` hooks of one served server: each once, on first need; one that failed runs again. */
export class Initializers {
  readonly #runs = new Map<Lazy<Initializer>, Promise<unknown>>();

  /** Waits for the hooks of a server and then of one of its tools. Rejects with what the hook threw. */
  async ready(hooks: readonly (Lazy<Initializer> | undefined)[], ctx: Context): Promise<void> {
    for (const hook of hooks) if (hook) await this.#once(hook, ctx);
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
