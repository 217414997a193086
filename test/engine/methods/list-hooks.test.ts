import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import type {
  Context,
  ItemRegistry,
  Session as Kept,
  ListedItem,
} from '../../../src/engine/runtime/context.js';
import { defineServer } from '../../../src/engine/runtime/define-items.js';
import { StdioChannel } from '../../../src/engine/serve/stdio/stdio-channel.js';
import { createServer } from '../../../src/engine/server/running-server.js';
import {
  type Composed,
  composeLive,
  type LiveItems,
  openSession,
  type Session,
} from '../../support/session.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Answer = any;

const handler = () => 'done';
const eras = ['legacy', 'modern'] as const;

/** Tools `a`, `b` and, hidden, `c`; and the hook of their list. */
const withHook = (tools: unknown, more: Partial<LiveItems> = {}): LiveItems => ({
  tools: { a: { handler }, b: { handler }, c: { handler, hidden: true } },
  server: { tools: '*', list: { tools } },
  ...more,
});

async function open(
  era: (typeof eras)[number],
  items: LiveItems,
  capabilities: object = {},
): Promise<Session & Composed> {
  const composed = await composeLive(items);
  return { ...composed, ...(await openSession(composed, { era, capabilities })) };
}

const namesIn = (list: readonly { name: string }[]) => list.map(({ name }) => name);
const toolNames = async ({ request }: Session) => namesIn((await request('tools/list')).tools);

