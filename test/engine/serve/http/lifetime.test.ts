import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHandler } from '../../../../src/engine/serve/http/create-handler.js';
import type { FetchHandler, HandlerOptions } from '../../../../src/engine/serve/http/fetch-handler.js';
import { defineServer } from '../../../../src/index.js';
import { initializeMessage, modernRequest, postRequest } from '../../../support/http-client.js';
import type { Message } from '../../../support/program.js';

const url = 'http://localhost/mcp';

/** What the tool that waits has come to know, in order. */
let seen: string[] = [];
let release = () => {};
let begun: Promise<void>;
let begin = () => {};

afterEach(() => {
  seen = [];
});

const definition = defineServer({
  tools: [
    {
      name: 'wait',
      description: 'Waits until it is let go, or nobody waits for it.',
      handler: async (_: unknown, { signal, progress }: Message) => {
        signal.addEventListener('abort', () => seen.push('aborted'));
        progress(1);
        begin();
        await new Promise<void>((resolve) => {
          release = resolve;
          signal.addEventListener('abort', () => resolve());
        });
        progress(2);
        seen.push('went on');
        return 'let go';
      },
    },
    {
      name: 'work',
      description: 'Works until it is called off.',
      task: 'required',
      handler: async (_: unknown, { signal }: Message) => {
        const aborted = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            seen.push('aborted');
            resolve();
          });
        });
        begin();
        await aborted;
        seen.push('went on');
      },
    },
    {
      name: 'ask',
      description: 'Asks for a name.',
      handler: async (_: unknown, { elicit }: Message) => {
        await elicit('Who are you?', { name: 'string' }).catch(() => seen.push('nobody answered'));
        return 'asked';
      },
    },
  ],
  resources: [{ uri: 'a://b', name: 'b', description: 'B.', text: 'b', subscribable: true }],
});

function open(options: HandlerOptions = {}): FetchHandler {
  begun = new Promise((resolve) => {
    begin = resolve;
  });
  return createHandler(definition, { env: {}, ...options });
}

const progressing = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 'p',
};

const post = (handler: FetchHandler, body: object, headers: Readonly<Record<string, string>> = {}) =>
  handler(postRequest(url, { jsonrpc: '2.0', ...body }, headers));

async function openSession(handler: FetchHandler): Promise<Readonly<Record<string, string>>> {
  const capabilities = { elicitation: {} };
  const response = await post(handler, initializeMessage('2025-11-25', { capabilities }));
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id')!, 'mcp-protocol-version': '2025-11-25' };
}

const wait = {
  id: 1,
  method: 'tools/call',
  params: { name: 'wait', _meta: { progressToken: 'p' } },
};

describe('a call without a waiting client', () => {
  test('on 2026-07-28 ends with its connection', async () => {
    const handler = open();
    const response = await handler(modernRequest(url, 'tools/call', { name: 'wait', _meta: progressing }));
    await begun;
    await response.body!.cancel();
    await expect.poll(() => seen).toEqual(['aborted', 'went on']);
    await handler.close();
  });

  test('up to 2025-11-25 goes on without its connection', async () => {
    const handler = open();
    const response = await post(handler, wait, await openSession(handler));
    await begun;
    await response.body!.cancel();
    release();
    await expect.poll(() => seen).toEqual(['went on']);
    await handler.close();
  });

  test('up to 2025-11-25 is cancelled by a message and sends no more', async () => {
    const handler = open();
    const headers = await openSession(handler);
    const response = await post(handler, wait, headers);
    await begun;
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await post(handler, cancelled, headers)).status).toBe(202);
    const told = await response.text();
    expect(told).toContain('"progress":1');
    expect(told).not.toMatch(/"progress":2|let go/);
    await expect.poll(() => seen).toEqual(['aborted', 'went on']);
    await handler.close();
  });

  test('is ended when its time is up', async () => {
    const handler = open({ limits: { requestTimeoutMs: 500 } });
    const answering = handler(modernRequest(url, 'tools/call', { name: 'wait' }));
    await begun;
    const late = await answering;
    expect(late.status).toBe(504);
    expect(await late.json()).toMatchObject({ id: 1, error: { code: -32603 } });
    await expect.poll(() => seen).toContain('aborted');
    await handler.close();
  });

  test('ends at its time limit with an error on the open stream', async () => {
    const handler = open({ limits: { requestTimeoutMs: 500 } });
    const response = await handler(modernRequest(url, 'tools/call', { name: 'wait', _meta: progressing }));
    expect(await response.text()).toMatch(/"progress":1(.|\n)*"id":1,"error":\{"code":-32603/);
    await handler.close();
  });
});

