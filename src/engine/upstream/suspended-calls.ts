import { ToolError } from '../runtime/result-builders.js';
import type { UpstreamCall } from './upstream-call.js';

export interface SuspendedCallsOptions {
  /** Longest wait for the retry of a client, in milliseconds. Default: 15 minutes. */
  readonly keepMs: number;
  /** Most suspended calls. Default: 100. */
  readonly most: number;
}

const defaults: SuspendedCallsOptions = { keepMs: 15 * 60_000, most: 100 };

/**
 * Calls of upstream servers that continue while their clients are asked. On 2026-07-28 the handler ends with an input
 * request and runs again with the answer.
 */
export class SuspendedCalls {
  readonly #options: SuspendedCallsOptions;
  readonly #calls = new Map<string, UpstreamCall>();

  constructor(options: SuspendedCallsOptions = defaults) {
    this.#options = options;
  }

  /** Keeps a call until its client retries, and returns its id. @throws ToolError if too many calls are kept */
  keep(call: UpstreamCall): string {
    const { keepMs, most } = this.#options;
    if (this.#calls.size >= most) {
      const reason = new ToolError(
        `${most} calls wait for answers of their users, which are the most. Try again later.`,
      );
      call.cancel(reason);
      throw reason;
    }
    const id = crypto.randomUUID();
    this.#calls.set(id, call);
    call.onDone = () => void this.#calls.delete(id);
    call.onAlone = () => {
      const timer = setTimeout(() => {
        if (call.isAttended) return;
        this.#calls.delete(id);
        call.cancel(new Error('its client did not come back'));
      }, keepMs);
      timer.unref();
    };
    return id;
  }

  /** Returns a kept call. @throws ToolError if the call is over, or runs in another process */
  find(id: string): UpstreamCall {
    const call = this.#calls.get(id);
    if (call) return call;
    throw new ToolError(
      'The upstream server no longer waits for these answers: they took too long, or the server was restarted. Call again.',
    );
  }

  cancelAll(reason: Error): void {
    for (const call of this.#calls.values()) call.cancel(reason);
    this.#calls.clear();
  }
}