describe.each(eras)('%s: the hook of a list', (era) => {
  test('picks what is listed, in its order; the rest stays callable', async () => {
    const session = await open(
      era,
      withHook((_: Context, registry: ItemRegistry) => {
        const { items } = registry.list({ includeHidden: true });
        return { items: items.filter(({ name }) => name !== 'a').toReversed() };
      }),
    );
    expect(await toolNames(session)).toEqual(['c', 'b']);
    expect(await session.request('tools/call', { name: 'a' })).toMatchObject({ content: [{ text: 'done' }] });
    expect(session.reports).toEqual([]);
  });

  test('may be slow, gives a page or a plain list, and is not fooled by what it changes', async () => {
    const session = await open(
      era,
      withHook(async (_: Context, registry: ItemRegistry) => {
        const { items } = await new Promise<{ items: readonly ListedItem[] }>((resolve) =>
          setImmediate(() => resolve(registry.list())),
        );
        for (const { definition } of items) Object.assign(definition, { description: 'changed' });
        return [...items, ...items];
      }),
    );
    const { tools } = await session.request('tools/list');
    expect(namesIn(tools)).toEqual(['a', 'b']);
    expect(JSON.stringify(tools)).not.toContain('changed');
  });

  test('is there for prompts, and for resources with their templates', async () => {
    const only = (name: string) => (_: Context, registry: ItemRegistry) => ({
      items: registry.list().items.filter((item) => item.name === name),
    });
    const { request } = await open(era, {
      prompts: { p: { content: 'p' }, q: { content: 'q' } },
      resources: {
        one: { uri: 'app://one', text: '1', name: 'kept' },
        two: { uri: 'app://two', text: '2' },
        kept: { uriTemplate: 'app://kept/{id}', read: handler, list: () => [{ uri: 'app://kept/1' }] },
        left: { uriTemplate: 'app://left/{id}', read: handler, list: () => [{ uri: 'app://left/1' }] },
      },
      server: { prompts: '*', resources: '*', list: { prompts: only('q'), resources: only('kept') } },
    });
    expect(namesIn((await request('prompts/list')).prompts)).toEqual(['q']);
    const { resources } = await request('resources/list');
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['app://one', 'app://kept/1']);
    expect(namesIn((await request('resources/templates/list')).resourceTemplates)).toEqual(['kept']);
    expect(await request('resources/read', { uri: 'app://two' })).toMatchObject({
      contents: [{ text: '2' }],
    });
  });

  const failing: readonly [string, unknown, RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
      /no luck/,
    ],
    [
      'rejects',
      async () => {
        throw new Error('no luck');
      },
      /no luck/,
    ],
    ['gives nothing', () => {}, /neither \{ items \} nor a list/],
    ['gives a text', () => 'a', /neither \{ items \} nor a list/],
    ['gives items that are no list', () => ({ items: { a: 1 } }), /neither \{ items \} nor a list/],
    [
      'says with a number where it goes on',
      () => ({ items: [], nextCursor: 7 }),
      /nextCursor is of type number/,
    ],
    [
      'asks for pages of no size',
      (_: Context, registry: ItemRegistry) => registry.list({ pageSize: 0 }),
      /pageSize is 0/,
    ],
    [
      'goes on from nowhere',
      (_: Context, registry: ItemRegistry) => registry.list({ cursor: 'x', pageSize: 1 }),
      /Invalid cursor/,
    ],
    ['hangs', () => new Promise(() => {}), /no answer within 1 s/],
  ];

  test.each(failing)('is ignored and reported once if it %s', async (_, hook, reason) => {
    const session = await open(era, withHook(hook));
    expect(await toolNames(session)).toEqual(['a', 'b']);
    expect(await toolNames(session)).toEqual(['a', 'b']);
    expect(session.reports).toHaveLength(1);
    expect(session.reports[0]).toMatch(
      /^@acme\/kit\/main: the list of tools is the usual one, since its hook failed: /,
    );
    expect(session.reports[0]).toMatch(reason);
  });

  test('may be a module reference; one that does not load is ignored', async () => {
    const files = {
      'lib/lists.mjs': 'export const tools = (ctx, registry) => [registry.resolve("b")];',
      'lib/broken.mjs': 'throw new Error("no luck");',
    };
    const listed = async (reference: string) => {
      const composed = await composeLive(withHook(reference), { files });
      const session = await openSession(composed, { era });
      return { names: await toolNames(session), reports: composed.reports.join('\n') };
    };
    expect(await listed('./lib/lists.mjs#tools')).toEqual({ names: ['b'], reports: '' });
    const broken = await listed('./lib/broken.mjs#tools');
    expect(broken.names).toEqual(['a', 'b']);
    expect(broken.reports).toMatch(/since its hook failed: .*broken\.mjs.*no luck/s);
    expect((await listed('./lib/lists.mjs#other')).reports).toMatch(/since its hook failed: .*"other"/s);
    await expect(listed('./lib/gone.js#tools')).rejects.toThrow(/unusable "list\.tools"/);
  });

  test('may give names, and of resources addresses', async () => {
    const { request, reports } = await open(era, {
      tools: { a: { handler }, b: { handler, hidden: true } },
      prompts: { p: { content: 'p' }, q: { content: 'q' } },
      resources: {
        one: { uri: 'app://one', text: '1' },
        two: { uri: 'app://two', text: '2' },
        three: { uri: 'app://three', text: '3' },
      },
      server: {
        tools: '*',
        prompts: '*',
        resources: '*',
        list: {
          tools: () => ['b', 'a', 'b'],
          prompts: () => ({ items: ['q'] }),
          resources: () => ['app://two', 'one'],
        },
      },
    });
    expect(namesIn((await request('tools/list')).tools)).toEqual(['b', 'a']);
    expect(namesIn((await request('prompts/list')).prompts)).toEqual(['q']);
    expect(namesIn((await request('resources/list')).resources)).toEqual(['two', 'one']);
    expect(reports).toEqual([]);
  });

  test('drops foreign items and reports them once', async () => {
    const session = await open(
      era,
      withHook(
        (_: Context, registry: ItemRegistry) => [
          { kind: 'tools', name: 'foreign', definition: { name: 'foreign' } },
          ...registry.list({ kind: 'prompts' }).items,
          null,
          'alas',
          Symbol('s'),
          ...registry.list().items.slice(1),
        ],
        { prompts: { a: { content: 'x' } } },
      ),
    );
    expect(await toolNames(session)).toEqual(['b']);
    expect(await toolNames(session)).toEqual(['b']);
    expect(session.reports).toEqual([
      '@acme/kit/main: the hook of its list of tools gave what the server does not have; left out: foreign, entry 2, of type null, "alas", entry 4, of type null. A hook gives names of its tools, or items of registry.list().',
    ]);
  });

  test('names few of many entries that the server does not have, each in part', async () => {
    const names = ['x'.repeat(10_000), ...Array.from({ length: 999 }, (_, index) => `x${index}`)];
    const session = await open(
      era,
      withHook(() => names),
    );
    expect(await toolNames(session)).toEqual([]);
    expect(session.reports).toHaveLength(1);
    expect(session.reports[0]).toContain('"x7", "x8", and 990 more. A hook gives');
    expect(session.reports[0]!.length).toBeLessThan(1000);
  });

  test('is cut into the pages of the server, and may cut pages itself', async () => {
    const pagesOf = async (pageSize: number, hook: unknown) => {
      const { request } = await open(era, {
        tools: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { handler }])),
        server: { tools: '*', pageSize, list: { tools: hook } },
      });
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await request('tools/list', cursor === undefined ? {} : { cursor });
        pages.push(namesIn(page.tools));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return pages;
    };
    const all = (_: Context, registry: ItemRegistry) => registry.list();
    expect(await pagesOf(2, all)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    const threes = (_: Context, registry: ItemRegistry) => registry.list({ pageSize: 3 });
    expect(await pagesOf(2, threes)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    // What else it looks at begins at the beginning.
    const looking = (_: Context, registry: ItemRegistry) => {
      expect(registry.list({ kind: 'prompts', pageSize: 1 }).items).toEqual([]);
      expect(registry.list().items).toHaveLength(5);
      return registry.list({ pageSize: 4 });
    };
    expect(await pagesOf(2, looking)).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  });

  test.each(['nonsense', 'hook.nonsense', 'hook.'])('does not go on from %s', async (cursor) => {
    const threes = (_: Context, registry: ItemRegistry) => registry.list({ pageSize: 1 });
    const { request } = await open(era, withHook(threes));
    await expect(request('tools/list', { cursor })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid cursor',
    });
  });

  test('does not mix its list with another if it fails on a later page', async () => {
    let runs = 0;
    const { request } = await open(
      era,
      withHook((_: Context, registry: ItemRegistry) => {
        if (++runs > 1) throw new Error('gone');
        return registry.list({ pageSize: 1 });
      }),
    );
    const { nextCursor } = await request('tools/list');
    await expect(request('tools/list', { cursor: nextCursor })).rejects.toMatchObject({ code: -32602 });
  });

  test('shows tools of apps to clients that show apps, and to no others', async () => {
    const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
    const items: LiveItems = {
      tools: { a: { handler }, press: { handler, ui: { app: 'board', visibility: ['app'] } } },
      apps: { board: '<!doctype html><title>Board</title>' },
      server: { tools: '*', list: { tools: (_: Context, registry: ItemRegistry) => registry.list() } },
    };
    expect(await toolNames(await open(era, items, ui))).toEqual(['a', 'press']);
    expect(await toolNames(await open(era, items))).toEqual(['a']);
    const everything = (_: Context, registry: ItemRegistry) => registry.list({ includeHidden: true });
    const server = { tools: '*', list: { tools: everything } };
    expect(await toolNames(await open(era, { ...items, server }))).toEqual(['a']);
  });

  test('calls no tool, and is not asked by what it asks', async () => {
    const session = await open(
      era,
      withHook(async (ctx: Context, registry: ItemRegistry) => {
        expect(namesIn(await ctx.registry.shown())).toEqual(['a', 'b', 'c']);
        expect(namesIn(await registry.shown())).toEqual(['a', 'b', 'c']);
        return await ctx.callTool('a');
      }),
    );
    expect(await toolNames(session)).toEqual(['a', 'b']);
    expect(session.reports[0]).toMatch(/its hook failed: Error: The hook of a list called the tool "a"\./);
  });

  test('cannot ask the user, since lists are not where questions are', async () => {
    let refusal: unknown;
    const session = await open(
      era,
      withHook(async (ctx: Context, registry: ItemRegistry) => {
        refusal = await ctx.elicit('Well?', { x: 'string' }).catch((error: unknown) => error);
        return registry.list();
      }),
      { elicitation: {} },
    );
    expect(await toolNames(session)).toEqual(['a', 'b']);
    expect(refusal).toBeInstanceOf(Error);
  });

  test('makes its list private, regardless of the server', async () => {
    const cache = { ttlMs: 5000, scope: 'public' };
    const items = withHook((_: Context, registry: ItemRegistry) => registry.list());
    const prompts = { p: { content: 'p' } };
    const session = await open(era, { ...items, prompts, server: { ...items.server, prompts: '*', cache } });
    const scopeOf = async (method: string) => (await session.request(method)).cacheScope;
    const isTold = era === 'modern';
    expect(await scopeOf('tools/list')).toBe(isTold ? 'private' : undefined);
    expect(await scopeOf('prompts/list')).toBe(isTold ? 'public' : undefined);
  });
});