describe('the end of a handler', () => {
  test('waits for what is under way', async () => {
    const handler = open();
    const answering = handler(modernRequest(url, 'tools/call', { name: 'wait' }));
    await begun;
    const closed = handler.close({ drainMs: 60_000 });
    expect((await handler(new Request('http://localhost/healthz'))).status).toBe(503);
    release();
    const { result } = (await (await answering).json()) as Message;
    expect(result.content[0].text).toBe('let go');
    await closed;
    expect(seen).toEqual(['went on']);
  });

  test('aborts what takes longer', async () => {
    const handler = open();
    const answering = handler(modernRequest(url, 'tools/call', { name: 'wait' }));
    await begun;
    await handler.close({ drainMs: 10 });
    expect((await answering).status).toBe(503);
    expect(seen).toContain('aborted');
  });

  test('sends an error on the streams of calls that it cuts off', async () => {
    const handler = open();
    const response = await handler(modernRequest(url, 'tools/call', { name: 'wait', _meta: progressing }));
    await begun;
    const heard = response.text();
    await handler.close({ drainMs: 10 });
    expect(await heard).toMatch(
      /progress(.|\n)*"id":1,"error":\{"code":-32603,"message":"The call was cut off/,
    );
  });

  test('calls off tasks, and waits for their handlers', async () => {
    const handler = open();
    const answering = await handler(
      modernRequest(url, 'tools/call', {
        name: 'work',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {
            extensions: { 'io.modelcontextprotocol/tasks': {} },
          },
        },
      }),
    );
    expect(((await answering.json()) as Message).result.status).toBe('working');
    await begun;
    await handler.close({ drainMs: 60_000 });
    expect(seen).toEqual(['aborted', 'went on']);
  });

  test('aborts calls of sessions that take longer', async () => {
    const handler = open();
    const response = await post(handler, wait, await openSession(handler));
    await begun;
    await handler.close({ drainMs: 10 });
    expect(seen).toContain('aborted');
    expect(await response.text()).toMatch(/"id":1,"error":\{"code":-32603|"error":\{"code":-32603.*"id":1/);
  });

  test('is the end: nothing more is answered', async () => {
    const handler = open();
    await handler.ready();
    await handler.close();
    expect((await handler(modernRequest(url, 'resources/list'))).status).toBe(503);
    expect((await post(handler, { id: 1, method: 'ping' })).status).toBe(503);
  });

  test('gives subscriptions their result, and waits for none', async () => {
    const handler = open();
    const response = await handler(
      modernRequest(url, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['a://b'] } }),
    );
    await handler.close({ drainMs: 60_000 });
    expect(await response.text()).toContain('"resultType":"complete"');
  });
});

describe('a session', () => {
  const sessionIdleMs = 20;

  /** Stops the clock: a slow machine does not end a session before its time. */
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    return () => void vi.useRealTimers();
  });

  test('is over when it is not used for its idle time', async () => {
    const handler = open({ limits: { sessionIdleMs } });
    const headers = await openSession(handler);
    const ping = async () => {
      const response = await post(handler, { id: 1, method: 'resources/list' }, headers);
      await response.text();
      return response.status;
    };
    expect(await ping()).toBe(200);
    await vi.advanceTimersByTimeAsync(sessionIdleMs - 1);
    expect(await ping()).toBe(200);
    await vi.advanceTimersByTimeAsync(sessionIdleMs + 1);
    expect(await ping()).toBe(404);
    await handler.close();
  });

  test('is over when its client left without an answer to a question', async () => {
    const handler = open({ limits: { sessionIdleMs } });
    const headers = await openSession(handler);
    const ask = { id: 1, method: 'tools/call', params: { name: 'ask' } };
    const response = await post(handler, ask, headers);
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    while (!received.includes('elicitation/create')) received += (await reader.read()).value;
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(sessionIdleMs + 1);
    await vi.waitFor(() => expect(seen).toEqual(['nobody answered']), 10_000);
    expect((await post(handler, { id: 2, method: 'ping' }, headers)).status).toBe(404);
    await handler.close();
  });
});
