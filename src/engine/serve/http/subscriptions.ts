import type { MessageId } from '../../protocol/envelope.js';
import {
  acknowledgment,
  endOfSubscription,
  reports,
  type SubscriptionFilter,
  toNotification,
} from '../../protocol/subscriptions.js';
import type { EventBus } from './event-bus.js';

interface SubscriptionsOptions {
  readonly bus: EventBus;
  /** Interval of the comments that keep a silent stream open; 0: none. */
  readonly keepAliveMs: number;
}

interface Subscription {
  readonly id: MessageId;
  readonly filter: SubscriptionFilter;
  readonly serverInfo: unknown;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  // Proxies such as nginx would buffer events.
  'X-Accel-Buffering': 'no',
};

/**
 * The streams of `subscriptions/listen` over HTTP. Each reports the events of the bus that its client subscribed to.
 * @see MCP 2026-07-28, basic/patterns/subscriptions
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  /** Ends each open stream with its result. */
  readonly #open = new Set<() => void>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  open({ id, filter, serverInfo, signal }: Subscription): Response {
    const { bus, keepAliveMs } = this.#options;
    const encoder = new TextEncoder();
    let stop = () => {};
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const send = (message: unknown) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      send(acknowledgment(id, filter));
      const unsubscribe = bus.subscribe((event) => {
        if (reports(filter, event)) send(toNotification(id, event));
      });
      const timer = keepAliveMs > 0 ? setInterval(() => write(': keepalive\n\n'), keepAliveMs) : undefined;
      // The timer must not keep Node running. On other platforms it may be a number.
      (timer as { unref?: () => void } | undefined)?.unref?.();
      stop = () => {
        stop = () => {};
        unsubscribe();
        clearInterval(timer);
        signal.removeEventListener('abort', leave);
        this.#open.delete(end);
      };
      const leave = () => {
        stop();
        controller.close();
      };
      const end = () => {
        send(endOfSubscription(id, serverInfo));
        leave();
      };
      this.#open.add(end);
      if (signal.aborted) leave();
      // A subscription to nothing ends at once.
      else if (Object.keys(filter).length === 0) end();
      else signal.addEventListener('abort', leave);
    };
    return new Response(new ReadableStream({ start, cancel: () => stop() }), { headers });
  }

  /** Sends each subscription its result. */
  close(): void {
    for (const end of [...this.#open]) end();
  }
}
