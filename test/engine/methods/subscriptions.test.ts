import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import {
  composeLive,
  type LiveItems,
  openSession,
  type Session,
  type SessionOptions,
} from '../../support/session.js';

const handler = () => 'done';
const eras = ['legacy', 'modern'] as const;

const clock: LiveItems = {
  tools: {
    tick: {
      handler: ({ uri }: { uri: string }, ctx: Context) => ctx.notifyResourceUpdated(uri),
      input: { uri: 'string' },
    },
  },
  resources: {
    time: { uri: 'clock://time', text: 'now', subscribable: true },
    zone: { uriTemplate: 'clock://zone/{name}', read: handler, subscribable: true },
    maker: { uri: 'clock://maker', text: 'Acme' },
    secret: { uri: 'clock://secret', text: '42', subscribable: true, hidden: true },
  },
};

const open = async (items: LiveItems, options?: SessionOptions) => {
  const composed = await composeLive(items);
  return { ...composed, ...(await openSession(composed, options)) };
};

const tick = async ({ request }: Session, uri: string) =>
  void (await request('tools/call', { name: 'tick', arguments: { uri } }));

const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });

describe('resources/subscribe', () => {
  test('notifies the client of subscribed resources until it unsubscribes', async () => {
    const session = await open(clock);
    const uris = ['clock://time', 'clock://zone/Ostwick', 'clock://secret'];
    for (const uri of uris) expect(await session.request('resources/subscribe', { uri })).toEqual({});
    for (const uri of [...uris, 'clock://zone/High%20Fell']) await tick(session, uri);
    expect(session.notifications).toMatchObject(uris.map(updated));

    expect(await session.request('resources/unsubscribe', { uri: 'clock://time' })).toEqual({});
    await tick(session, 'clock://time');
    await tick(session, 'clock://secret');
    expect(session.notifications.slice(uris.length)).toMatchObject([updated('clock://secret')]);
  });

  test("is one client's affair", async () => {
    const composed = await composeLive(clock);
    const one = await openSession(composed);
    const other = await openSession(composed);
    await one.request('resources/subscribe', { uri: 'clock://time' });
    await tick(other, 'clock://time');
    expect(one.notifications).toMatchObject([updated('clock://time')]);
    expect(other.notifications).toEqual([]);
  });

  test('is for a thousand resources at most, whose addresses are not too long', async () => {
    const { request } = await open(clock);
    const subscribe = async (name: string) =>
      await request('resources/subscribe', { uri: `clock://zone/${name}` });
    await Promise.all(Array.from({ length: 1000 }, (_, index) => subscribe(`${index}`)));
    expect(await subscribe('999')).toEqual({});
    await expect(subscribe('1000')).rejects.toMatchObject({ code: -32600 });
    await request('resources/unsubscribe', { uri: 'clock://zone/0' });
    await expect(subscribe('x'.repeat(2048))).rejects.toMatchObject({ code: -32600 });
    expect(await subscribe('1000')).toEqual({});
  });

  const refused: readonly [string, string, object][] = [
    [
      'is not subscribable',
      'clock://maker',
      {
        code: -32600,
        message: 'Resource cannot be subscribed to: clock://maker',
        data: { uri: 'clock://maker' },
      },
    ],
    ['is not there', 'clock://gone', { code: -32602, data: { uri: 'clock://gone' } }],
  ];

  test.each(refused)('refuses what %s', async (_, uri, error) => {
    const { request } = await open(clock);
    await expect(request('resources/subscribe', { uri })).rejects.toMatchObject(error);
    // It is as it should be afterwards.
    expect(await request('resources/unsubscribe', { uri })).toEqual({});
  });

  test.each(['resources/subscribe', 'resources/unsubscribe'])(
    '%s is unknown where nothing is subscribable',
    async (method) => {
      const { request } = await open({ resources: { maker: { uri: 'clock://maker', text: 'Acme' } } });
      await expect(request(method, { uri: 'clock://maker' })).rejects.toMatchObject({ code: -32601 });
      const modern = await open(clock, { era: 'modern' });
      await expect(modern.request(method, { uri: 'clock://time' })).rejects.toMatchObject({ code: -32601 });
    },
  );

  test('refuses an app, and UI that its client does not show', async () => {
    const ui = { extensions: { 'io.modelcontextprotocol/ui': {} } };
    const items: LiveItems = {
      tools: { t: { handler, ui: 'board' } },
      apps: { board: '<!doctype html><title>Board</title>' },
      resources: { page: { uri: 'ui://acme/page', text: 'x', subscribable: true } },
    };
    const shown = await open(items, { capabilities: ui });
    expect(await shown.request('resources/subscribe', { uri: 'ui://acme/page' })).toEqual({});
    await expect(shown.request('resources/subscribe', { uri: 'ui://acme/kit/board' })).rejects.toMatchObject({
      code: -32600,
    });
    const { request } = await open(items);
    await expect(request('resources/subscribe', { uri: 'ui://acme/page' })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

/** Opens a subscription; gives its acknowledgment. */
async function listen(session: Session, notifications: object) {
  const { id, answer } = session.send('subscriptions/listen', { notifications });
  // Whatever is asked afterwards is answered afterwards.
  await session.request('server/discover');
  return { id, answer, acknowledged: of(session, id)[0] };
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const of = ({ notifications }: Session, id: number) =>
  notifications.filter(({ params }) => params?._meta?.[subscriptionId] === id);

describe('subscriptions/listen', () => {
  test('acknowledges the accepted part', async () => {
    const session = await open(clock, { era: 'modern' });
    const wanted = ['clock://maker', 'clock://time', 'clock://gone', 'clock://zone/Ostwick'];
    const { acknowledged } = await listen(session, {
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: wanted,
    });
    expect(acknowledged).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    expect(acknowledged.params.notifications).toEqual({
      resourceSubscriptions: ['clock://time', 'clock://zone/Ostwick'],
    });
    const none = await listen(session, { resourceSubscriptions: ['clock://maker'] });
    expect(none.acknowledged.params.notifications).toEqual({});
  });

  test('honours a thousand resources at most', async () => {
    const session = await open(clock, { era: 'modern' });
    const wanted = Array.from({ length: 1001 }, (_, index) => `clock://zone/${index}`);
    const { acknowledged } = await listen(session, {
      resourceSubscriptions: [`clock://zone/${'x'.repeat(2048)}`, ...wanted],
    });
    expect(acknowledged.params.notifications.resourceSubscriptions).toEqual(wanted.slice(0, 999));
  });

  test('notifies each of several subscriptions until it is cancelled', async () => {
    const session = await open(clock, { era: 'modern' });
    const one = await listen(session, { resourceSubscriptions: ['clock://time'] });
    const other = await listen(session, { resourceSubscriptions: ['clock://time', 'clock://secret'] });
    await tick(session, 'clock://time');
    await tick(session, 'clock://secret');
    session.cancel(one.id);
    await tick(session, 'clock://time');
    const told = (id: number) => of(session, id).slice(1);
    expect(told(one.id)).toMatchObject([updated('clock://time')]);
    expect(told(other.id)).toMatchObject(
      ['time', 'secret', 'time'].map((name) => updated(`clock://${name}`)),
    );
    expect(session.notifications).toHaveLength(2 + 4);
  });

  test.each([
    undefined,
    [],
    'all',
    { resourceSubscriptions: 'clock://time' },
    { resourceSubscriptions: [1] },
  ])('refuses %j', async (notifications) => {
    const { request } = await open(clock, { era: 'modern' });
    await expect(request('subscriptions/listen', { notifications })).rejects.toMatchObject({ code: -32602 });
  });

  test('is unknown before 2026-07-28', async () => {
    const { request } = await open(clock);
    await expect(request('subscriptions/listen', { notifications: {} })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

describe.each(eras)('%s: change notifications of handlers', (era) => {
  const list = { tools: () => [] };
  const hear = async (session: Session) => {
    if (era === 'modern')
      await listen(session, { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
  };
  const changes = ({ notifications }: Session) =>
    notifications.map(({ method }) => method).filter((method) => method.endsWith('/list_changed'));

  test('sends one notification for repeated reports', async () => {
    const loop = (_: unknown, ctx: Context) => {
      for (let round = 0; round < 100; round++) ctx.notifyChanged(round % 2 ? 'tools' : 'prompts');
    };
    const session = await open(
      {
        tools: { loop: { handler: loop } },
        prompts: { p: { content: 'p' } },
        server: { tools: '*', prompts: '*', list: { ...list, prompts: list.tools } },
      },
      { era },
    );
    await hear(session);
    await session.request('tools/call', { name: 'loop' });
    await session.request('tools/list');
    expect(changes(session)).toEqual([
      'notifications/prompts/list_changed',
      'notifications/tools/list_changed',
    ]);
  });

  test('sends another notification after an await, before the result', async () => {
    const loop = async (_: unknown, ctx: Context) => {
      for (let round = 0; round < 3; round++) {
        ctx.notifyChanged('tools');
        await undefined;
      }
    };
    const session = await open({ tools: { loop: { handler: loop } }, server: { tools: '*', list } }, { era });
    await hear(session);
    await session.request('tools/call', { name: 'loop' });
    expect(changes(session)).toEqual(Array(3).fill('notifications/tools/list_changed'));
  });

  test('sends a notification after the reporting call has ended', async () => {
    let kept: Context | undefined;
    const session = await open(
      {
        tools: { t: { handler } },
        resources: clock.resources!,
        server: {
          tools: '*',
          resources: '*',
          list,
          initialize: (ctx: Context) => {
            kept = ctx;
          },
        },
      },
      { era },
    );
    await hear(session);
    await session.request('tools/call', { name: 't' });
    expect(changes(session)).toEqual([]);
    const { notifyChanged, notifyResourceUpdated } = kept!;
    notifyChanged('tools');
    notifyResourceUpdated('clock://time');
    await session.request('tools/list');
    expect(changes(session)).toEqual(['notifications/tools/list_changed']);
  });

  test('ignores reports of lists that cannot change, and logs this once', async () => {
    const session = await open(
      {
        tools: {
          t: {
            handler: (_: unknown, ctx: Context) => {
              for (const uri of ['clock://maker', 'clock://gone']) ctx.notifyResourceUpdated(uri);
              ctx.notifyChanged('tools');
              ctx.notifyChanged('tools');
            },
          },
        },
        resources: clock.resources!,
      },
      { era },
    );
    await hear(session);
    await session.request('tools/call', { name: 't' });
    await session.request('tools/list');
    expect(session.notifications.filter(({ method }) => !method.includes('acknowledged'))).toEqual([]);
    expect(session.reports).toEqual([
      '@acme/kit/kit: notifyResourceUpdated has no effect: no resource that is "subscribable" has the address clock://maker.',
      '@acme/kit/kit: notifyChanged(\'tools\') has no effect: the server has no "list" hook of tools, so their list is always the same.',
    ]);
  });

  test('has to be something', async () => {
    const faults: unknown[] = [];
    const attempt = (tell: () => void) => {
      try {
        tell();
      } catch (error) {
        faults.push(error);
      }
    };
    const session = await open(
      {
        tools: {
          t: {
            handler: (_: unknown, ctx: Context) => {
              attempt(() => ctx.notifyChanged('tool' as 'tools'));
              attempt(() => ctx.notifyResourceUpdated(undefined as unknown as string));
            },
          },
        },
      },
      { era },
    );
    await session.request('tools/call', { name: 't' });
    expect(faults).toMatchObject([
      { message: 'There is no list of "tool". Expected tools, prompts or resources.' },
      { message: 'The address of a resource is a string.' },
    ]);
  });
});

describe('declares listChanged', () => {
  const list = { tools: () => [] };
  const template = { uriTemplate: 'a://{b}', read: handler };
  const rows: readonly [string, LiveItems, object][] = [
    [
      'nothing',
      {
        tools: { t: { handler } },
        prompts: { p: { content: 'p' } },
        resources: { r: { uri: 'a://r', text: '' } },
      },
      { tools: {}, prompts: {}, resources: {} },
    ],
    [
      'what has a hook',
      {
        tools: { t: { handler } },
        prompts: { p: { content: 'p' } },
        server: { tools: '*', prompts: '*', list },
      },
      { tools: { listChanged: true }, prompts: {} },
    ],
    [
      'a hook of what is not there',
      { prompts: { p: { content: 'p' } }, server: { prompts: '*', list } },
      { prompts: {} },
    ],
    [
      'what a template lists',
      { resources: { s: { ...template, list: () => [] } } },
      { resources: { listChanged: true } },
    ],
    ['a template that lists nothing', { resources: { s: template } }, { resources: {} }],
    [
      'what is subscribable',
      { resources: { s: { ...template, subscribable: true } } },
      { resources: { subscribe: true } },
    ],
    [
      'and hidden',
      { resources: { s: { ...template, subscribable: true, hidden: true } } },
      { resources: { subscribe: true } },
    ],
    ['and UI', { resources: { s: { uri: 'ui://a/b', text: '', subscribable: true } } }, {}],
  ];

  test.each(rows)('%s', async (_, items, expected) => {
    const composed = await composeLive(items);
    const modern = await openSession(composed, { era: 'modern' });
    const legacy = await openSession(composed);
    const introduction = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    for (const { capabilities } of [
      await modern.request('server/discover'),
      await legacy.request('initialize', introduction),
    ]) {
      const { logging: _logging, completions: _completions, ...told } = capabilities;
      expect(told).toEqual(expected);
    }
  });

  test('apps that come and go are a change to clients that show them', async () => {
    const items: LiveItems = {
      tools: { t: { handler, ui: { app: 'board', when: () => true } } },
      apps: { board: '<!doctype html><title>Board</title>' },
    };
    const ui = { extensions: { 'io.modelcontextprotocol/ui': {} } };
    const toolsOf = async (capabilities: object) =>
      (await (await open(items, { era: 'modern', capabilities })).request('server/discover')).capabilities
        .tools;
    expect(await toolsOf(ui)).toEqual({ listChanged: true });
    expect(await toolsOf({})).toEqual({});
  });
});
