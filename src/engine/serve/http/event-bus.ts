import { AgentToolsError } from '../../base/errors.js';
import { errorMessage } from '../../base/thrown-value.js';
import { isRecord } from '../../base/value-checks.js';
import { shortenText, visibleLine } from '../../base/visible-text.js';
import type { ServerEvent } from '../../protocol/subscriptions.js';

export type { ServerEvent };

/**
 * Carries events to every process of the same server. A published event reaches all subscribers, also in the process
 * that published it. Default: a bus within one process.
 */
export interface EventBus {
  publish(event: ServerEvent): void;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
}

/** A bus within this process. */
export function memoryBus(): EventBus {
  const listeners = new Set<(event: ServerEvent) => void>();
  return {
    publish: (event) => {
      for (const listener of [...listeners]) listener(event);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const listEvents: readonly unknown[] = [
  'tools_list_changed',
  'prompts_list_changed',
  'resources_list_changed',
];

/** True if a value from a bus is an event. Any program with access to the bus may send any value. */
function isEvent(value: unknown): value is ServerEvent {
  if (!isRecord(value)) return false;
  if (value.kind === 'resource_updated') return typeof value.uri === 'string';
  return listEvents.includes(value.kind);
}

/** Wraps a bus: yields only valid events, never throws in `publish`, and reports faults. */
export function guardedBus(bus: EventBus, report: (line: string) => void): EventBus {
  let hasTold = false;
  const drop = (value: unknown) => {
    // One report is enough: the sender may continue.
    if (hasTold) return;
    hasTold = true;
    report(
      `The event bus delivered an invalid event, which was dropped: ${quoteShort(value)}. Later ones are not reported.`,
    );
  };
  return {
    publish(event) {
      const fail = (error: unknown) =>
        report(`The event bus did not take ${event.kind}: ${errorMessage(error)}`);
      try {
        // A bus over a network fails later.
        Promise.resolve(bus.publish(event)).catch(fail);
      } catch (error) {
        fail(error);
      }
    },
    subscribe(listener) {
      const end: unknown = bus.subscribe((event) => (isEvent(event) ? listener(event) : drop(event)));
      if (typeof end === 'function') return end as () => void;
      const message =
        'The event bus gives nothing that ends a subscription. Expected a function of subscribe(listener).';
      throw new AgentToolsError('usage', message);
    },
  };
}

function quoteShort(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shortenText(visibleLine(String(text)), 200);
}
