import { describe, expect, test } from 'vitest';

import { call, envelope, legacy, modern, openPipe } from '../../support/pipe.js';

const code = (message: { error?: { code: number } }) => message.error?.code;

describe('lines that are no messages', () => {
  const unreadable: Record<string, [string, number, unknown?]> = {
    'no JSON': ['{"jsonrpc":', -32700],
    'no message': ['{"foo":1}', -32600],
    'a number': ['5', -32600],
    null: ['null', -32600],
    'no method': ['{"jsonrpc":"2.0","id":4}', -32600, 4],
    'a method that is no string': ['{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4],
    'no version': ['{"id":4,"method":"ping"}', -32600, 4],
    'another version': ['{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, 'a'],
    'id null': ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    'a fractional id': ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    'an id that JSON cannot keep': ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
    'an object as id': ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    'an array as params': ['{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', -32600, 4],
    'null as params': ['{"jsonrpc":"2.0","id":4,"method":"ping","params":null}', -32600, 4],
  };

  test.each(Object.entries(unreadable))('%s', async (_, [line, expected, id]) => {
    const pipe = openPipe();
    const answer = await pipe.ask(line);
    expect(code(answer)).toBe(expected);
    expect(answer.error.message).toMatch(/^(Parse error|Invalid request): .+\.$/);
    expect(answer.id).toBe(id);
    expect('id' in answer).toBe(id !== undefined);
    expect(await pipe.ask(legacy(9, 'ping'))).toEqual({ jsonrpc: '2.0', id: 9, result: {} });
  });

  test.each([
    ['2025-06-18', null],
    ['2024-11-05', null],
    ['2025-11-25', undefined],
  ])('after an initialize at %s the id of an unreadable message is %s', async (version, id) => {
    const pipe = openPipe();
    await pipe.initialize(version);
    expect((await pipe.ask('nonsense')).id).toBe(id);
    expect((await pipe.ask('{"foo":1}')).id).toBe(id);
  });

  test('empty lines, CRLF, a byte order mark and split lines are no matter', async () => {
    const pipe = openPipe();
    pipe.input.write('\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n \t \n');
    const second = Buffer.from('{"jsonrpc":"2.0","id":"€","method":"ping"}\n');
    for (const byte of second) pipe.input.write(Buffer.of(byte));
    pipe.input.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n');
    expect((await pipe.take(4)).map(({ id }) => id)).toEqual([1, '€', 2, 3]);
  });

  test('a line above the bound is refused once, and the next is read', async () => {
    const pipe = openPipe({ maxLineBytes: 1000 });
    pipe.input.write('x'.repeat(900));
    pipe.input.write('x'.repeat(900));
    pipe.send('x'.repeat(900), legacy(1, 'ping'));
    const [refusal, pong] = await pipe.take(2);
    expect(refusal.error).toEqual({
      code: -32600,
      message: 'Invalid request: a message may have at most 1000 bytes.',
    });
    expect(pong.id).toBe(1);
  });

  test('large messages pass both ways', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    const answer = await pipe.ask(call(1, 'echo', { text: 'x'.repeat(5_000_000) }));
    expect(answer.result.content[0].text).toHaveLength(5_000_000 + '{"text":""}'.length);
    expect((await pipe.ask(call(2, 'big', { size: 20_000_000 }))).result.content[0].text).toHaveLength(
      20_000_000,
    );
  });

  test('members that JSON-RPC does not know are passed over', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    expect((await pipe.ask({ ...call(1, 'echo'), extra: true })).result).toBeDefined();
    expect((await pipe.ask({ ...modern(2, 'tools/list'), extra: true })).result).toBeDefined();
  });

  test('answers to nothing are not answered', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    pipe.send(
      { jsonrpc: '2.0', id: 77, result: {} },
      { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } },
    );
    pipe.send({ jsonrpc: '2.0', id: '', result: {} }, { jsonrpc: '2.0', method: 'notifications/unknown' });
    expect(await pipe.rest()).toEqual([]);
  });
});

