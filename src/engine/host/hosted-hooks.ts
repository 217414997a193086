import type { HookWatch } from '../runtime/hook-watch.js';
import type { Excluded, FromHost } from './host-messages.js';

/** Time until a hook that blocked or ended a host runs again, in milliseconds. */
const leftOutMs = 5 * 60_000;

/**
 * Hooks of a server in its host. Notifies the front of each start and end, so the front can identify a blocking hook.
 */
export class HostedHooks implements HookWatch {
  readonly #leftOut: Excluded;
  readonly #send: (message: FromHost) => void;
  readonly #until = performance.now() + leftOutMs;

  constructor(leftOut: Excluded, send: (message: FromHost) => void) {
    this.#leftOut = leftOut;
    this.#send = send;
  }

  /** @throws Error if the hook is skipped */
  enter(hook: string, limitMs: number): () => void {
    const reason = Object.hasOwn(this.#leftOut, hook) ? this.#leftOut[hook] : undefined;
    if (reason !== undefined && performance.now() < this.#until) throw new Error(reason);
    const limit = Number.isFinite(limitMs) ? limitMs : null;
    this.#send({ type: 'hook', hook, isOver: false, limitMs: limit });
    return () => this.#send({ type: 'hook', hook, isOver: true, limitMs: limit });
  }
}