const unlocking: LiveItems = {
  tools: {
    unlock: {
      handler: (_: unknown, ctx: Context) => {
        ctx.session?.set('unlocked', true);
        ctx.notifyChanged('tools');
        return String(ctx.session?.get('unlocked'));
      },
    },
    vault: { handler, hidden: true },
  },
  server: {
    tools: '*',
    list: {
      tools: (ctx: Context, registry: ItemRegistry) =>
        registry.list({ includeHidden: ctx.session?.get('unlocked') === true }),
    },
  },
};

describe('a session', () => {
  test("lasts as long as its connection, and is no other's", async () => {
    const composed = await composeLive(unlocking);
    const one = await openSession(composed);
    const other = await openSession(composed);
    expect(await toolNames(one)).toEqual(['unlock']);
    await one.request('tools/call', { name: 'unlock' });
    expect(await toolNames(one)).toEqual(['unlock', 'vault']);
    expect(await toolNames(other)).toEqual(['unlock']);
    const changed = { method: 'notifications/tools/list_changed' };
    expect(one.notifications).toMatchObject([changed]);
    expect(other.notifications).toMatchObject([changed]);
  });

  test('is undefined on 2026-07-28, where lists do not depend on earlier requests', async () => {
    const session = await open('modern', unlocking);
    const { content } = await session.request('tools/call', { name: 'unlock' });
    expect(content).toMatchObject([{ text: 'undefined' }]);
    expect(await toolNames(session)).toEqual(['unlock']);
  });

  test('is hidden from a hook on 2026-07-28, as is the client', async () => {
    const seen: unknown[] = [];
    const look = ({ client, session, auth, requestId, ui, can }: Context, registry: ItemRegistry) => {
      seen.push({ client, session, auth, requestId, ui, sampling: can('sampling') });
      return registry.list();
    };
    for (const era of eras) await toolNames(await open(era, withHook(look), { sampling: {} }));
    expect(seen).toEqual([
      {
        client: { name: 'tester', version: '9', capabilities: { sampling: {} } },
        session: { get: expect.any(Function), set: expect.any(Function) },
        auth: undefined,
        requestId: expect.any(Number),
        ui: false,
        sampling: true,
      },
      {
        client: { name: undefined, version: undefined, capabilities: {} },
        session: undefined,
        auth: undefined,
        requestId: undefined,
        ui: false,
        sampling: false,
      },
    ]);
  });

  test('is not passed to initializers', async () => {
    const seen: unknown[] = [];
    const { request } = await open('legacy', {
      tools: { t: { handler, initialize: ({ session, auth }: Context) => seen.push({ session, auth }) } },
    });
    await request('tools/call', { name: 't' });
    expect(seen).toEqual([{ session: undefined, auth: undefined }]);
  });
});

