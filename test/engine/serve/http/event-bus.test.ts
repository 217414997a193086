import { expect, test } from 'vitest';
import { createHandler } from '../../../../src/engine/serve/http/create-handler.js';
import type { EventBus, ServerEvent } from '../../../../src/engine/serve/http/event-bus.js';
import { defineServer } from '../../../../src/index.js';
import { modernRequest } from '../../../support/http-client.js';
import type { Message } from '../../../support/program.js';

const url = 'http://localhost/mcp';

const definition = defineServer({
  tools: [
    {
      name: 'tick',
      description: 'The clock goes on.',
      handler: (_: unknown, ctx: Message) => {
        ctx.notifyResourceUpdated('clock://time');
        return 'ticked';
      },
    },
  ],
  resources: [
    { uri: 'clock://time', name: 'time', description: 'The time.', text: 'noon', subscribable: true },
  ],
});

/** A handler on a bus, and the lines that it reports. */
function open(bus: Partial<EventBus>) {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const whole = { publish: () => {}, subscribe: () => () => {}, ...bus };
  return { handler: createHandler(definition, { env: {}, bus: whole, report }), lines };
}

test('drops values of a bus that are not events, and reports this once', async () => {
  const listeners = new Set<(event: ServerEvent) => void>();
  const { handler, lines } = open({
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const notifications = { resourceSubscriptions: ['clock://time'] };
  const response = await handler(modernRequest(url, 'subscriptions/listen', { notifications }));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  while (!told.includes('acknowledged')) told += (await reader.read()).value;
  const strangers: unknown[] = [null, 7, 'x', [], {}, { kind: 7 }, { kind: 'constructor_list_changed' }];
  const event = { kind: 'resource_updated', uri: 'clock://time' };
  for (const brought of [...strangers, { kind: 'resource_updated', uri: 7 }, event]) {
    for (const listener of listeners) listener(brought as ServerEvent);
  }
  while (!told.includes('notifications/resources/updated')) told += (await reader.read()).value;
  expect(lines).toEqual([
    'The event bus delivered an invalid event, which was dropped: null. Later ones are not reported.',
  ]);
  await handler.close();
});

test('reports a bus that fails late, and fails no call', async () => {
  const { handler, lines } = open({
    publish: (async () => {
      throw new Error('no connection');
    }) as () => void,
  });
  const response = await handler(modernRequest(url, 'tools/call', { name: 'tick' }));
  expect(await response.text()).toContain('ticked');
  await expect.poll(() => lines).toEqual(['The event bus did not take resource_updated: no connection']);
  await handler.close();
});

test('a bus whose subscriptions cannot be ended is refused', async () => {
  const { handler } = open({ subscribe: (async () => () => {}) as never });
  await expect(handler.ready()).rejects.toThrow(/nothing that ends a subscription/);
});
