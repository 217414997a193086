import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { createHandler } from '../../../../src/engine/serve/http/create-handler.js';
import type { FetchHandler, HandlerOptions } from '../../../../src/engine/serve/http/fetch-handler.js';
import { defineServer } from '../../../../src/index.js';
import {
  connectHttp,
  envelope,
  initializeMessage,
  type Mode,
  modernRequest,
  modes,
  postRequest,
} from '../../../support/http-client.js';
import { writeFolder, writePackage } from '../../../support/packages.js';
import type { Message } from '../../../support/program.js';

const url = 'http://localhost/mcp';

let release = () => {};

const definition = defineServer({
  name: 'kitchen',
  version: '3.2.1',
  tools: [
    {
      name: 'add',
      description: 'Adds.',
      input: { a: 'number', b: 'number' },
      handler: ({ a, b }: Message) => `${a + b}`,
    },
    {
      name: 'greet',
      description: 'Asks for a name.',
      handler: async (_: unknown, ctx: Message) => {
        const answer = await ctx.elicit('Who are you?', { name: { type: 'string', required: true } });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello, you!';
      },
    },
    {
      name: 'count',
      description: 'Counts.',
      handler: (_: unknown, { progress }: Message) => {
        for (const step of [1, 2, 3]) progress(step, { total: 3 });
        return 'counted';
      },
    },
    {
      name: 'route',
      description: 'Has a header.',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          zone: { type: 'object', properties: { number: { type: 'integer', 'x-mcp-header': 'Zone' } } },
        },
      },
      handler: ({ region }: Message) => `to ${region}`,
    },
    {
      name: 'whoami',
      description: 'Tells the claims.',
      handler: (_: unknown, { auth }: Message) => auth ?? 'nobody',
    },
    {
      name: 'remember',
      description: 'Counts calls of a session.',
      handler: (_: unknown, { session }: Message) => {
        const calls = (session?.get('calls') ?? 0) + 1;
        session?.set('calls', calls);
        return `${session ? calls : 'no session'}`;
      },
    },
    {
      name: 'tick',
      description: 'The clock goes on.',
      handler: (_: unknown, ctx: Message) => {
        ctx.notifyResourceUpdated('clock://time');
        ctx.notifyChanged('tools');
        return 'ticked';
      },
    },
    {
      name: 'wait',
      description: 'Waits until it is let go.',
      handler: async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return 'let go';
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
  prompts: [{ name: 'hello', description: 'Says hello.', content: 'Hello!' }],
  resources: [
    { uri: 'clock://time', name: 'time', description: 'The time.', text: 'noon', subscribable: true },
  ],
  list: { tools: (_: unknown, registry: Message) => registry.list() },
});

const handlers: FetchHandler[] = [];

afterAll(async () => {
  await Promise.all(handlers.map(async (handler) => await handler.close()));
});

function open(options: HandlerOptions = {}): FetchHandler {
  const handler = createHandler(definition, { env: {}, ...options });
  handlers.push(handler);
  return handler;
}

const post = (body: unknown, headers?: Readonly<Record<string, string>>): Request =>
  postRequest(url, body, headers);

/** What came: status, and the last message, of a stream too. */
async function read(response: Response): Promise<{ status: number; message: Message }> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const last = isStream
    ? text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))!
        .slice('data: '.length)
    : text;
  return { status: response.status, message: last === '' ? undefined : JSON.parse(last) };
}

