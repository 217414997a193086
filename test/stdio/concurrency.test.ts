import { describe, expect, test } from 'vitest';
import { installFixture } from '../support/installed.js';
import type { Message } from '../support/program.js';
import { openHere, serveHere } from '../support/serving-here.js';
import { call, cancelled, legacy, modern } from './support/messages.js';

/** Its module keeps what is held. */
const workshop = () => installFixture('stdio-workshop');

const eras = [
  ['legacy', call],
  [
    'modern',
    (id: unknown, name: string, args: object = {}, _meta: object = {}) =>
      modern(id, 'tools/call', { name, arguments: args, _meta }),
  ],
] as const;

describe.each(eras)('%s calls', (_, request) => {
  test('delays neither ping nor list nor another call while one waits', async () => {
    const program = await openHere(workshop());
    program.send(request('slow', 'hold', { key: 'a' }));
    await program.said('<hold a>');
    expect((await program.ask(legacy('ping', 'ping'))).result).toEqual({});
    expect((await program.ask(request('echo', 'echo', { n: 1 }))).result.content).toEqual([
      { type: 'text', text: '{"n":1}' },
    ]);
    expect((await program.request('tools/list')).tools.length).toBeGreaterThan(0);
    await program.ask(request('free', 'release', { key: 'a' }));
    expect((await program.next('slow')).result.content[0].text).toBe('released a');
    await program.end();
  });

  test('are answered as they end, each under its own id', async () => {
    const program = await openHere(workshop());
    const keys = ['first', 'second', 'third'];
    for (const key of keys) program.send(request(key, 'hold', { key }));
    for (const key of keys) await program.said(`<hold ${key}>`);
    for (const key of keys.toReversed()) {
      await program.ask(request(`free ${key}`, 'release', { key }));
      expect((await program.next(key)).result.content[0].text).toBe(`released ${key}`);
    }
    await program.end();
  });

  test('may be under way by the hundred', async () => {
    const program = await openHere(workshop());
    const ids = Array.from({ length: 200 }, (_, id) => id);
    for (const id of ids) program.send(request(id, 'hold', { key: `${id}` }));
    for (const id of ids) await program.said(`<hold ${id}>`);
    expect((await program.ask(request('more', 'echo'))).result.isError).toBeUndefined();
    for (const id of ids) program.send(request(`free ${id}`, 'release', { key: `${id}` }));
    for (const id of ids) expect((await program.next(id)).result.content[0].text).toBe(`released ${id}`);
    await program.end();
    expect(program.stderr).not.toMatch(/warning/i);
  });

  test('aborts a cancelled call, and sends nothing more for it', async () => {
    const program = await openHere(workshop());
    program.send(request('gone', 'hold', { key: 'a' }, { progressToken: 'p' }));
    await program.said('<hold a>');
    program.send(cancelled('gone'));
    await program.said('<over a>');
    expect(await program.request('ping')).toEqual({});
    expect((await program.ask(request('later', 'echo'))).result).toBeDefined();
    const about = program.messages.filter(
      ({ id, method, params }: Message) =>
        id === 'gone' || method !== undefined || params?.progressToken === 'p',
    );
    expect(about).toEqual([]);
    // Its id is free again.
    expect((await program.ask(request('gone', 'echo'))).result).toBeDefined();
    await program.end();
  });

  test('never runs a call that is cancelled before it begins', async () => {
    const program = await openHere(workshop());
    const lines = [request('hold', 'hold', { key: 'a' }), cancelled('hold')];
    program.send(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    await program.ask(request('echo', 'echo'));
    expect(await program.textOf('release', { key: 'a' })).toBe('nothing held');
    await program.end();
    expect(program.stderr).toBe('');
  });

  test('end at their time limit with an error result', async () => {
    const program = await openHere(workshop());
    const { result } = await program.ask(request('late', 'limited', { key: 'a' }));
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no answer within 0.2 s') }],
    });
    await program.said('<aborted a>');
    expect((await program.ask(request('next', 'echo'))).result.isError).toBeUndefined();
    await program.end();
  });

  test('report growing progress only to requests with a token', async () => {
    const program = await openHere(workshop());
    await program.ask(request(1, 'steps', { count: 3 }));
    expect(program.messages.filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    const answer = await program.ask(request(2, 'steps', { count: 3 }, { progressToken: 7 }));
    const progress = program.messages.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params)).toEqual(
      [1, 2, 3].map((step) => ({ progressToken: 7, progress: step, total: 3, message: `step ${step}` })),
    );
    expect(program.messages.at(-1)).toBe(answer);
    await program.end();
  });
});

describe.concurrent('log messages', () => {
  const levels = (program: { messages: Message[] }) =>
    program.messages.flatMap(({ method, params }) =>
      method === 'notifications/message' ? [params.level] : [],
    );

  test('reach a legacy client from info on, or from the level it sets', async () => {
    const program = await openHere(workshop());
    await program.call('say');
    expect(levels(program)).toEqual(['info', 'notice', 'warning', 'error']);
    await program.request('logging/setLevel', { level: 'error' });
    await program.call('say');
    expect(levels(program).slice(4)).toEqual(['error']);
    expect(program.messages.find(({ method }) => method)?.params).toEqual({
      level: 'info',
      logger: 'say',
      data: { level: 'info' },
    });
    await program.end();
  });

  test('reach a modern client only if the request asks for them', async () => {
    const program = serveHere(workshop());
    await program.ask(modern(1, 'tools/call', { name: 'say' }));
    expect(levels(program)).toEqual([]);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'warning' };
    await program.ask(modern(2, 'tools/call', { name: 'say', _meta }));
    expect(levels(program)).toEqual(['warning', 'error']);
    await program.end();
  });
});

describe.concurrent('a call that fails', () => {
  test.each([
    ['tool-error', 'say it like this'],
    ['error', 'Tool execution failed'],
    ['text', 'Tool execution failed'],
    ['nothing', 'Tool execution failed'],
    ['function', 'has no JSON form'],
    ['bigint', 'has no JSON form'],
    ['cycle', 'has no JSON form'],
  ])('by %s is a result the model can read, without secrets', async (how, text) => {
    const program = await openHere(workshop());
    const result = await program.call('fail', { how });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining(text) }],
    });
    expect(JSON.stringify(result)).not.toMatch(/secret|src\/tools/);
    expect((await program.call('echo')).isError).toBeUndefined();
    await program.end();
    if (how === 'error') expect(program.stderr).toMatch(/secret of the house[\s\S]*src\/tools\.js/);
  });

  test('by a protocol error is answered with its number, words and data', async () => {
    const program = await openHere(workshop());
    expect(await program.call('fail', { how: 'protocol-error' })).toEqual({
      code: -32000,
      message: 'not here',
      data: { a: 1 },
    });
    await program.end();
  });
});
