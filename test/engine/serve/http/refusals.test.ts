import { afterAll, describe, expect, test } from 'vitest';
import { createHandler } from '../../../../src/engine/serve/http/create-handler.js';
import { type EventBus, memoryBus } from '../../../../src/engine/serve/http/event-bus.js';
import type { FetchHandler, HandlerOptions } from '../../../../src/engine/serve/http/fetch-handler.js';
import { defineServer } from '../../../../src/index.js';
import { envelope, initializeMessage, modernRequest, postRequest } from '../../../support/http-client.js';
import type { Message } from '../../../support/program.js';

const url = 'http://localhost/mcp';

const definition = defineServer({
  name: 'doorman',
  tools: [{ name: 'knock', description: 'Knocks.', handler: () => 'come in' }],
  resources: [{ uri: 'door://bell', name: 'bell', description: 'Rings.', text: 'ring', subscribable: true }],
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

type Headers = Readonly<Record<string, string>>;

const post = (body: unknown, headers?: Readonly<Record<string, string>>): Request =>
  postRequest(url, body, headers);

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' };
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };

/** Without a member `id` for none. */
async function told(response: Response): Promise<{ status: number; code: number; id?: unknown }> {
  const { id, error } = (await response.json()) as Message;
  return { status: response.status, code: error.code, ...(id !== undefined && { id }) };
}

describe('the id of an error response', () => {
  /** By the revision of a session: what it says when no id can be read. */
  const unread: Readonly<Record<string, object>> = {
    '2025-03-26': { id: null },
    '2025-06-18': { id: null },
    '2025-11-25': {},
  };

  test.each(Object.entries(unread))('follows revision %s', async (version, unnamed) => {
    const handler = open({ limits: { maxBodyBytes: 1500 } });
    const opened = await handler(post(initializeMessage(version)));
    await opened.text();
    // The session knows its revision, whatever headers say.
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const say = async (body: unknown, headers: Headers = {}) =>
      await told(await handler(post(body, { ...session, ...headers })));

    expect(await say('{')).toEqual({ status: 400, code: -32700, ...unnamed });
    expect(await say({ jsonrpc: '2.0', id: 1.5, method: 'ping' })).toMatchObject({
      code: -32600,
      ...unnamed,
    });
    expect(await say([])).toEqual({ status: 400, code: -32600, ...unnamed });
    expect(await say('x'.repeat(2000))).toEqual({ status: 413, code: -32600, ...unnamed });

    expect(await say(ping, { accept: 'application/json' })).toEqual({ status: 406, code: -32000, id: 5 });
    expect(await say(ping, { 'mcp-protocol-version': '1' })).toEqual({ status: 400, code: -32000, id: 5 });
    expect(await say(initializeMessage(version))).toEqual({ status: 400, code: -32600, id: 0 });
    expect(await say(cancelled, { accept: 'text/html' })).toEqual({ status: 406, code: -32000 });

    const get = new Request(url, { headers: { ...session, accept: 'text/html' } });
    expect(await told(await handler(get))).toEqual({ status: 406, code: -32000, ...unnamed });
  });

  test('is left out on 2026-07-28 when it cannot be read', async () => {
    const handler = open();
    const headers = { 'mcp-protocol-version': '2026-07-28' };
    expect(await told(await handler(post('{', headers)))).toEqual({ status: 400, code: -32700 });
    const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const lost = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta } };
    expect(await told(await handler(post(lost)))).toEqual({ status: 400, code: -32022 });
    const batch = [{ ...ping, params: { _meta: envelope } }];
    expect(await told(await handler(post(batch, headers)))).toEqual({ status: 400, code: -32600 });
  });
});