/** A session of raw requests. */
async function rawSession(handler: FetchHandler, version = '2025-11-25') {
  const response = await handler(post(initializeMessage(version)));
  const session = response.headers.get('mcp-session-id')!;
  await response.text();
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': version };
  await handler(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
  return { headers, ask: async (body: unknown) => await read(await handler(post(body, headers))) };
}

describe.each(Object.keys(modes) as Mode[])('the official client, %s', (mode) => {
  test('lists, calls, gets, reads, and is asked', async () => {
    const client = await connectHttp(url, {
      mode,
      fetch: open(),
      client: { capabilities: { elicitation: { form: {} } } },
      answers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }) },
    });
    expect(client.getServerVersion()).toMatchObject({ name: 'kitchen', version: '3.2.1' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add');
    const text = async (name: string, args = {}) =>
      ((await client.callTool({ name, arguments: args })) as Message).content[0].text;
    expect(await text('add', { a: 1, b: 2 })).toBe('3');
    expect(await text('greet')).toBe('Hello, Ada!');
    expect(await text('route', { region: 'Zürich', zone: { number: 4 } })).toBe('to Zürich');
    expect((await client.getPrompt({ name: 'hello' })).messages).toHaveLength(1);
    expect((await client.readResource({ uri: 'clock://time' })).contents[0]).toMatchObject({ text: 'noon' });
    const bad = (await client.callTool({ name: 'add', arguments: { a: 'x' } })) as Message;
    expect(bad.isError).toBe(true);
  });

  test('receives progress while a call runs', async () => {
    const client = await connectHttp(url, { mode, fetch: open() });
    const steps: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
  });
});

test('the first official client speaks to it, too', async () => {
  const handler = open();
  const client = new FirstClient({ name: 'first', version: '1' });
  const transport = new FirstTransport(new URL(url), {
    fetch: async (to, init) => await handler(new Request(to, init)),
  });
  await client.connect(transport as never);
  const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 2 } });
  expect(result.content).toEqual([{ type: 'text', text: '4' }]);
  await client.close();
});