describe('text that is not well-formed', () => {
  test('lone surrogates go in and come out as escapes', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    const raw: string[] = [];
    pipe.output.on('data', (chunk: string) => raw.push(chunk));
    const answer = await pipe.ask(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"surrogate","arguments":{"a":"\\udfff"}}}',
    );
    expect(answer.result.content[0].text).toBe('\ud800 alone');
    expect(raw.join('')).toContain('\\ud800 alone');
    const echoed = await pipe.ask(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":"\\udfff"}}}',
    );
    expect(echoed.result.content[0].text).toBe('{"a":"\\udfff"}');
  });

  test('returns an error for a response that is not JSON, and logs it to stderr', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    expect(code(await pipe.ask(call(1, 'unwritable')))).toBe(-32603);
    expect(pipe.reports.join()).toContain('BigInt');
  });

  test('a question or notification that is not JSON is refused, and nothing is sent for it', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    const before = pipe.received.length;
    const { result } = await pipe.ask(call(1, 'unwritableMessages'));
    expect(result.content[0].text).toBe('told nothing, asked nothing');
    expect(pipe.received.slice(before)).toMatchObject([{ id: 1 }]);
  });
});

describe('before initialize', () => {
  test('explains both ways to begin, and does not set the era', async () => {
    const pipe = openPipe();
    const answer = await pipe.ask(legacy(1, 'tools/list'));
    expect(answer).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(answer.error.message).toMatch(/initialize.*io\.modelcontextprotocol\/protocolVersion/);
    expect((await pipe.ask(legacy(2, 'ping'))).result).toEqual({});
    pipe.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(pipe.made).toEqual([]);
    expect((await pipe.ask(modern(3, 'tools/list'))).result.resultType).toBe('complete');
    expect((await pipe.initialize()).result.protocolVersion).toBe('2025-11-25');
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2024-10-07', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('initialize at %s is answered %s', async (asked, answered) => {
    expect((await openPipe().initialize(asked)).result.protocolVersion).toBe(answered);
  });

  test('a second initialize gets a fresh answer', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-03-26');
    expect((await pipe.initialize('2025-06-18')).result.protocolVersion).toBe('2025-06-18');
    expect(pipe.made).toEqual(['legacy']);
  });

  test('requests sent right behind initialize are served', async () => {
    const pipe = openPipe();
    const clientInfo = { name: 'test', version: '1' };
    pipe.send(
      legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
      legacy(2, 'tools/list'),
    );
    expect((await pipe.take(2)).map(({ id, result }) => [id, result !== undefined])).toEqual([
      [1, true],
      [2, true],
    ]);
  });
});