test('the gate of an app is not asked by what it asks', async () => {
  let asked = 0;
  const when = async ({ registry }: Context) => {
    asked += 1;
    return (await registry.shown()).length === 1;
  };
  const items = { tools: { t: { handler, ui: { app: 'board', when } } }, apps: { board: '<!doctype html>' } };
  const session = await open('modern', items, { extensions: { 'io.modelcontextprotocol/ui': {} } });
  expect((await session.request('tools/list')).tools[0]._meta.ui.resourceUri).toBe('ui://acme/kit/board');
  expect(asked).toBe(1);
});

test('passes verified claims to hooks and handlers, but not the token', async () => {
  const { served } = await composeLive({
    tools: {
      a: { handler: (_: unknown, { auth }: Context) => JSON.stringify(auth) },
      vault: { handler, hidden: true },
    },
    server: {
      tools: '*',
      list: {
        tools: ({ auth }: Context, registry: ItemRegistry) =>
          registry.list({
            includeHidden: (auth?.scopes as string[] | undefined)?.includes('vault') ?? false,
          }),
      },
    },
  });
  const answers: Answer[] = [];
  const channel = new StdioChannel(async (message) => void answers.push(message as Answer));
  await createServer(served, 'legacy').connect(channel);
  const ask = async (method: string, params: object, scopes?: readonly string[]) => {
    const authInfo = scopes && { token: 'secret', clientId: 'c', scopes, extra: { sub: 'ada' } };
    const id = answers.length;
    const answered = vi.waitUntil(() => answers[id], 10_000);
    channel.onmessage?.({ jsonrpc: '2.0', id, method, params } as never, { authInfo } as never);
    return (await answered).result;
  };
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  });
  expect(namesIn((await ask('tools/list', {})).tools)).toEqual(['a']);
  expect(namesIn((await ask('tools/list', {}, ['hall'])).tools)).toEqual(['a']);
  expect(namesIn((await ask('tools/list', {}, ['vault'])).tools)).toEqual(['a', 'vault']);
  const { content } = await ask('tools/call', { name: 'a' }, ['vault']);
  expect(JSON.parse(content[0].text)).toEqual({ clientId: 'c', scopes: ['vault'], sub: 'ada' });
});

test('types the arguments and results of hooks', () => {
  const server = defineServer({
    list: {
      tools(ctx, registry) {
        expectTypeOf(ctx.session).toEqualTypeOf<Kept | undefined>();
        expectTypeOf(registry).toEqualTypeOf<ItemRegistry>();
        return registry.list({ includeHidden: ctx.session?.get('unlocked') === true });
      },
      prompts: async (_, registry) => registry.list().items.filter(({ hidden }) => !hidden),
    },
  });
  expect(Object.keys(server.list!)).toEqual(['tools', 'prompts']);
  defineServer({ list: { tools: () => ['a'], prompts: () => ({ items: ['p'], nextCursor: '1' }) } });
  // @ts-expect-error a hook gives items or names
  defineServer({ list: { tools: () => [1] } });
  // @ts-expect-error there are no such lists
  defineServer({ list: { apps: () => [] } });
});
