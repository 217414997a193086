import { isProtocolError } from './authoring-symbols.js';
import type { Context } from './context.js';
import { type HookWatch, initializeHook, watched } from './hook-watch.js';
import { inputUnsupported } from './input-required.js';
import type { Lazy } from './lazy-function.js';
import type { Initializer } from './specs.js';

/** A failed `initialize` hook. The cause is the error that it threw. */
export class InitializeError extends Error {
  override readonly name = 'InitializeError';
}

/** Hooks that run before an item's first use. */
export interface InitializeHooks {
  readonly server: Lazy<Initializer> | undefined;
  readonly tool?: Lazy<Initializer> | undefined;
}

/** Runs the `initialize` hooks of one running server: each once, on first need. A failed hook runs again. */
export class Initializers {
  readonly #runs = new Map<Lazy<Initializer>, Promise<unknown>>();
  readonly #done = new Set<Lazy<Initializer>>();
  readonly #signal: AbortSignal;
  readonly #watch: HookWatch | undefined;

  /** `signal` stops the hooks. It belongs to the whole running server, not to the first call. */
  constructor(signal: AbortSignal = new AbortController().signal, watch?: HookWatch) {
    this.#signal = signal;
    this.#watch = watch;
  }

  /**
   * Runs the hook of a server, then the hook of a tool. Undefined if neither has to run. Rejects with InitializeError, or
   * with the protocol error that a hook threw.
   */
  ready({ server, tool }: InitializeHooks, ctx: Context): Promise<void> | undefined {
    const isWaiting = (hook: Lazy<Initializer> | undefined) => hook !== undefined && !this.#done.has(hook);
    if (!isWaiting(server) && !isWaiting(tool)) return undefined;
    return this.#run({ server, tool }, ctx);
  }

  async #run({ server, tool }: InitializeHooks, ctx: Context): Promise<void> {
    const { tool: _, ...general } = this.#detached(ctx);
    if (server) {
      await this.#once(server, async (initialize) => {
        const run = async () => await initialize({ ...general, options: {} });
        await watched(this.#watch, { hook: initializeHook, limitMs: Number.POSITIVE_INFINITY }, run);
      });
    }
    if (tool) await this.#once(tool, async (initialize) => await initialize(this.#detached(ctx)));
  }

  /** A hook runs for all calls, so its context has nothing that belongs to the first call. */
  #detached(ctx: Context): Context {
    const nobody = {
      ...inputUnsupported('"initialize"'),
      root: undefined,
      session: undefined,
      auth: undefined,
      meta: {},
    };
    return { ...ctx, ...nobody, signal: this.#signal, progress: () => {}, callTool: refuseCall, locals: {} };
  }

  #once(hook: Lazy<Initializer>, start: (initialize: Initializer) => Promise<unknown>): Promise<unknown> {
    const known = this.#runs.get(hook);
    if (known) return known;
    const run = hook().then(start).catch(throwInitializeError);
    this.#runs.set(hook, run);
    run.then(
      () => this.#done.add(hook),
      () => this.#runs.delete(hook),
    );
    return run;
  }
}

function throwInitializeError(cause: unknown): never {
  if (isProtocolError(cause)) throw cause;
  throw new InitializeError('"initialize" failed', { cause });
}

/** A tool that an initializer calls would wait for that initializer. */
async function refuseCall(name: string): Promise<never> {
  throw new Error(`"initialize" called the tool "${name}", which waits for "initialize".`);
}