describe('both eras on one connection', () => {
  test('each message is served by the era it speaks', async () => {
    const pipe = openPipe();
    expect((await pipe.ask(modern(1, 'server/discover'))).result.supportedVersions).toEqual(['2026-07-28']);
    await pipe.initialize();
    expect((await pipe.ask(legacy(2, 'tools/list'))).result.resultType).toBeUndefined();
    expect((await pipe.ask(modern(3, 'tools/list'))).result.resultType).toBe('complete');
    expect((await pipe.ask(call(4, 'echo'))).result.content).toHaveLength(1);
    expect(code(await pipe.ask(legacy(5, 'server/discover')))).toBe(-32601);
    expect(code(await pipe.ask(modern(6, 'ping')))).toBe(-32601);
    expect(code(await pipe.ask(modern(7, 'initialize')))).toBe(-32601);
    expect(pipe.made).toEqual(['modern', 'legacy']);
  });

  test('a version that is not served is refused on every request, and dropped on notifications', async () => {
    const pipe = openPipe();
    const strange = (id: unknown, method: string) => ({
      ...modern(id, method),
      params: { _meta: envelope('2099-01-01') },
    });
    await pipe.ask(modern(0, 'tools/list'));
    for (const method of [
      'tools/list',
      'tools/call',
      'server/discover',
      'subscriptions/listen',
      'initialize',
    ]) {
      const { error } = await pipe.ask(strange(1, method));
      expect(error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'], requested: '2099-01-01' },
      });
    }
    pipe.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 5, _meta: envelope('2099') },
    });
    pipe.send({ jsonrpc: '2.0', method: 'notifications/x', params: { _meta: envelope('2099-01-01') } });
    expect(await pipe.rest()).toEqual([]);
  });

  const prefix = 'io.modelcontextprotocol/';
  test.each([
    ['protocolVersion', 5],
    ['clientCapabilities', undefined],
    ['clientCapabilities', 'all'],
    ['clientInfo', 'me'],
    ['logLevel', 'loud'],
  ])('a claim whose %s is %s is named', async (key, value) => {
    const answer = await openPipe().ask(modern(1, 'tools/list', {}, { [prefix + key]: value }));
    expect(answer).toMatchObject({ id: 1, error: { code: -32602, data: { path: ['_meta', prefix + key] } } });
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'a notification or request named %s is one that no server knows',
    async (method) => {
      const pipe = openPipe();
      await pipe.initialize();
      pipe.send({ jsonrpc: '2.0', method });
      expect(code(await pipe.ask(legacy(1, method)))).toBe(-32601);
      expect(code(await pipe.ask(modern(2, method)))).toBe(-32601);
      expect(pipe.reports).toEqual([]);
    },
  );

  test('a server that cannot be made fails its calls, and the other era lives', async () => {
    const { makeSampleServer } = await import('../../support/sample-server.js');
    let attempts = 0;
    const pipe = openPipe({
      createServer: (era) => {
        if (era === 'legacy') return makeSampleServer(era, { made: [], aborted: [] });
        attempts += 1;
        throw new Error('no such luck');
      },
    });
    expect(code(await pipe.ask(modern(1, 'tools/list')))).toBe(-32603);
    expect(code(await pipe.ask(modern(2, 'tools/list')))).toBe(-32603);
    expect((await pipe.initialize()).result).toBeDefined();
    expect(attempts).toBe(1);
    expect(pipe.reports.join()).toContain('no such luck');
  });
});

describe('params that a method cannot take are named', () => {
  const unfit: Record<string, [string, object, string]> = {
    'a tool without name': ['tools/call', {}, '"name" must be a string'],
    'arguments in an array': ['tools/call', { name: 'echo', arguments: [] }, '"arguments" must be an object'],
    'arguments null': ['tools/call', { name: 'echo', arguments: null }, '"arguments" must be an object'],
    'a cursor that is a number': ['tools/list', { cursor: 5 }, '"cursor" must be a string'],
    'another cursor': ['resources/templates/list', { cursor: {} }, '"cursor" must be a string'],
    'a prompt without name': ['prompts/get', { name: 1 }, '"name" must be a string'],
    'a prompt argument': [
      'prompts/get',
      { name: 'p', arguments: { 'a b': 1 } },
      '"arguments["a b"]" must be a string',
    ],
    'a resource without uri': ['resources/read', {}, '"uri" must be a string'],
    'a completion without ref': ['completion/complete', { argument: {} }, '"ref" must be an object'],
    'a completion of something else': [
      'completion/complete',
      { ref: { type: 'x' } },
      '"ref.type" must be one of',
    ],
    'a completion of a number': [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 1 } },
      '"argument.value" must be a string',
    ],
    '_meta that is no object': ['tools/list', { _meta: [] }, '"_meta" must be an object'],
    'a progress token': [
      'tools/call',
      { name: 'echo', _meta: { progressToken: 1.5 } },
      '"_meta.progressToken" must be',
    ],
  };
  test.each(Object.entries(unfit))('%s', async (_, [method, params, told]) => {
    const pipe = openPipe();
    await pipe.initialize();
    const answer = await pipe.ask(legacy(1, method, params));
    expect(answer).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(answer.error.message).toContain(`Invalid params for ${method}: ${told}`);
    if (method === 'tools/list' && '_meta' in params) return;
    const { _meta, ...rest } = params as { _meta?: object };
    expect((await pipe.ask(modern(2, method, rest, _meta))).error).toEqual(answer.error);
  });

  test('logging/setLevel, and initialize itself', async () => {
    const pipe = openPipe();
    const answer = await pipe.ask(
      legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }),
    );
    expect(answer.error.message).toBe('Invalid params for initialize: "clientInfo" must be an object.');
    await pipe.initialize();
    expect((await pipe.ask(legacy(2, 'logging/setLevel', { level: 'loud' }))).error.message).toContain(
      '"level" must be one of',
    );
    expect((await pipe.ask(legacy(3, 'logging/setLevel', { level: 'error' }))).result).toEqual({});
  });

  test('arguments may be absent', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    expect((await pipe.ask(legacy(1, 'tools/call', { name: 'echo' }))).result.content[0].text).toBe('{}');
  });
});

