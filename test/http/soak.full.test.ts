import { expect, test } from 'vitest';
import { createHandler } from '../../src/engine/serve/http/create-handler.js';
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
    {
      name: 'wait',
      description: 'Waits until nobody waits for it.',
      handler: async (_: unknown, { signal, progress }: Message) => {
        progress(1);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
          if (signal.aborted) resolve();
        });
      },
    },
    {
      name: 'leave',
      description: 'Lets go of its stream.',
      handler: (_: unknown, ctx: Message) => {
        ctx.closeStream();
        return 'found again';
      },
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

const called = (name: string, args: object, id: unknown = 1) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: id } },
});

/** Goes when the first of a stream has come. */
async function leaveAfterFirst({ body }: Response): Promise<void> {
  const reader = body!.getReader();
  await reader.read();
  await reader.cancel();
}

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
    (id) => session(id, abandoned),
    (id) => session(id, cancelled),
    (id) => session(id, takenUpAgain),
    () => abandonedCall(),
    (id) => answered(modernRequest(url, 'tools/list', {}, { 'mcp-method': `not-${id}` })),
  ];

  async function answered(request: Request): Promise<Response> {
    const response = await handler(request);
    await response.text();
    return response;
  }

  async function subscription(): Promise<void> {
    const notifications = { toolsListChanged: true };
    await leaveAfterFirst(await handler(modernRequest(url, 'subscriptions/listen', { notifications })));
  }

  async function abandonedCall(): Promise<void> {
    const _meta = { ...capable, progressToken: 1 };
    await leaveAfterFirst(await handler(modernRequest(url, 'tools/call', { name: 'wait', _meta })));
  }

  /** What is done in a session, beside a call that is answered. */
  type Deed = (own: Readonly<Record<string, string>>) => Promise<unknown>;

  async function session(id: number, ...deeds: readonly Deed[]): Promise<void> {
    const clientInfo = { name: 'soak', version: '1' };
    const capabilities = { elicitation: {} };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    const opened = await post({ id: 0, method: 'initialize', params });
    await opened.text();
    const own = {
      'mcp-session-id': opened.headers.get('mcp-session-id')!,
      'mcp-protocol-version': '2025-11-25',
    };
    await (await post(called('echo', { id }), own)).text();
    for (const deed of deeds) await deed(own);
    const closed = await answered(new Request(url, { method: 'DELETE', headers: own }));
    expect(closed.status).toBe(200);
  }

  async function post(message: object, own: Readonly<Record<string, string>> = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return await handler(new Request(url, { method: 'POST', headers: { ...headers, ...own }, body }));
  }

  /** Two calls whose client goes: one at work, one with a question. */
  async function abandoned(own: Readonly<Record<string, string>>): Promise<void> {
    await leaveAfterFirst(await post(called('wait', {}, 2), own));
    await leaveAfterFirst(await post(called('ask', {}, 3), own));
  }

  async function cancelled(own: Readonly<Record<string, string>>): Promise<void> {
    const response = await post(called('wait', {}, 2), own);
    await post({ method: 'notifications/cancelled', params: { requestId: 2 } }, own);
    await response.text();
  }

  async function takenUpAgain(own: Readonly<Record<string, string>>): Promise<void> {
    const left = await (await post(called('leave', {}, 2), own)).text();
    const headers = { ...own, accept: 'text/event-stream', 'last-event-id': /^id: (.*)$/m.exec(left)![1]! };
    const again = await handler(new Request(url, { headers }));
    expect(await again.text()).toContain('found again');
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
