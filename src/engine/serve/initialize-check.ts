import type { LazyHost } from '../host/lazy-host.js';
import { type InitializeFault, initializeLine } from '../live/initialize-faults.js';
import type { ItemSource, LiveServer } from '../live/live-server.js';
import { findShortfall } from '../runtime/requirements.js';
import type { ToolSpec } from '../runtime/specs.js';

export interface InitializeCheckOptions {
  readonly live: LiveServer;
  readonly host: LazyHost;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest run of all hooks together. */
  readonly limitMs: number;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Runs all `initialize` hooks of a server once, and reports those that fail. Lists wait for the end. */
export class InitializeCheck implements ItemSource {
  readonly #options: InitializeCheckOptions;
  #run: Promise<void> | undefined;

  constructor(options: InitializeCheckOptions) {
    this.#options = options;
  }

  isPending(): boolean {
    return false;
  }

  reasons(): readonly string[] {
    return [];
  }

  async wait(): Promise<void> {
    this.#run ??= this.#check();
    await this.#run;
  }

  async #check(): Promise<void> {
    const { live } = this.#options;
    const until = performance.now() + this.#options.limitMs;
    const { qualifiedName: item, initialize, registry } = live.current;
    if (initialize && !(await this.#isSound({ kind: 'server', item }, undefined, until))) return;
    for (const tool of registry.all('tools')) {
      if (tool.initialize && (await this.#isRunnable(tool)))
        await this.#isSound({ kind: 'tool', item: tool.item }, tool.name, until);
    }
  }

  /** False if a requirement is missing: calls then fail before the hook. */
  async #isRunnable({ requires }: ToolSpec): Promise<boolean> {
    const { env, bin } = await findShortfall(requires, { can: () => true, env: this.#options.env });
    return env.length + bin.length === 0;
  }

  /** Runs one hook. Returns false after a fault, which is reported. */
  async #isSound(
    about: Pick<InitializeFault, 'kind' | 'item'>,
    tool: string | undefined,
    until: number,
  ): Promise<boolean> {
    const leftMs = Math.max(1, Math.round(until - performance.now()));
    const { reason, isLate } = await this.#options.host.initialize(tool, leftMs);
    if (reason !== undefined) this.#options.report(initializeLine({ ...about, reason, isLate }));
    return reason === undefined;
  }
}