test('returns -32002 for a missing resource on the legacy era only', async () => {
  const pipe = openPipe();
  await pipe.initialize();
  const params = { uri: 'x:y' };
  expect((await pipe.ask(legacy(1, 'resources/read', params))).error).toMatchObject({
    code: -32002,
    data: params,
  });
  expect((await pipe.ask(modern(2, 'resources/read', params))).error).toMatchObject({
    code: -32602,
    data: params,
  });
});

describe('ids', () => {
  test('one that is in flight is refused, whichever era it belongs to', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    pipe.send(call(1, 'slow'), call(1, 'echo'), modern(1, 'tools/list'), call('1', 'echo'));
    const answers = await pipe.take(4);
    expect(answers.map((answer) => [answer.id, code(answer) ?? 'result'])).toEqual([
      [1, -32600],
      [1, -32600],
      ['1', 'result'],
      [1, 'result'],
    ]);
    expect((await pipe.ask(call(1, 'echo'))).result).toBeDefined();
  });

  test.each([0, -1, '', 'a', Number.MAX_SAFE_INTEGER])('%j is an id', async (id) => {
    const pipe = openPipe();
    await pipe.initialize();
    expect(await pipe.ask(call(id, 'echo'))).toMatchObject({ id, result: {} });
    expect(await pipe.ask(modern(id, 'tools/call', { name: 'echo' }))).toMatchObject({ id, result: {} });
  });
});

describe('batches', () => {
  test('are answered in one array at 2025-03-26, when all parts are done', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-03-26');
    const initialize = legacy(3, 'initialize', { protocolVersion: '2025-03-26' });
    pipe.send([
      call(1, 'slow'),
      legacy(2, 'ping'),
      initialize,
      5,
      modern(4, 'tools/list'),
      legacy(5, 'tools/list'),
    ]);
    const [answers] = await pipe.take();
    const byId = Object.fromEntries(
      answers.map((answer: { id?: unknown; error?: { code: number } }) => [
        answer.id,
        code(answer) ?? 'result',
      ]),
    );
    expect(byId).toEqual({ 1: 'result', 2: 'result', 3: -32600, null: -32600, 4: -32600, 5: 'result' });
    expect(await pipe.rest()).toEqual([]);
  });

  test('have no response for notifications, and one error if empty', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-03-26');
    pipe.send([{ jsonrpc: '2.0', method: 'notifications/initialized' }]);
    expect(await pipe.rest()).toEqual([]);
    expect(await pipe.ask('[]')).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test('leave out what was cancelled', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-03-26');
    pipe.send([call(1, 'slow', { ms: 500 }), legacy(2, 'tools/list')]);
    pipe.send([call(3, 'slow', { ms: 500 })]);
    for (const requestId of [1, 3])
      pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    const [answers, ...others] = await pipe.rest();
    expect(answers.map(({ id }: { id: unknown }) => id)).toEqual([2]);
    expect(others).toEqual([]);
  });

  test.each([undefined, '2025-11-25', '2025-06-18', '2024-11-05'])('are one error at %s', async (version) => {
    const pipe = openPipe();
    if (version !== undefined) await pipe.initialize(version);
    expect(code(await pipe.ask([legacy(1, 'ping'), legacy(2, 'ping')]))).toBe(-32600);
    expect(await pipe.rest()).toEqual([]);
  });
});