describe('a body that the program has read', () => {
  const params = { _meta: envelope, name: 'add', arguments: { a: 1, b: 2 } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const whole = (headers = {}) => modernRequest(url, 'tools/call', params, headers);
  const emptied = (headers = {}) => new Request(url, { method: 'POST', headers: whole(headers).headers });
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  const forms: readonly (readonly [string, object])[] = [
    ['text', { parsedBody: JSON.stringify(message) }],
    ['bytes', { parsedBody: bytes }],
  ];

  test.each(forms)('is accepted as %s', async (_, context) => {
    const { status, message: answer } = await read(await open()(emptied(), context));
    expect([status, answer.result?.content]).toEqual([200, [{ type: 'text', text: '3' }]]);
  });

  test('is accepted after it was decompressed', async () => {
    const request = emptied({ 'content-encoding': 'gzip' });
    expect((await open()(request, { parsedBody: message })).status).toBe(200);
  });

  test('is read from the request if Express has not read it', async () => {
    const response = await open()(whole(), { incoming: { readableEnded: false, body: {} } });
    expect((await read(response)).message.result.content[0].text).toBe('3');
  });

  test('has the limit of other bodies', async () => {
    const handler = open({ limits: { maxBodyBytes: 20 } });
    expect((await handler(emptied(), { parsedBody: message })).status).toBe(413);
  });

  test('is reported as missing if the program keeps it', async () => {
    const { status, message: answer } = await read(await open()(emptied()));
    expect([status, answer.error.code]).toEqual([400, -32700]);
    expect(answer.error.message).toContain('handler(request, { parsedBody })');
  });
});

describe('sessions', () => {
  test('keep what handlers keep, each for itself', async () => {
    const handler = open();
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'remember' } };
    const [one, other] = [await rawSession(handler), await rawSession(handler)];
    const texts = [await one.ask(call), await one.ask({ ...call, id: 2 }), await other.ask(call)];
    expect(texts.map(({ message }) => message.result.content[0].text)).toEqual(['1', '2', '1']);
  });

  test('end with DELETE, and are not found after that', async () => {
    const handler = open();
    const { headers, ask } = await rawSession(handler);
    const ended = await handler(new Request(url, { method: 'DELETE', headers }));
    expect(ended.status).toBe(200);
    expect(await ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).toMatchObject({
      status: 404,
      message: { id: 1, error: { message: expect.stringContaining('initialize') } },
    });
  });

  test('belong to the client that opened them', async () => {
    const authority = {
      verify: async (token: string) => ({ auth: { token, clientId: token, scopes: [] } }),
    };
    const handler = open({ authority });
    const opened = await handler(post(initializeMessage(), { authorization: 'Bearer ada' }));
    const id = opened.headers.get('mcp-session-id')!;
    const ping = (token: string) =>
      handler(
        post(
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { authorization: `Bearer ${token}`, 'mcp-session-id': id },
        ),
      );
    expect((await ping('eve')).status).toBe(404);
    expect((await ping('ada')).status).toBe(200);
  });

  test('are as many as may be: an idle one makes room', async () => {
    const handler = open({ limits: { maxSessions: 1 } });
    const first = await rawSession(handler);
    const second = await rawSession(handler);
    expect((await first.ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
    expect((await second.ask({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200);
  });

  test('limits sessions per user: the idle one of the same user makes room', async () => {
    const handler = open({
      authority: {
        verify: async (token) => ({ auth: { token, clientId: 'app', scopes: [], extra: { sub: token } } }),
      },
      limits: { maxSessionsPerUser: 1 },
    });
    const begin = async (user: string) => {
      const headers = { authorization: `Bearer ${user}` };
      const response = await handler(post(initializeMessage(), headers));
      await response.text();
      return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id')! };
    };
    const status = async (headers: Record<string, string>) =>
      (await handler(post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers))).status;
    const ada = await begin('ada');
    const first = await begin('eve');
    const second = await begin('eve');
    expect([await status(ada), await status(first), await status(second)]).toEqual([200, 404, 200]);
    const stream = await handler(new Request(url, { headers: { ...second, accept: 'text/event-stream' } }));
    const refused = await handler(post(initializeMessage(), { authorization: 'Bearer eve' }));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    await stream.body?.cancel();
  });

  test('keeps sessions with an open stream', async () => {
    const handler = open({ limits: { maxSessions: 1 } });
    const { headers } = await rawSession(handler);
    const stream = await handler(new Request(url, { headers: { ...headers, accept: 'text/event-stream' } }));
    const refused = await handler(post(initializeMessage()));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    await stream.body?.cancel();
    expect((await handler(post(initializeMessage()))).status).toBe(200);
  });

  test('take batches at 2025-03-26 only', async () => {
    const handler = open();
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ];
    const old = await rawSession(handler, '2025-03-26');
    const response = await handler(post(batch, old.headers));
    const ids = (await response.text()).match(/"id":\d/g);
    expect(ids?.sort()).toEqual(['"id":1', '"id":2']);
    const { ask } = await rawSession(handler);
    expect(await ask(batch)).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
  });

  test.each<[string, unknown[]]>([
    ['nothing', []],
    ['what is no message', [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { hello: 1 }]],
    [
      'one id twice',
      [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 1, method: 'ping' },
      ],
    ],
  ])('take no batch of %s', async (_, batch) => {
    const { ask } = await rawSession(open(), '2025-03-26');
    expect(await ask(batch)).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
  });

  test('accept messages of a batch with unknown members', async () => {
    const handler = open();
    const { headers } = await rawSession(handler, '2025-03-26');
    const response = await handler(post([{ jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }], headers));
    expect(await response.text()).toContain('"id":1');
  });

  test('keep their revision if a client initializes again', async () => {
    const { ask } = await rawSession(open());
    expect((await ask(initializeMessage('2025-03-26'))).status).toBe(400);
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }];
    expect((await ask(batch)).status).toBe(400);
  });

  test('limits sessions that open at the same time', async () => {
    const handler = open({ limits: { maxSessions: 2 } });
    const opened = await Promise.all(Array.from({ length: 5 }, () => handler(post(initializeMessage()))));
    const ids = opened.flatMap(({ headers }) => headers.get('mcp-session-id') ?? []);
    await Promise.all(opened.map((response) => response.text()));
    const pings = ids.map((id) =>
      handler(post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': id })),
    );
    const statuses = (await Promise.all(pings)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
  });

  test('send errors of their revision', async () => {
    const { ask } = await rawSession(open());
    const lost = await ask({
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: 'clock://no' },
    });
    expect(lost.message.error.code).toBe(-32002);
    const bad = await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: 5 } });
    expect(bad.message.error).toMatchObject({
      code: -32602,
      message: 'Invalid params for tools/list: "cursor" must be a string.',
    });
  });

  test('resume streams with the messages that were missed', async () => {
    const handler = open();
    const { headers } = await rawSession(handler);
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'leave' } };
    const left = await (await handler(post(call, headers))).text();
    expect(left).not.toContain('found again');
    const id = /^id: (.*)$/m.exec(left)![1]!;
    expect(left).toContain('retry: 1000');
    const again = await handler(
      new Request(url, { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': id } }),
    );
    expect((await read(again)).message).toMatchObject({
      id: 7,
      result: { content: [{ text: 'found again' }] },
    });
  });

  test.each(['before', 'after'])(
    'receive notifications on their GET stream, opened %s another was resumed',
    async (when) => {
      const handler = open();
      const { headers, ask } = await rawSession(handler);
      const get = async (more = {}) =>
        await handler(new Request(url, { headers: { ...headers, accept: 'text/event-stream', ...more } }));
      const call = (id: number, name: string) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name },
      });
      const early = when === 'before' ? await get() : undefined;
      const left = await (await handler(post(call(7, 'leave'), headers))).text();
      if (!early) await ask(call(8, 'tick'));
      const again = await get({ 'last-event-id': /^id: (.*)$/m.exec(left)![1]! });
      expect((await read(again)).message.id).toBe(7);
      if (early) await ask(call(8, 'tick'));
      const reader = (early ?? (await get())).body!.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader.read()).value).toContain('notifications/tools/list_changed');
      await reader.cancel();
    },
  );

  test.each([undefined, '2025-03-26'])(
    'have the negotiated revision, even if a header has %s',
    async (version) => {
      const handler = open();
      const { headers } = await rawSession(handler);
      const { 'mcp-session-id': session } = headers;
      const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'leave' } };
      const told = { 'mcp-session-id': session, ...(version && { 'mcp-protocol-version': version }) };
      const left = await (await handler(post(call, told))).text();
      expect(left).toContain('retry: 1000');
      expect(left).not.toContain('found again');
    },
  );
});

