import { AgentToolsError } from '../../base/errors.js';
import { errorMessage } from '../../base/thrown-value.js';
import { shortenText, visibleLine } from '../../base/visible-text.js';
import { isObject } from '../../protocol/envelope.js';
import type { ServerEvent } from '../../protocol/subscriptions.js';

export type { ServerEvent };

/**
 * Carries events to every process that serves the same server. What is published reaches all subscribers, those of the
 * process that published it included. The default stays in one process.
 */
export interface EventBus {
  publish(event: ServerEvent): void;
  /** Gives what ends the subscription. */
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

/** Whether something that came over a bus is an event. Whoever reaches what carries it may send anything. */
function isEvent(value: unknown): value is ServerEvent {
  if (!isObject(value)) return false;
  if (value.kind === 'resource_updated') return typeof value.uri === 'string';
  return listEvents.includes(value.kind);
}

/** A bus that brings nothing but events and fails nobody who publishes. What is wrong with it is reported. */
export function guardedBus(bus: EventBus, report: (line: string) => void): EventBus {
  let hasTold = false;
  const drop = (value: unknown) => {
    // Whoever sends it once may go on.
    if (hasTold) return;
    hasTold = true;
    report(
      `The event bus brought what is no event, and it was dropped: ${quoteShort(value)}. More are not told of.`,
    );
  };
  return {
    publish(event) {
      const fail = (error: unknown) =>
        report(`The event bus did not take ${event.kind}: ${errorMessage(error)}`);
      try {
        // Those that go over a network tell later that it failed.
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
