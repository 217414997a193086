import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { installFixture } from '../support/installed.js';
import { fixture, type Program } from '../support/program.js';
import { openHere, serveHere } from '../support/serving-here.js';
import { call, cancelled, handshakeVersions, legacy, modern } from './support/messages.js';

const workshop = fixture('stdio-workshop');

/** The server answers a call as if nothing had been. */
async function expectAlive(program: Program): Promise<void> {
  const { result } = await program.ask(
    modern(program.freshId(), 'tools/call', { name: 'echo', arguments: { alive: true } }),
  );
  expect(result.content).toEqual([{ type: 'text', text: '{"alive":true}' }]);
}

/** The next error that answers no request in particular. */
const anonymousError = async (program: Program) =>
  await program.take(
    ({ id, error }) => error !== undefined && (id === undefined || id === null),
    'an error without id',
  );

/** What a client may send, and the number of the error it gets without an id. */
const unreadable: Readonly<Record<string, readonly [line: string | Uint8Array, code: number]>> = {
  'a line of garbage': ['garbage', -32700],
  'half a message': ['{"jsonrpc":"2.0","id":1,"method":', -32700],
  'a message and something after it': ['{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700],
  'bytes that are no UTF-8': [Buffer.from([0xff, 0xfe, 0x00, 0x41, 0x0a]), -32700],
  'a byte order mark in the middle': ['\n\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
  'a hundred thousand open brackets': ['['.repeat(100_000), -32700],
  'a number': ['42', -32600],
  null: ['null', -32600],
  'a text': ['"ping"', -32600],
  'an object that says nothing': ['{}', -32600],
  'another version of JSON-RPC': ['{"jsonrpc":"1.0","method":"ping"}', -32600],
  'a null id': ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  'a fractional id': ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  'an id of 2^53': ['{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}', -32600],
  'an object for an id': ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  'an empty batch': ['[]', -32600],
  'a hundred thousand nested lists': ['['.repeat(100_000) + ']'.repeat(100_000), -32600],
};

describe.concurrent.each(Object.entries(unreadable))('%s', (_, [line, code]) => {
  test('is answered with an error, and the server lives on', async () => {
    const program = serveHere(workshop);
    program.send(line);
    expect((await anonymousError(program)).error.code).toBe(code);
    await program.initialize();
    program.send(line);
    expect((await anonymousError(program)).error.code).toBe(code);
    await expectAlive(program);
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

/** What is wrong with a request that has an id. */
const unfit: Readonly<Record<string, readonly [message: object, code: number]>> = {
  'a request without a method': [{ jsonrpc: '2.0', id: 1 }, -32600],
  'a method that is no text': [{ jsonrpc: '2.0', id: 1, method: 7 }, -32600],
  'a list of params': [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }, -32600],
  'a cursor that was never given out': [legacy(1, 'tools/list', { cursor: 'bm9wZQ' }), -32602],
  'an empty cursor': [legacy(1, 'tools/list', { cursor: '' }), -32602],
  'a tool without a name': [legacy(1, 'tools/call', {}), -32602],
  'arguments that are a text': [call(1, 'echo', 'text' as never), -32602],
  'arguments that are null': [call(1, 'echo', null as never), -32602],
  'a prompt argument that is a number': [
    legacy(1, 'prompts/get', { name: 'x', arguments: { a: 1 } }),
    -32602,
  ],
  'a log level nobody knows': [legacy(1, 'logging/setLevel', { level: 'loud' }), -32602],
  'a meta that is a list': [legacy(1, 'tools/list', { _meta: [] }), -32602],
  'a progress token that is an object': [call(1, 'echo', {}, { progressToken: {} }), -32602],
  'a tool called __proto__': [call(1, '__proto__'), -32602],
  'a tool called constructor': [call(1, 'constructor'), -32602],
  'a method called __proto__': [legacy(1, '__proto__'), -32601],
  'a method called constructor': [legacy(1, 'constructor'), -32601],
  'a claim without capabilities': [
    legacy(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
    -32602,
  ],
  'a claim that is a number': [modern(1, 'tools/list', { version: 20260728 }), -32602],
};

describe.concurrent('a request with', () => {
  test.each(Object.entries(unfit))(
    '%s is answered under its id, and the server lives on',
    async (_, [message, code]) => {
      const program = await openHere(workshop);
      program.send(message);
      const { error } = await program.next(1);
      expect(error.code).toBe(code);
      expect(error.message).not.toMatch(/^\[|"code":|ZodError/);
      await expectAlive(program);
      await program.end();
    },
  );

  test('the id of one under way is refused, and the one under way is not harmed', async () => {
    const program = await openHere(installFixture('stdio-workshop'));
    program.send(call(1, 'hold', { key: 'a' }));
    await program.said('<hold a>');
    program.send(call(1, 'echo'), modern(1, 'tools/list'), call('1', 'echo'));
    for (const _ of [1, 2]) expect((await program.next(1)).error.code).toBe(-32600);
    expect((await program.next('1')).result).toBeDefined();
    await program.call('release', { key: 'a' });
    expect((await program.next(1)).result.content[0].text).toBe('released a');
    expect((await program.ask(call(1, 'echo'))).result).toBeDefined();
    await program.end();
  });

  test.each([0, -1, Number.MAX_SAFE_INTEGER, '', '__proto__', 'ü\u2028', 'x'.repeat(10_000)])(
    'the id %j is answered under it',
    async (id) => {
      const program = await openHere(workshop);
      expect((await program.ask(call(id, 'echo'))).result).toBeDefined();
      expect((await program.ask(modern(id, 'tools/list'))).result).toBeDefined();
      await program.end();
    },
  );
});

describe.concurrent('messages without a response:', () => {
  test.each<[string, readonly (string | object)[]]>([
    ['empty lines', ['', ' ', '\t', '\r']],
    [
      'answers to questions never asked',
      [{ jsonrpc: '2.0', id: 1, result: {} }, '{"jsonrpc":"2.0","id":"x","error":{}}'],
    ],
    ['cancellations of nothing', [cancelled(1), cancelled('x'), cancelled(null), cancelled({})]],
    ['a cancellation of no shape', ['{"jsonrpc":"2.0","method":"notifications/cancelled"}']],
    [
      'unknown notifications',
      ['{"jsonrpc":"2.0","method":"notifications/nope"}', '{"jsonrpc":"2.0","method":"nope","params":{}}'],
    ],
    ['requests sent as notifications', ['{"jsonrpc":"2.0","method":"tools/list"}']],
    ['an initialized before any initialize', ['{"jsonrpc":"2.0","method":"notifications/initialized"}']],
    [
      'progress on nothing',
      ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'],
    ],
    ['malformed progress', ['{"jsonrpc":"2.0","method":"notifications/progress","params":{}}']],
  ])('%s', async (_, lines) => {
    const program = serveHere(workshop);
    program.send(...lines);
    await expectAlive(program);
    await program.initialize();
    const before = program.messages.length;
    program.send(...lines);
    await expectAlive(program);
    expect(program.messages).toHaveLength(before + 1);
    await program.end();
    expect(program.stderr).toBe('');
  });
});

describe.concurrent('the id of an error about something unreadable', () => {
  test.each(handshakeVersions)('is what %s wants', async (version) => {
    const program = serveHere(workshop);
    await program.initialize(version);
    program.send('garbage');
    const error = await anonymousError(program);
    if (version === '2025-11-25') expect(error).not.toHaveProperty('id');
    else expect(error.id).toBeNull();
    await program.end();
  });

  test('is left out before any handshake', async () => {
    const program = serveHere(workshop);
    program.send('garbage');
    expect(await anonymousError(program)).not.toHaveProperty('id');
    await program.end();
  });
});

describe.concurrent('a batch', () => {
  const batch = [
    call(1, 'echo', { n: 1 }),
    legacy(2, 'ping'),
    { jsonrpc: '2.0', method: 'notifications/nope' },
    { id: 3 },
  ];

  test.each(handshakeVersions)('follows revision %s', async (version) => {
    const program = serveHere(workshop);
    await program.initialize(version);
    program.send(batch);
    if (version === '2025-03-26') {
      await program.next(1);
      const answers = JSON.parse(program.lines.at(-1) ?? '');
      expect(answers).toHaveLength(3);
      expect(answers).toContainEqual(expect.objectContaining({ id: 2, result: {} }));
      expect(answers).toContainEqual(
        expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32600 }) }),
      );
    } else {
      expect((await anonymousError(program)).error.code).toBe(-32600);
    }
    await expectAlive(program);
    await program.end();
  });

  test('answers calls in one line after the last result, without cancelled ones', async () => {
    const program = serveHere(installFixture('stdio-workshop'));
    await program.initialize('2025-03-26');
    program.send([call(1, 'hold', { key: 'a' }), call(2, 'hold', { key: 'b' }), call(3, 'echo')]);
    await program.said('<hold a>');
    await program.said('<hold b>');
    program.send(cancelled(1));
    await program.said('<over a>');
    await program.call('release', { key: 'b' });
    await program.next(2);
    const answers = JSON.parse(program.lines.at(-1) ?? '') as { id: number }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([2, 3]);
    await program.end();
  });

  test('cannot hold the handshake', async () => {
    const program = serveHere(workshop);
    await program.initialize('2025-03-26');
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    program.send([legacy(1, 'initialize', params)]);
    expect((await program.next(1)).error.code).toBe(-32600);
    await expectAlive(program);
    await program.end();
  });
});

describe.concurrent('lines', () => {
  test('may end in CRLF, begin with a byte order mark, and arrive byte by byte', async () => {
    const program = serveHere(workshop);
    const text = JSON.stringify(
      modern(1, 'tools/call', { name: 'echo', arguments: { 'ключ 🔑': 'žluťoučký' } }),
    );
    for (const byte of Buffer.from(`\uFEFF${text}\r\n`)) {
      program.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(JSON.parse((await program.next(1)).result.content[0].text)).toEqual({ 'ключ 🔑': 'žluťoučký' });
    await program.end();
  });

  test('may come many at once, and the last without its newline', async () => {
    const program = serveHere(workshop);
    const lines = [1, 2, 3].map((id) =>
      JSON.stringify(modern(id, 'tools/call', { name: 'echo', arguments: { id } })),
    );
    program.send(Buffer.from(lines.join('\n')));
    program.child.stdin.end();
    for (const id of [1, 2, 3]) expect((await program.next(id)).result.content[0].text).toBe(`{"id":${id}}`);
    expect(await program.ended()).toEqual({ code: 0, signal: null });
  });

  test('carries lines of 5 MB in and out', async () => {
    const program = await openHere(workshop);
    const big = 'x'.repeat(5_000_000);
    expect(JSON.parse(await program.textOf('echo', { big })).big).toBe(big);
    await expectAlive(program);
    await program.end();
  });

  test('above 64 MiB are refused without being kept, and the next line is read', async () => {
    const program = await openHere(workshop);
    const piece = Buffer.alloc(8 * 1024 * 1024, 'x');
    program.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'));
    for (let sent = 0; sent < 9; sent += 1) program.send(piece);
    program.send(Buffer.from('"}}\n'));
    expect((await anonymousError(program)).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('67108864'),
    });
    await expectAlive(program);
    await program.end();
  }, 60_000);

  test('with half a character go in and come out as escapes', async () => {
    const program = await openHere(workshop);
    program.send(
      '{"jsonrpc":"2.0","id":"\\udc00","method":"tools/call","params":{"name":"echo","arguments":{"a":"\\ud83d"}}}',
    );
    const { result } = await program.next('\udc00');
    expect(result.content[0].text).toBe('{"a":"\\ud83d"}');
    expect(await program.textOf('text', { half: true })).toBe('before \ud83d after');
    expect(program.lines.at(-1)).toContain('\\ud83d');
    await program.end();
  });
});

describe.concurrent('arguments', () => {
  test('called __proto__ and constructor touch no prototype', async () => {
    const program = await openHere(workshop);
    program.send(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}}}',
    );
    const { text } = (await program.next(1)).result.content[0];
    // The SDK drops "__proto__"; everything else arrives as it was sent.
    expect(text).toBe('{"constructor":{"prototype":{"polluted":1}},"a":1}');
    expect(await program.textOf('echo')).toBe('{}');
    await program.end();
  });

  test('nested ten thousand deep are refused', async () => {
    const program = await openHere(workshop);
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    program.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep}}}`,
    );
    const message = 'Invalid request: it is nested deeper than 500 levels.';
    expect((await program.next(1)).error).toEqual({ code: -32600, message });
    await expectAlive(program);
    await program.end();
  });
});