describe('news', () => {
  test('reach both sessions and subscriptions', async () => {
    const handler = open();
    const heard: string[] = [];
    const hears = (who: string) => (client: Message) => {
      client.setNotificationHandler(
        'notifications/resources/updated',
        () => void heard.push(`${who}: updated`),
      );
      client.setNotificationHandler(
        'notifications/tools/list_changed',
        () => void heard.push(`${who}: tools`),
      );
    };
    const old = await connectHttp(url, { mode: 'legacy', fetch: handler, prepare: hears('old') });
    await old.subscribeResource({ uri: 'clock://time' });
    const fresh = await connectHttp(url, { mode: 'pinned', fetch: handler, prepare: hears('fresh') });
    const subscription = await fresh.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['clock://time', 'clock://other'],
    });
    expect(subscription.honoredFilter).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['clock://time'],
    });
    await fresh.callTool({ name: 'tick' });
    await expect
      .poll(() => [...heard].sort())
      .toEqual(['fresh: tools', 'fresh: updated', 'old: tools', 'old: updated']);
    await subscription.close();
  });
});

describe('tokens', () => {
  test('are asked for', async () => {
    const handler = open({ token: 'sesame' });
    const response = await handler(modernRequest(url, 'tools/list'));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = await handler(modernRequest(url, 'tools/list', {}, { authorization: 'Bearer sesam' }));
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const right = await handler(modernRequest(url, 'tools/list', {}, { authorization: 'bearer sesame' }));
    expect(right.status).toBe(200);
  });

  test.each(['', undefined])('rejects %o as the option', (token) => {
    expect(() => createHandler(definition, { env: {}, token })).toThrow('The option token');
  });

  test('are refused in words that a header can hold', async () => {
    const description = 'Not "ours" \\ \r\nX: y, naïve 🔑';
    const authority = { verify: async () => ({ fault: { error: 'invalid_token', description } as const }) };
    const handler = open({ authority });
    const response = await handler(modernRequest(url, 'tools/list', {}, { authorization: 'Bearer x' }));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('"Not \\"ours\\" \\\\   X: y, na ve ');
  });

  test('reach handlers as auth, without the token itself', async () => {
    const handler = open({ token: 'sesame' });
    const { message } = await read(
      await handler(modernRequest(url, 'tools/call', { name: 'whoami' }, { authorization: 'Bearer sesame' })),
    );
    expect(message.result.structuredContent).toEqual({ clientId: 'token', scopes: [] });
  });

  test('keep request states for the client that was asked', async () => {
    const authority = {
      verify: async (token: string) => ({ auth: { token, clientId: token, scopes: [] } }),
    };
    const handler = open({ authority });
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const greet = (token: string, more = {}) =>
      handler(
        modernRequest(
          url,
          'tools/call',
          { name: 'greet', _meta: { ...envelope, ...capabilities }, ...more },
          { authorization: `Bearer ${token}` },
        ),
      );
    const { result } = (await read(await greet('ada'))).message;
    const retry = {
      requestState: result.requestState,
      inputResponses: { e1: { action: 'accept', content: { name: 'Ada' } } },
    };
    expect((await read(await greet('eve', retry))).message.error.code).toBe(-32602);
    expect((await read(await greet('ada', retry))).message.result.content[0].text).toBe('Hello, Ada!');
  });
});

