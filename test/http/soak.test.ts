import { expect, test } from 'vitest';
import { createHandler } from '../../src/engine/server/http/create-handler.js';
import { defineServer } from '../../src/index.js';
import { heapInUse } from '../support/heap.js';
import { modernRequest } from '../support/http-client.js';
import type { Message } from '../support/program.js';

const url = 'http://localhost/mcp';

const requestCount = 12_000;

/** How much of that is to find out what serving needs at all. */
const warmUp = 3000;

/** Of the mebibytes after that: 220 bytes that each request leaves behind come to this. */
const tolerance = 2;

const server = defineServer({
  tools: [
    { name: 'echo', description: 'Echoes.', input: { id: 'number' }, handler: ({ id }: Message) => `${id}` },
    {
      name: 'steps',
      description: 'Tells how far it is.',
      handler: (_: unknown, { progress }: Message) => {
        for (const step of [1, 2, 3]) progress(step);
        return 'done';
      },
    },
    {
      name: 'ask',
      description: 'Asks.',
      handler: async (_: unknown, ctx: Message) =>
        (await ctx.elicit('Who?', { name: 'string' })).content.name,
    },
  ],
  resources: [
    { uriTemplate: 'soak://{id}', name: 'page', description: 'A page.', read: (uri: string) => uri },
  ],
  list: { tools: (_: unknown, registry: Message) => registry.list() },
});

const capable = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

test(`${requestCount} requests leave nothing behind`, async () => {
  const handler = createHandler(server, { env: {} });
  /** Kinds of requests, by turns. */
  const kinds: readonly ((id: number) => Promise<unknown>)[] = [
    (id) => answered(modernRequest(url, 'tools/call', { name: 'echo', arguments: { id } })),
    (id) => answered(modernRequest(url, 'tools/call', { name: 'echo', arguments: { id: `${id}` } })),
    (id) => answered(modernRequest(url, 'tools/call', { name: `unknown-${id}` })),
    (id) =>
      answered(
        modernRequest(url, 'tools/call', {
          name: 'steps',
          _meta: { ...capable, progressToken: id },
        }),
      ),
    () => answered(modernRequest(url, 'tools/call', { name: 'ask', _meta: capable })),
    (id) =>
      answered(
        modernRequest(url, 'tools/call', {
          name: 'ask',
          inputResponses: { e1: { action: 'accept', content: { name: `N${id}` } } },
          _meta: capable,
        }),
      ),
    (id) => answered(modernRequest(url, 'resources/read', { uri: `soak://${id}` })),
    () => subscription(),
    (id) => session(id),
    (id) => answered(modernRequest(url, 'tools/list', {}, { 'mcp-method': `not-${id}` })),
  ];

  async function answered(request: Request): Promise<Response> {
    const response = await handler(request);
    await response.text();
    return response;
  }

  async function subscription(): Promise<void> {
    const notifications = { toolsListChanged: true };
    const response = await handler(modernRequest(url, 'subscriptions/listen', { notifications }));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
  }

  async function session(id: number): Promise<void> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'soak', version: '1' },
    };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = async (message: object, more: Record<string, string> = {}) =>
      await answered(
        new Request(url, {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        }),
      );
    const opened = await post({ id: 0, method: 'initialize', params });
    const own = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    await post({ id, method: 'tools/call', params: { name: 'echo', arguments: { id } } }, own);
    const closed = await answered(new Request(url, { method: 'DELETE', headers: own }));
    expect(closed.status).toBe(200);
  }

  let id = 0;
  const requestsUntil = async (count: number): Promise<number> => {
    while (id < count) {
      await Promise.all(
        Array.from({ length: 20 }, () => {
          id += 1;
          return kinds[id % kinds.length]!(id);
        }),
      );
    }
    return await heapInUse();
  };
  const before = await requestsUntil(warmUp);
  const after = await requestsUntil(requestCount);
  await handler.close();
  expect(after - before).toBeLessThan(tolerance);
}, 240_000);
