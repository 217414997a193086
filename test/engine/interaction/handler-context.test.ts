import { describe, expect, test } from 'vitest';
import type { Context, LogLevel } from '../../../src/engine/runtime/context.js';
import { composeLive, openSession, type SessionOptions } from '../../support/session.js';

const levels = ['debug', 'info', 'notice', 'warning', 'error'] as const satisfies readonly LogLevel[];
const eras = ['legacy', 'modern'] as const;

/** A server with one tool, one prompt and one resource that all do the same with their context. */
async function open(use: (ctx: Context) => unknown, options: SessionOptions = {}, more: object = {}) {
  const served = await composeLive(
    {
      tools: { t: { handler: (_: unknown, ctx: Context) => use(ctx), ...more } },
      prompts: { p: { content: (_: unknown, ctx: Context) => JSON.stringify(use(ctx)) } },
      resources: {
        r: { uri: 'app://r', read: (_: unknown, __: unknown, ctx: Context) => JSON.stringify(use(ctx)) },
      },
    },
    { toolOptions: { t: { set: 'by user' } } },
  );
  return await openSession(served, options);
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('a signal is an own property of each context, with one getter for all', async () => {
  const getters = new Set<unknown>();
  const copied: boolean[] = [];
  const { request } = await open((ctx) => {
    getters.add(Object.getOwnPropertyDescriptor(ctx, 'signal')?.get);
    copied.push({ ...ctx }.signal === ctx.signal);
    return 'done';
  });
  await request('tools/call', { name: 't' });
  await request('tools/call', { name: 't' });
  expect(copied).toEqual([true, true]);
  expect(getters.size).toBe(1);
});

describe.each(eras)('%s: a handler knows', (era) => {
  const facts = (ctx: Context) => ({
    client: ctx.client,
    version: ctx.protocolVersion,
    server: ctx.server,
    tool: ctx.tool ?? null,
    options: ctx.options,
    id: typeof ctx.requestId,
    locals: ctx.locals,
    can: [
      'elicitation',
      'sampling',
      'sampling.tools',
      'extensions.com.example/charts',
      'nothing',
      'constructor',
    ].filter((name) => ctx.can(name)),
    aborted: ctx.signal.aborted,
  });
  const capabilities = {
    elicitation: {},
    sampling: { tools: {} },
    extensions: { 'com.example/charts': {} },
  };
  const options: SessionOptions = { era, capabilities };
  const expected = {
    client: { name: 'tester', version: '9', capabilities },
    version: era === 'legacy' ? '2025-11-25' : '2026-07-28',
    server: { name: '@acme/kit/kit', version: '1.2.3' },
    id: 'number',
    locals: {},
    can: ['elicitation', 'sampling', 'sampling.tools', 'extensions.com.example/charts'],
    aborted: false,
  };

  test('receives client, request and options', async () => {
    const { request } = await open(facts, options, { options: { set: 'default', kept: 1 } });
    const { structuredContent } = await request('tools/call', { name: 't' });
    expect(structuredContent).toMatchObject({
      ...expected,
      tool: { name: 't' },
      options: { set: 'by user', kept: 1 },
    });
  });

  test('in prompts and resources too', async () => {
    const { request } = await open(facts, options);
    const prompt = await request('prompts/get', { name: 'p' });
    expect(JSON.parse(prompt.messages[0].content.text)).toMatchObject({
      ...expected,
      tool: null,
      options: {},
    });
    const resource = await request('resources/read', { uri: 'app://r' });
    expect(JSON.parse(resource.contents[0].text)).toMatchObject({ ...expected, tool: null, options: {} });
  });

  test('nothing of what another call kept', async () => {
    const { request } = await open(({ locals }) => {
      const seen = { ...locals };
      locals.kept = true;
      return seen;
    }, options);
    for (let call = 0; call < 2; call++) {
      expect((await request('tools/call', { name: 't' })).structuredContent).toEqual({});
    }
  });
});

describe.each(eras)('%s: progress', (era) => {
  const report = (ctx: Context) => {
    ctx.progress(1, { total: 3, message: 'one' });
    for (const value of [1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -1]) ctx.progress(value);
    ctx.progress(2);
    return 'done';
  };

  test('goes to requests with a progress token, with growing values only', async () => {
    const { request, notifications } = await open(report, { era });
    await request('tools/call', { name: 't' }, { progressToken: 'token' });
    await settled();
    expect(
      notifications.map(({ method, params }) => [method, params.progress, params.total, params.message]),
    ).toEqual([
      ['notifications/progress', 1, 3, 'one'],
      ['notifications/progress', 2, undefined, undefined],
    ]);
    expect(notifications[0].params.progressToken).toBe('token');
  });

  test('is not sent to other requests', async () => {
    const { request, notifications } = await open(report, { era });
    await request('tools/call', { name: 't' });
    await settled();
    expect(notifications).toEqual([]);
  });
});

describe('log messages', () => {
  const speak = ({ log }: Context) => {
    for (const level of levels) log[level](`${level}!`);
    return 'done';
  };
  const heard = (notifications: readonly { params: { level: string } }[]) =>
    notifications.map(({ params }) => params.level);

  test('on 2025 begin at info until the client sets another level', async () => {
    const { request, notifications } = await open(speak);
    await request('tools/call', { name: 't' });
    expect(heard(notifications)).toEqual(['info', 'notice', 'warning', 'error']);
    for (const [level, count] of [
      ['debug', 5],
      ['warning', 2],
      ['emergency', 0],
      ['info', 4],
    ] as const) {
      notifications.length = 0;
      await request('logging/setLevel', { level });
      await request('tools/call', { name: 't' });
      await settled();
      expect(notifications).toHaveLength(count);
    }
  });

  test('on 2025 are the business of one connection', async () => {
    const served = await composeLive({ tools: { t: { handler: (_: unknown, ctx: Context) => speak(ctx) } } });
    const [quiet, other] = [await openSession(served), await openSession(served)];
    await quiet.request('logging/setLevel', { level: 'error' });
    await quiet.request('tools/call', { name: 't' });
    await other.request('tools/call', { name: 't' });
    await settled();
    expect([quiet.notifications.length, other.notifications.length]).toEqual([1, 4]);
  });

  test.each([
    [undefined, []],
    ['debug', ['debug', 'info', 'notice', 'warning', 'error']],
    ['warning', ['warning', 'error']],
    ['emergency', []],
  ])('on 2026 follow the level of the request: %s', async (level, expected) => {
    const { request, notifications } = await open(speak, { era: 'modern' });
    await request(
      'tools/call',
      { name: 't' },
      level === undefined ? {} : { 'io.modelcontextprotocol/logLevel': level },
    );
    await settled();
    expect(heard(notifications)).toEqual(expected);
  });

  test('name their logger and carry any data without failing the call', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const refuse = () => {
      throw new Error('not to be looked at');
    };
    const bare = Object.assign(Object.create(null), { n: 1n });
    const trap = new Proxy({}, { get: refuse, getPrototypeOf: refuse });
    const { request, notifications } = await open(({ log }) => {
      for (const data of ['text', { a: [1] }, new Error('boom'), cycle, 1n, undefined, () => {}, bare, trap])
        log.info(data);
      return 'done';
    });
    expect(await request('tools/call', { name: 't' })).toMatchObject({ content: [{ text: 'done' }] });
    await settled();
    expect(notifications.map(({ params }) => params.data)).toEqual([
      'text',
      { a: [1] },
      'boom',
      '<ref *1> { self: [Circular *1] }',
      '1n',
      null,
      null,
      '[Object: null prototype] { n: 1n }',
      '{}',
    ]);
    expect(notifications[0]).toMatchObject({
      method: 'notifications/message',
      params: { level: 'info', logger: 't' },
    });
  });
});

describe.each(eras)('%s: a cancelled call', (era) => {
  test('aborts its signal and sends no further message', async () => {
    let ctx: Context | undefined;
    const session = await open(
      (own) => {
        ctx = own;
        return new Promise((_, reject) =>
          own.signal.addEventListener('abort', () => reject(own.signal.reason)),
        );
      },
      { era },
    );
    const { id } = session.send('tools/call', { name: 't' }, { progressToken: 1 });
    await settled();
    expect(ctx?.signal.aborted).toBe(false);
    session.cancel(id);
    await settled();
    expect(ctx?.signal.aborted).toBe(true);
    ctx?.progress(5);
    ctx?.log.error('late');
    await settled();
    expect(session.notifications).toEqual([]);
  });
});
