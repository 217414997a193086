import {
  type EventStore,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { Gate } from '../../../../src/engine/serve/http/transport-gate.js';

const events: EventStore = { storeEvent: async () => 's/1', replayEventsAfter: async () => 's' };

/** A gate whose server answers when it is told to. */
async function openGate(protocolVersion: string) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => 'session',
    eventStore: events,
    keepAliveMs: 0,
  });
  const gate = new Gate(transport, 'legacy');
  const received: JSONRPCMessage[] = [];
  gate.onmessage = (message) => void received.push(message);
  await gate.start();
  const post = async (parsedBody: unknown): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'session',
      'mcp-protocol-version': protocolVersion,
    };
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    return await transport.handleRequest(request, { parsedBody });
  };
  const answer = async (id: number) => await gate.send({ jsonrpc: '2.0', id, result: { answered: id } });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await answer(0);
  await opened.text();
  return { transport, post, answer, cancel: (requestId: number) => post(cancellation(requestId)) };
}

const cancellation = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } });

/** How much a transport remembers. */
const sizes = (transport: object) =>
  Object.values(transport).flatMap((value) => (value instanceof Map ? [value.size] : []));

test('leaves the other calls of a batch alone if one is cancelled', async () => {
  const { transport, post, answer, cancel } = await openGate('2025-03-26');
  const response = await post([call(1), call(2), call(3)]);
  await answer(1);
  await cancel(2);
  await answer(2);
  await answer(3);
  const told = await response.text();
  expect(told.match(/"answered":\d/g)).toEqual(['"answered":1', '"answered":3']);
  expect(told).not.toContain('"id":2');
  await expect.poll(() => sizes(transport)).toEqual([0, 0, 0]);
});

test('the last of a batch that is cancelled ends its stream', async () => {
  const { transport, post, answer, cancel } = await openGate('2025-03-26');
  const response = await post([call(1), call(2)]);
  await answer(1);
  await cancel(2);
  expect((await response.text()).match(/"answered":\d/g)).toEqual(['"answered":1']);
  await expect.poll(() => sizes(transport)).toEqual([0, 0, 0]);
});

test('the id of one in a batch that was cancelled is free, and both streams end', async () => {
  const { transport, post, answer, cancel } = await openGate('2025-03-26');
  const batch = await post([call(1), call(2)]);
  await cancel(1);
  const again = await post(call(1));
  await answer(2);
  expect((await batch.text()).match(/"answered":\d/g)).toEqual(['"answered":2']);
  await answer(1);
  expect((await again.text()).match(/"answered":\d/g)).toEqual(['"answered":1']);
  expect(sizes(transport)).toEqual([0, 0, 0]);
});

test('forgets cancelled calls', async () => {
  const { transport, post, cancel } = await openGate('2025-11-25');
  for (let id = 1; id <= 5; id += 1) {
    const response = await post(call(id));
    await cancel(id);
    expect(await response.text()).not.toContain('"jsonrpc"');
  }
  await expect.poll(() => sizes(transport)).toEqual([0, 0, 0]);
});