describe('a body is refused', () => {
  const bytes = (body: string | Uint8Array, headers: Headers = {}) =>
    new Request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

  test('names the accepted encoding if compressed', async () => {
    const response = await open()(bytes('{}', { 'content-encoding': 'gzip' }));
    expect(response.headers.get('accept-encoding')).toBe('identity');
    expect(await told(response)).toEqual({ status: 415, code: -32600 });
  });

  test('fails if it is not UTF-8', async () => {
    const response = await open()(bytes(new Uint8Array([0x22, 0xff, 0x22])));
    expect(await told(response)).toEqual({ status: 400, code: -32700 });
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'Invalid params for initialize: "protocolVersion" must be a string.'],
    ['no name', { clientInfo: {} }, 'Invalid params for initialize: "clientInfo.name" must be a string.'],
    [
      'capabilities that are none',
      { capabilities: { roots: 'all' } },
      'Invalid params for initialize: "params" is not what the schema of MCP has for it.',
    ],
  ])('fails if it begins a session with %s', async (_, more, message) => {
    const { params, ...sound } = initializeMessage('2025-11-25');
    const body = { ...sound, ...(more !== undefined && { params: { ...params, ...more } }) };
    const response = await open()(post(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 0, error: { code: -32602, message } });
  });
});

describe('a request of 2026-07-28 is refused', () => {
  const without = (header: string, request = modernRequest(url, 'tools/call', { name: 'knock' })) => {
    request.headers.delete(header);
    return request;
  };
  const named = (name: string) => modernRequest(url, 'tools/call', { name: 'knock' }, { 'mcp-name': name });

  test.each<[string, () => Request]>([
    ['without MCP-Protocol-Version', () => without('mcp-protocol-version')],
    [
      'with another MCP-Protocol-Version',
      () => modernRequest(url, 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
    ],
    ['without Mcp-Method', () => without('mcp-method')],
    ['with another Mcp-Method', () => modernRequest(url, 'tools/list', {}, { 'mcp-method': 'prompts/list' })],
    [
      'with a method in other letters',
      () => modernRequest(url, 'tools/list', {}, { 'mcp-method': 'Tools/List' }),
    ],
    ['without Mcp-Name', () => without('mcp-name')],
    ['with another Mcp-Name', () => named('bell')],
    ['with another Mcp-Name in Base64', () => named('=?base64?YmVsbA==?=')],
    ['with an Mcp-Name that is no Base64', () => named('=?base64?knock?=')],
    ['with an Mcp-Name that no header may have', () => named('knöck')],
    [
      'without the address',
      () => without('mcp-name', modernRequest(url, 'resources/read', { uri: 'door://bell' })),
    ],
    ['without the task', () => modernRequest(url, 'tasks/get', { taskId: 't' })],
  ])('%s', async (_, request) => {
    expect(await told(await open()(request()))).toEqual({ status: 400, code: -32020, id: 1 });
  });

  test('accepts a name in Base64, and reports missing params as such', async () => {
    const handler = open();
    expect((await handler(named('=?base64?a25vY2s=?='))).status).toBe(200);
    const { error } = (await (await handler(modernRequest(url, 'tools/call'))).json()) as Message;
    expect(error.code).toBe(-32602);
  });

  test('when there are as many subscriptions as may be, until one of them ends', async () => {
    const handler = open({ limits: { maxSubscriptions: 1 } });
    const listen = async () =>
      await handler(
        modernRequest(url, 'subscriptions/listen', {
          notifications: { resourceSubscriptions: ['door://bell'] },
        }),
      );
    const first = await listen();
    const second = await listen();
    expect(second.headers.get('retry-after')).toBe('30');
    expect(await told(second)).toEqual({ status: 503, code: -32603, id: 1 });
    await first.body!.cancel();
    const third = await listen();
    expect(third.status).toBe(200);
    await third.body!.cancel();
  });

  test('when one user has as many subscriptions as one may have', async () => {
    const verify = async (token: string) => ({
      auth: { token, clientId: 'app', scopes: [], extra: { sub: token } },
    });
    const handler = open({ authority: { verify }, limits: { maxSubscriptionsPerUser: 1 } });
    const notifications = { resourceSubscriptions: ['door://bell'] };
    const listen = async (user: string) =>
      await handler(
        modernRequest(url, 'subscriptions/listen', { notifications }, { authorization: `Bearer ${user}` }),
      );
    const streams = [await listen('eve'), await listen('ada')];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    expect(await told(await listen('eve'))).toEqual({ status: 429, code: -32603, id: 1 });
    await Promise.all(streams.map((stream) => stream.body!.cancel()));
  });
});

test('returns the position of an unreadable _meta in both eras', async () => {
  const handler = open();
  const opened = await handler(post(initializeMessage('2025-11-25')));
  await opened.text();
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
  const _meta = { ...envelope, progressToken: {} };
  const requests = [
    modernRequest(url, 'tools/call', { name: 'knock', _meta }),
    modernRequest(url, 'subscriptions/listen', { notifications: {}, _meta }),
    post({ ...ping, id: 1, params: { _meta: { progressToken: {} } } }, session),
  ];
  for (const request of requests) {
    const response = await handler(request);
    const { id, error } = (await response.json()) as Message;
    expect([response.status, id, error.code, error.data]).toEqual([
      400,
      1,
      -32602,
      { path: ['_meta', 'progressToken'] },
    ]);
  }
});

test('notifications of 2026-07-28 are taken, and have no effect', async () => {
  const handler = open();
  const response = await handler(post(cancelled, { 'mcp-protocol-version': '2026-07-28' }));
  expect([response.status, await response.text()]).toEqual([202, '']);
});

describe('without sessions', () => {
  const old = { 'mcp-protocol-version': '2025-11-25' };
  test.each<[string, () => Request, object]>([
    ['GET', () => new Request(url), { status: 405, code: -32600 }],
    ['DELETE', () => new Request(url, { method: 'DELETE' }), { status: 405, code: -32600 }],
    ['initialize', () => post(initializeMessage('2025-11-25')), { status: 400, code: -32022, id: 0 }],
    ['a version that needs one', () => post(ping, old), { status: 400, code: -32022, id: 5 }],
    ['no version', () => post(ping), { status: 400, code: -32020, id: 5 }],
    ['a notification', () => post(cancelled, old), { status: 400, code: -32022 }],
    ['a batch', () => post([ping], old), { status: 400, code: -32600 }],
    ['an answer', () => post({ jsonrpc: '2.0', id: 5, result: {} }), { status: 400, code: -32600 }],
  ])('%s is refused', async (_, request, expected) => {
    expect(await told(await open({ sessions: false })(request()))).toEqual(expected);
  });

  test.each<[string, () => Request, object]>([
    [
      'Unsupported protocol version: 2025-11-25. Served here: 2026-07-28.',
      () => post(ping, old),
      { supported: ['2026-07-28'], requested: '2025-11-25' },
    ],
    [
      'Unsupported protocol version. Served here: 2026-07-28.',
      () => post({ ...ping, method: 'initialize', params: {} }),
      { supported: ['2026-07-28'] },
    ],
  ])('answers: %s', async (message, request, data) => {
    const response = await open({ sessions: false })(request());
    const { error } = (await response.json()) as { readonly error: unknown };
    expect(error).toEqual({ code: -32022, message, data });
  });

  test('returns the allowed methods', async () => {
    for (const method of ['PUT', 'HEAD', 'OPTIONS']) {
      const request = new Request(url, { method });
      const [bare, full] = [await open({ sessions: false })(request), await open()(request)];
      expect([bare.status, bare.headers.get('allow')]).toEqual([405, 'POST']);
      expect([full.status, full.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
    }
  });
});

describe('reported errors', () => {
  test('is nothing of what clients did wrong', async () => {
    const lines: string[] = [];
    const handler = open({ report: (line) => void lines.push(line) });
    const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const wrong = [
      modernRequest(url, 'tools/list', {}, { 'mcp-method': 'tools/call' }),
      modernRequest(url, 'tools/list', { _meta }, { 'mcp-protocol-version': '2099-01-01' }),
      modernRequest(url, 'no/such'),
      modernRequest(url, 'tools/list', { cursor: 5 }),
      modernRequest(url, 'subscriptions/listen'),
      post([]),
      post('{'),
    ];
    for (const request of wrong) await (await handler(request)).text();
    expect(lines).toEqual([]);
  });

  test('reports its own failures, with any text', async () => {
    const lines: string[] = [];
    const bus = memoryBus();
    let isBroken = false;
    const breaking: EventBus = {
      ...bus,
      subscribe: (listener) => {
        if (isBroken) throw new Error('Rejected by the broker.');
        return bus.subscribe(listener);
      },
    };
    const handler = open({ bus: breaking, report: (line) => void lines.push(line) });
    await handler.ready();
    isBroken = true;
    const notifications = { resourceSubscriptions: ['door://bell'] };
    const response = await handler(modernRequest(url, 'subscriptions/listen', { notifications }));
    expect(await told(response)).toEqual({ status: 500, code: -32603, id: 1 });
    expect(lines).toEqual([expect.stringContaining('Rejected by the broker.')]);
  });
});

test('answers and reports a defect, with any thrown value', async () => {
  const lines: string[] = [];
  const thrown: unknown[] = [new Error('lost'), Object.create(null)];
  const verify = async () => {
    throw thrown.shift();
  };
  const handler = open({ authority: { verify }, report: (line) => lines.push(line) });
  for (const _ of [...thrown]) {
    const response = await handler(post(ping, { authorization: 'Bearer x' }));
    expect(await told(response)).toEqual({ status: 500, code: -32603 });
  }
  expect(lines).toEqual([expect.stringMatching(/^Error: lost\n +at /), '[Object: null prototype] {}']);
});

describe('deeply nested bodies', () => {
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  const claims = JSON.stringify(envelope).slice(1);

  test.each([
    ['params', `"id":5,"method":"tools/call","params":{"name":"knock","arguments":${deep}}`, 5],
    ['a claim', `"id":5,"method":"tools/list","params":{"_meta":{"x":${deep},${claims}}`, 5],
    ['a notification', `"method":"notifications/cancelled","params":${deep}`, undefined],
    ['a method', `"id":5,"method":${deep}`, 5],
  ])('is refused: %s', async (_, members, id) => {
    const lines: string[] = [];
    const handler = open({ report: (line) => lines.push(line) });
    const answer = await told(await handler(post(`{"jsonrpc":"2.0",${members}}`)));
    expect(answer).toEqual({ status: 400, code: -32600, ...(id !== undefined && { id }) });
    expect(lines).toEqual([]);
  });

  test('is refused: a batch', async () => {
    const answer = await told(await open()(post(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)));
    expect(answer).toEqual({ status: 400, code: -32600 });
  });

  test('is no matter of brackets in texts', async () => {
    const handler = open();
    const params = { name: 'knock', arguments: { text: '["[\\\\'.repeat(5000) } };
    expect((await handler(modernRequest(url, 'tools/call', params))).status).toBe(200);
  });
});

test('a body that is a stream of anything but bytes is refused at its first part', async () => {
  let parts = 0;
  const body = new ReadableStream({
    pull(controller) {
      parts += 1;
      if (parts === 1000) controller.close();
      else controller.enqueue('{');
    },
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const request = new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  expect((await open()(request)).status).toBe(400);
  expect(parts).toBeLessThan(10);
});

test('refuses an unreadable name in a header without a report, with any params', async () => {
  const lines: string[] = [];
  const handler = open({ report: (line) => lines.push(line) });
  const headers = { 'mcp-name': '=?base64?////?=' };
  const answer = await told(await handler(modernRequest(url, 'tools/call', { name: 7 }, headers)));
  expect(answer).toEqual({ status: 400, code: -32020, id: 1 });
  expect(lines).toEqual([]);
});