describe('strangers', () => {
  test.each([
    ['a host that is not ours', { host: 'evil.example' }],
    ['a host that only begins like ours', { host: 'localhost.evil.example' }],
    ['a host that only begins like an address of ours', { host: '127.0.0.1.evil.example' }],
    ['a host that is none', { host: 'a b' }],
    ['a host that is ours as part of a URL alone', { host: 'localhost#.evil.example' }],
    ['a host with a name before it', { host: 'evil.example@localhost' }],
    ['a host that is spelled out', { host: 'loc%61lhost' }],
    ['a page that has our name in a scheme of its own', { origin: 'chrome-extension://localhost' }],
    ['a page with a name before its host', { origin: 'http://evil.example@localhost' }],
    ['a page of a stranger', { origin: 'https://evil.example' }],
    ['a page without origin', { origin: 'null' }],
  ])('%s is kept out', async (_, headers) => {
    const response = await open()(modernRequest(url, 'tools/list', {}, headers));
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['this machine', { host: '127.0.0.1:1234' }],
    ['this machine by its other address', { host: '[::1]:1234' }],
    ['this machine by one more of its addresses', { host: '127.0.0.2:1234' }],
    ['a page of this machine', { origin: 'http://localhost:6274' }],
  ])('%s is let in', async (_, headers) => {
    expect((await open()(modernRequest(url, 'tools/list', {}, headers))).status).toBe(200);
  });

  test('pages of listed origins may ask and read', async () => {
    const handler = open({ allowedOrigins: ['https://app.example'], allowedHosts: ['mcp.example'] });
    const headers = { host: 'mcp.example', origin: 'https://app.example' };
    const preflight = await handler(
      new Request(url, {
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-headers': 'mcp-method, mcp-param-region' },
      }),
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-method, mcp-param-region');
    const response = await handler(modernRequest(url, 'tools/list', {}, headers));
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    const other = await handler(
      new Request(url, { method: 'OPTIONS', headers: { ...headers, origin: 'https://other.example' } }),
    );
    expect(other.status).toBe(403);
  });

  test('pages of listed origins may read why they are refused, too', async () => {
    const handler = open({ allowedOrigins: ['https://app.example'], limits: { maxBodyBytes: 10 } });
    const response = await handler(modernRequest(url, 'tools/list', {}, { origin: 'https://app.example' }));
    expect(response.status).toBe(413);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });
});

describe('invalid requests', () => {
  const call = (params: object, headers: Readonly<Record<string, string>> = {}) =>
    modernRequest(url, 'tools/call', { name: 'route', ...params }, headers);
  const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

  test.each<[string, () => Request, number, number | undefined]>([
    ['no JSON', () => post('{'), 400, -32700],
    ['nothing', () => post(''), 400, -32700],
    ['no message', () => post({ hello: 1 }), 400, -32600],
    ['an id that is null', () => post({ jsonrpc: '2.0', id: null, method: 'ping' }), 400, -32600],
    ['no session', () => post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 400, -32600],
    [
      'an unknown session',
      () => post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'x' }),
      404,
      -32001,
    ],
    ['another media type', () => post('{}', { 'content-type': 'text/plain' }), 415, -32600],
    ['a body that is too long', () => post(`"${'x'.repeat(2000)}"`), 413, -32600],
    ['another method', () => new Request(url, { method: 'PUT' }), 405, -32600],
    ['GET without a session', () => new Request(url), 400, -32600],
    [
      'an unknown version',
      () => {
        const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
        return modernRequest(url, 'tools/list', { _meta }, { 'mcp-protocol-version': '2099-01-01' });
      },
      400,
      -32022,
    ],
    [
      'no Mcp-Method',
      () => {
        const request = modernRequest(url, 'tools/list');
        request.headers.delete('mcp-method');
        return request;
      },
      400,
      -32020,
    ],
    ['another Mcp-Name', () => call({}, { 'mcp-name': 'add' }), 400, -32020],
    [
      'no capabilities',
      () =>
        modernRequest(url, 'tools/list', {
          _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
        }),
      400,
      -32602,
    ],
    ['an unknown method', () => modernRequest(url, 'no/such'), 404, -32601],
    ['a cursor that is none', () => modernRequest(url, 'tools/list', { cursor: 5 }), 200, -32602],
    ['a header of a parameter that is missing', () => call({ arguments: { region: 'eu' } }), 400, -32020],
    [
      'a header that differs',
      () => call({ arguments: { region: 'eu' } }, { 'mcp-param-region': 'us' }),
      400,
      -32020,
    ],
    [
      'a header that is no Base64',
      () => call({ arguments: { region: 'eu' } }, { 'mcp-param-region': '=?base64?!?=' }),
      400,
      -32020,
    ],
    [
      'a header with letters that no header may have, the same as the body',
      () => call({ arguments: { region: 'ÿ' } }, { 'mcp-param-region': 'ÿ' }),
      400,
      -32020,
    ],
    [
      'a header of something deeper that differs',
      () => call({ arguments: { zone: { number: 4 } } }, { 'mcp-param-zone': '5' }),
      400,
      -32020,
    ],
    [
      'a header that is as it should be',
      () =>
        call(
          { arguments: { region: 'eu', zone: { number: 4 } } },
          { 'mcp-param-region': base64('eu'), 'mcp-param-zone': '4.0' },
        ),
      200,
      undefined,
    ],
    [
      'a header that begins with a byte order mark, the same as the body',
      () => call({ arguments: { region: '\uFEFFeu' } }, { 'mcp-param-region': base64('\uFEFFeu') }),
      200,
      undefined,
    ],
    [
      'a header of what is not sent',
      () => call({ arguments: {} }, { 'mcp-param-region': 'us' }),
      200,
      undefined,
    ],
  ])('%s', async (_, request, status, code) => {
    const handler = open({ limits: { maxBodyBytes: 1500 } });
    const answer = await read(await handler(request()));
    expect([answer.status, answer.message?.error?.code]).toEqual([status, code]);
  });

  test('a body that does not come is not waited for', async () => {
    const handler = open({ limits: { bodyTimeoutMs: 20 } });
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    });
    const slow = new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await handler(slow)).status).toBe(408);
  });

  test('an id that is in use is refused', async () => {
    const handler = open();
    const { headers } = await rawSession(handler);
    const wait = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } };
    const first = await handler(post(wait, headers));
    expect((await read(await handler(post(wait, headers)))).message).toMatchObject({
      id: 5,
      error: { code: -32600, message: expect.stringContaining('not answered yet') },
    });
    release();
    expect((await read(first)).message.result.content[0].text).toBe('let go');
  });

  test('answers one of two simultaneous requests with one id', async () => {
    const handler = open();
    const { headers } = await rawSession(handler);
    const ping = () => post({ jsonrpc: '2.0', id: 5, method: 'ping' }, headers);
    const answers = await Promise.all((await Promise.all([handler(ping()), handler(ping())])).map(read));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('ids of simultaneous responses are free for requests', async () => {
    const handler = open();
    const { ask } = await rawSession(handler);
    const answers = await Promise.all([
      ask({ jsonrpc: '2.0', id: 5, result: {} }),
      ask({ jsonrpc: '2.0', id: 5, method: 'ping' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([202, 200]);
  });
});

test('sends the health to any client, by any host name', async () => {
  const response = await open({ token: 'sesame' })(new Request('http://10.0.0.1/healthz'));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ok' });
});

test('serves MCP at one path, if it is set', async () => {
  const handler = open({ path: '/mcp' });
  expect((await handler(modernRequest('http://localhost/other', 'tools/list'))).status).toBe(404);
  expect((await handler(modernRequest('http://localhost/mcp', 'tools/list'))).status).toBe(200);
});

test('without sessions only 2026-07-28 is served', async () => {
  const handler = open({ sessions: false });
  const { status, message } = await read(await handler(post(initializeMessage())));
  expect([status, message.error.code]).toEqual([400, -32022]);
  expect((await handler(modernRequest(url, 'tools/list'))).status).toBe(200);
});

test('a package is served by its path', async () => {
  const directory = writePackage(
    { tools: ['one'] },
    {
      'agenttools/tools/one.json': { description: 'One.', handler: './one.js#one' },
      'one.js': "export const one = () => 'one';",
    },
  );
  const handler = createHandler(directory, { env: {} });
  const { message } = await read(await handler(modernRequest(url, 'tools/call', { name: 'one' })));
  expect(message.result.content).toEqual([{ type: 'text', text: 'one' }]);
  await handler.close();
});

test('tools of existing servers are served where a definition is passed in', async () => {
  const script = path.resolve(import.meta.dirname, '../../../support/scripted-upstream.mjs');
  const upstream = { command: process.execPath, args: [script, '{"tools":["echo"]}'] };
  const tools = [
    { name: 'one', upstream: { ...upstream, tool: 'echo' } },
    { upstream, prefix: 'far_' },
  ];
  const handler = createHandler(defineServer({ tools }));
  const ask = async (...asked: [string, Readonly<Record<string, unknown>>?]) =>
    (await read(await handler(modernRequest(url, ...asked)))).message.result;
  expect((await ask('tools/list')).tools.map(({ name }: Message) => name)).toEqual(['one', 'far_echo']);
  for (const name of ['one', 'far_echo']) {
    expect((await ask('tools/call', { name })).content).toEqual([
      { type: 'text', text: 'scripted echoes {}' },
    ]);
  }
  await handler.close();
});

test('sends no client folders to existing servers, because they are on other machines', async () => {
  const notes = path.join(writeFolder(), 'notes');
  const script = path.resolve(import.meta.dirname, '../../../support/scripted-upstream.mjs');
  const told = JSON.stringify({ era: 'legacy', tools: ['echo'], asksRoots: true, logFile: notes });
  const upstream = { command: process.execPath, args: [script, told] };
  const handler = createHandler(defineServer({ tools: [{ upstream }] }));
  handlers.push(handler);
  let asked = 0;
  const client = await connectHttp(url, {
    mode: 'legacy',
    fetch: handler,
    client: { capabilities: { roots: { listChanged: true } } },
    answers: {
      'roots/list': () => {
        asked += 1;
        return { roots: [{ uri: 'file:///' }] };
      },
    },
  });
  await client.listTools();
  await client.callTool({ name: 'echo', arguments: {} });
  await vi.waitFor(() => expect(asked).toBeGreaterThan(0), 10_000);
  await vi.waitFor(() => expect(readFileSync(notes, 'utf8')).toContain('works in'), 10_000);
  expect(readFileSync(notes, 'utf8').match(/^works in .*$/gm)).toEqual(['works in nothing']);
});

test('rejects ready() if the definition cannot be served', async () => {
  await expect(createHandler('/no/such/folder').ready()).rejects.toThrow('/no/such/folder');
  await expect(createHandler({ tools: [{ name: 'a' }] }).ready()).rejects.toThrow('handler');
});

describe('options without effect are refused at once', () => {
  test.each<[string, HandlerOptions, string]>([
    ['a host with a scheme', { allowedHosts: ['https://mcp.example'] }, '"https://mcp.example" is invalid'],
    ['a host with a port', { allowedHosts: ['mcp.example:443'] }, '"mcp.example:443" is invalid'],
    ['a host of a variable that is not set', { allowedHosts: [''] }, 'The allowed host ""'],
    ['hosts that are no list', { allowedHosts: 'mcp.example' as never }, 'no list'],
    ['an origin without a scheme', { allowedOrigins: ['app.example'] }, '"app.example" is invalid'],
    ['an origin with a path', { allowedOrigins: ['https://app.example/chat'] }, 'without a path'],
    ['a token of two words', { token: 'open sesame' }, 'token'],
    ['a path without a slash', { path: 'mcp' }, 'The path "mcp"'],
    ['a limit that is no number', { limits: { maxBodyBytes: Number.NaN } }, 'maxBodyBytes is NaN'],
  ])('%s', (_, options, message) => {
    expect(() => createHandler(definition, { env: {}, ...options })).toThrow(message);
  });

  test.each<[string, string]>([
    ['https://app.example:443/', 'https://app.example'],
    ['HTTPS://App.example', 'https://app.example'],
    ['chrome-extension://abcdef', 'chrome-extension://abcdef'],
  ])('accepts the origin %s as %s', async (listed, origin) => {
    const handler = open({ allowedOrigins: [listed] });
    const response = await handler(modernRequest(url, 'tools/list', {}, { origin }));
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test.each(['mcp.example', 'MCP.example', '[2001:db8::1]'])('the host %s is let in', async (host) => {
    const response = await open({ allowedHosts: [host] })(modernRequest(url, 'tools/list', {}, { host }));
    expect(response.status).toBe(200);
  });

  test('rejects a missing definition', async () => {
    await expect(createHandler(undefined as never).ready()).rejects.toThrow('not undefined');
  });
});

test('a handler is a function of requests', () => {
  expectTypeOf(createHandler).returns.toExtend<(request: Request) => Promise<Response>>();
});

describe('a body that was read before', () => {
  const read = async () => {
    const request = modernRequest(url, 'tools/list');
    const body = (await request.json()) as Record<string, unknown>;
    return { request, body };
  };

  test.each(['parsedBody', 'incoming'] as const)('is taken from %s', async (key) => {
    const handler = createHandler(definition);
    const { request, body } = await read();
    const response = await handler(
      request,
      key === 'incoming' ? { incoming: { body } } : { parsedBody: body },
    );
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.text())).toContain('greet');
    await handler.close();
  });

  test('is refused with a hint if it is not passed', async () => {
    const handler = createHandler(definition);
    const { request } = await read();
    const response = await handler(request);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('handler(request, { parsedBody })');
    await handler.close();
  });

  test('is checked like any other', async () => {
    const handler = createHandler(definition);
    const { request, body } = await read();
    const response = await handler(request, { parsedBody: { ...body, jsonrpc: '1.0' } });
    expect(response.status).toBe(400);
    await handler.close();
  });
});

test('a handler is created without an AbortController, which some platforms allow in requests only', async () => {
  const { AbortController } = globalThis;
  vi.stubGlobal('AbortController', undefined);
  const handler = createHandler(definition);
  vi.stubGlobal('AbortController', AbortController);
  expect((await handler(modernRequest(url, 'tools/list'))).status).toBe(200);
  await handler.close();
  vi.unstubAllGlobals();
});
