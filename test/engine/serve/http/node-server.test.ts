import { expect, test } from 'vitest';
import type { Service } from '../../../../src/engine/serve/http/http-service.js';
import { serveNodeHttp } from '../../../../src/engine/serve/http/node-server.js';

test('sends a response to its end within the drain time', async () => {
  let writer!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      writer = controller;
    },
  });
  const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const service = {
    limits: { bodyTimeoutMs: 60_000 },
    answer: async () => answer,
    drain: async () => {},
  } as unknown as Service;
  const listening = await serveNodeHttp(service, { host: '127.0.0.1', port: 0 });
  const response = await fetch(`http://127.0.0.1:${listening.port}/`);
  writer.enqueue(new TextEncoder().encode('begun, '));
  const drained = listening.drain(60_000);
  // Longer than the least time that remains for final messages.
  await new Promise((resolve) => setTimeout(resolve, 800));
  writer.enqueue(new TextEncoder().encode('ended'));
  writer.close();
  expect(await response.text()).toBe('begun, ended');
  await drained;
});
