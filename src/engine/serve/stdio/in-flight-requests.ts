import { InFlightMap } from '../../base/in-flight-map.js';
import type { MessageId } from '../../protocol/envelope.js';
import type { Era } from '../../protocol/eras.js';
import type { Batch } from './batch.js';

/** An unanswered request. */
export interface InFlightRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly era: Era;
  readonly progressToken: unknown;
  /** The batch that its response is part of. */
  readonly batch: Batch | undefined;
}

/** Most cancelled ids that are kept, to drop messages that handlers still send for them. */
const rememberedCancellations = 4096;

/**
 * Requests in flight on one pipe, of both eras together: ids are unique per sender, not per era
 * (MCP basic, Requests), and `"1"` is not `1`.
 */
export class InFlightRequests {
  readonly #open = new InFlightMap<MessageId, InFlightRequest>();
  readonly #cancelled = new Set<MessageId>();
  #parked = 0;
  #onIdle: (() => void) | undefined;

  has(id: MessageId): boolean {
    return this.#open.has(id);
  }

  get(id: MessageId): InFlightRequest | undefined {
    return this.#open.get(id);
  }

  of(era: Era): InFlightRequest[] {
    return this.#open.values().filter((call) => call.era === era);
  }

  add(call: InFlightRequest): void {
    this.#open.set(call.id, call);
    if (this.#cancelled.size > 0) this.#cancelled.delete(call.id);
    if (isParked(call)) this.#parked += 1;
  }

  /** Removes an answered request and returns it; undefined if it was not open. */
  settle(id: MessageId): InFlightRequest | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    this.#open.delete(id);
    if (isParked(call)) this.#parked -= 1;
    return call;
  }

  cancel(id: MessageId): InFlightRequest | undefined {
    const call = this.settle(id);
    if (call === undefined) return undefined;
    this.#cancelled.add(id);
    if (this.#cancelled.size > rememberedCancellations) {
      for (const oldest of this.#cancelled) {
        this.#cancelled.delete(oldest);
        break;
      }
    }
    return call;
  }

  isCancelled(id: MessageId): boolean {
    return this.#cancelled.has(id);
  }

  hasProgressToken(token: unknown): boolean {
    return this.#open.values().some(({ progressToken }) => progressToken === token);
  }

  /** True if no response is due. Open subscriptions do not count: they end with the client or the session. */
  get isIdle(): boolean {
    return this.#open.size === this.#parked;
  }

  /** Calls back once, when the last due response is written. */
  whenIdle(callback: () => void): void {
    this.#onIdle = callback;
    this.noteIdle();
  }

  noteIdle(): void {
    if (this.#onIdle === undefined || !this.isIdle) return;
    const callback = this.#onIdle;
    this.#onIdle = undefined;
    callback();
  }
}

function isParked({ method }: InFlightRequest): boolean {
  return method === 'subscriptions/listen';
}
