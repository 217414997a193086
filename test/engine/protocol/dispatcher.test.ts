import type { Transport } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { Dispatcher } from '../../../src/engine/protocol/dispatcher.js';

test('takes no response with an empty or missing id for the first request', async () => {
  const dispatcher = new Dispatcher({
    era: 'legacy',
    info: { name: 'test', version: '1' },
    capabilities: () => ({}),
    handlerOf: () => undefined,
    report: () => {},
  });
  const sent: { id?: unknown }[] = [];
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => void sent.push(message as { id?: unknown }),
  };
  await dispatcher.connect(transport);
  const answer = dispatcher.ask({ method: 'roots/list', params: {} });
  for (const id of ['', undefined, 0])
    transport.onmessage!({ jsonrpc: '2.0', id, result: { of: String(id) } } as never);
  expect(sent).toMatchObject([{ id: 0 }]);
  expect(await answer).toEqual({ of: '0' });
});
