import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { eras, openBench, pairs, scripted } from './support.js';

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  test('lists and calls the tools of an upstream server unchanged', async () => {
    const far = scripted({ era: upstream, tools: ['echo', 'rich'] });
    const { request, call } = await openBench([{ place: far.place }], { era: downstream });
    const { tools } = await request('tools/list');
    expect(tools).toEqual([
      { name: 'echo', description: 'Does echo.', inputSchema: { type: 'object', properties: {} } },
      {
        name: 'rich',
        title: 'Rich',
        description: 'Has everything.',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://example.com/icon.png' }],
        // Its app is not served here.
        _meta: { category: 'theirs', own: 1 },
      },
    ]);
    const echoed = await call('echo', { any: [1] });
    expect(echoed.content).toEqual([{ type: 'text', text: 'scripted echoes {"any":[1]}' }]);
    const rich = await call('rich', { a: 3 });
    expect(rich).toMatchObject({ structuredContent: { sum: 3 }, _meta: { own: 2 } });
    expect(rich._meta.ui).toBeUndefined();
  });
});

test('nothing is started by a handshake or a ping, and one process serves all who ask', async () => {
  const far = scripted();
  const { request, names, call } = await openBench([{ place: far.place }]);
  await request('ping');
  expect(far.noted()).toEqual([]);
  await Promise.all([names(), names(), call('echo')]);
  expect(far.noted().filter((line) => line === 'start')).toHaveLength(1);
});

describe('listed tools of an upstream server', () => {
  const own = [
    { name: 'first', handler: () => 'first' },
    { name: 'second', handler: () => 'second' },
  ];

  test('are chosen, renamed and at the position of the entry', async () => {
    const far = scripted({ tools: ['echo', 'slow', 'fail', 'hang'] });
    const choice = {
      prefix: 'far_',
      only: ['echo', 'slow', 'fail'],
      except: ['fail'],
      rename: { slow: 'wait' },
    };
    const { names, says } = await openBench([{ place: far.place, choice, position: 1 }], { own });
    expect(await names()).toEqual(['first', 'far_echo', 'wait', 'second']);
    expect(await says('far_echo')).toBe('scripted echoes {}');
    expect(await says('second')).toBe('second');
  });

  test('take the changes of their entry, and can be hidden and called', async () => {
    const far = scripted({ tools: ['rich'] });
    const hidden = scripted({ tools: ['echo'] });
    const { request, names, says } = await openBench([
      { place: far.place, changes: { category: 'ours', meta: { more: true }, timeoutMs: 1000 } },
      { place: hidden.place, name: 'hidden', changes: { hidden: true } },
    ]);
    expect(await names()).toEqual(['rich']);
    const { tools } = await request('tools/list');
    expect(tools[0]._meta).toEqual({ category: 'ours', own: 1, more: true });
    expect(await says('echo')).toBe('scripted echoes {}');
  });

  test('gets numbers where two have one name', async () => {
    const [one, other] = [scripted({ name: 'one' }), scripted({ name: 'other' })];
    const { names, says } = await openBench([
      { place: one.place, name: 'one' },
      { place: other.place, name: 'other' },
    ]);
    expect(await names()).toEqual(['echo1', 'echo2']);
    expect([await says('echo1'), await says('echo2')]).toEqual(['one echoes {}', 'other echoes {}']);
  });

  test.each(eras)('omit tools that clients would refuse, with a report (%s)', async (upstream) => {
    const far = scripted({
      era: upstream,
      tools: ['echo', 'bad', 'no name', 'bad name', 'app-only', 'late'],
    });
    const choice = { only: undefined, except: ['left'], rename: { gone: 'here' } };
    const { names, reported } = await openBench([{ place: far.place, choice }]);
    expect(await names()).toEqual(['echo', 'bad_name_9c262781', 'late']);
    expect(reported.filter((line) => !line.includes('AGENTTOOLS'))).toEqual([
      'The upstream server "far" lists the tool "bad", which is left out: its inputSchema is no schema of an object.',
      'The upstream server "far" lists a tool that has no name, which is left out.',
      'The upstream server "far" has no tool "left".',
      'The upstream server "far" has no tool "gone".',
    ]);
  });

  test('reports why it leaves out each tool', async () => {
    const inputSchema = { type: 'object' };
    const broken: readonly (readonly [object, string])[] = [
      [{ inputSchema: { type: 'array' } }, 'its inputSchema is no schema of an object'],
      [{ inputSchema, title: 5 }, 'its title is no text'],
      [{ inputSchema, description: {} }, 'its description is no text'],
      [{ inputSchema, outputSchema: 'text' }, 'its outputSchema is no schema'],
      [
        { inputSchema: { ...inputSchema, properties: ['a'] } },
        'the properties of its inputSchema are no object',
      ],
      [
        { inputSchema: { ...inputSchema, required: ['a', 5] } },
        'what its inputSchema requires is no list of names',
      ],
      [{ inputSchema, annotations: [] }, 'its annotations is no object'],
      [{ inputSchema, _meta: 'x' }, 'its _meta is no object'],
      [{ inputSchema, icons: {} }, 'its icons are no list'],
      [
        { inputSchema: { ...inputSchema, properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
        'in its inputSchema, "x-mcp-header" needs "type" to be string, integer or boolean',
      ],
    ];
    const tools = broken.map(([tool], index) => ({ name: `t${index}`, ...tool }));
    const { names, reported } = await openBench([{ place: scripted({ tools: [...tools, 'echo'] }).place }]);
    expect(await names()).toEqual(['echo']);
    expect(reported.filter((line) => line.includes('left out'))).toEqual(
      broken.map(
        ([, fault], index) =>
          `The upstream server "far" lists the tool "t${index}", which is left out: ${fault}.`,
      ),
    );
  });

  test('are put right where their meaning is clear', async () => {
    const inputSchema = { type: 'object' };
    const faulty: readonly object[] = [
      {},
      { inputSchema: null },
      { inputSchema: {} },
      { inputSchema: { type: ['object', 'null'] } },
      { inputSchema: { ...inputSchema, properties: [], required: {} } },
      { inputSchema: { ...inputSchema, properties: null, required: null } },
      { inputSchema, description: null, title: null, annotations: null, _meta: null, outputSchema: null },
      { inputSchema, icons: [{}] },
    ];
    const tools = faulty.map((tool, index) => ({ name: `t${index}`, ...tool }));
    const { request, reported } = await openBench([{ place: scripted({ tools }).place }]);
    const { tools: listed } = await request('tools/list');
    expect(listed).toEqual(
      tools.map(({ name }, index) => ({ name, inputSchema, ...(index === 7 && { icons: [] }) })),
    );
    expect(reported.filter((line) => line.includes('left out'))).toEqual([]);
  });

  test('have an alias for a name that MCP does not permit, and are called by both', async () => {
    const tools = ['c/d', 'ünïcode', 'n'.repeat(200)].map((name) => ({
      name,
      inputSchema: { type: 'object' },
    }));
    const { request, names, says } = await openBench([{ place: scripted({ tools }).place }]);
    const aliases = await names();
    for (const alias of aliases) expect(alias).toMatch(/^[A-Za-z][A-Za-z0-9_]{1,43}$/);
    expect((await request('tools/list')).tools[0]).toMatchObject({ name: aliases[0], title: 'c/d' });
    for (const [index, { name }] of tools.entries())
      expect(await says(name)).toBe(await says(aliases[index]!));
  });

  test.each(pairs)(
    'change with a notification ($downstream, $upstream)',
    async ({ downstream, upstream }) => {
      const far = scripted({ era: upstream, tools: ['change'] });
      const bench = await openBench([{ place: far.place }], { era: downstream });
      expect(await bench.names()).toEqual(['change']);
      if (downstream === 'modern') {
        void bench.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
        await bench.hears('notifications/subscriptions/acknowledged');
      }
      expect(await bench.says('change')).toBe('changed');
      await bench.hears('notifications/tools/list_changed');
      expect(await bench.names()).toEqual(['change', 'late']);
      expect(await bench.says('late')).toBe('late');
    },
  );

  test.each(eras)('arrive later from a slow server, with a notification (%s)', async (downstream) => {
    const far = scripted({ startMs: 700 });
    const bench = await openBench([{ place: far.place }], { own, era: downstream, waitMs: 50 });
    if (downstream === 'modern') {
      void bench.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await bench.hears('notifications/subscriptions/acknowledged');
    }
    expect(await bench.names()).toEqual(['first', 'second']);
    await bench.hears('notifications/tools/list_changed');
    expect(await bench.names()).toEqual(['first', 'second', 'echo']);
  });

  test('a call of a tool that is not known yet starts what may have it', async () => {
    const { says } = await openBench([{ place: scripted().place }]);
    expect(await says('echo')).toBe('scripted echoes {}');
  });

  test('starts servers for a nested call, and reports a missing tool with the reason', async () => {
    const ask = {
      name: 'ask',
      input: { tool: 'string' },
      handler: async ({ tool }: { tool: string }, ctx: Context) => await ctx.callTool(tool),
    };
    const far = scripted();
    const gone = { name: 'gone', place: scripted({ atStart: 'crash' }).place };
    const { says } = await openBench([{ place: far.place }, gone], { own: [ask] });
    expect(await says('ask', { tool: 'echo' })).toBe('scripted echoes {}');
    expect(await says('ask', { tool: 'nothing' })).toMatch(
      /^This server has no tool "nothing"\. The upstream server "gone" is unavailable: it exited with code 3/,
    );
  });

  test('an upstream server that never answers holds up neither the list nor the tools of others', async () => {
    const far = scripted({ atStart: 'hang' });
    const { names, says, request } = await openBench([{ place: far.place }], { own, waitMs: 50 });
    expect(await names()).toEqual(['first', 'second']);
    expect(await says('first')).toBe('first');
    const { message } = await request('tools/call', { name: 'gone' });
    expect(message).toBe(
      'Unknown tool: gone. The upstream server "far" is still starting; try again in a moment.',
    );
  });
});

test('programs that end at a question of the newest revision, or do not answer it, are spoken to in the older way', async () => {
  const exits = scripted({ era: 'legacy', discover: 'exit' });
  const { says } = await openBench([{ place: exits.place }]);
  expect(await says('echo')).toBe('scripted echoes {}');
  const silent = scripted({ era: 'legacy', discover: 'silent' });
  const other = await openBench([{ place: silent.place, startTimeoutMs: 1000 }]);
  expect(await other.says('echo')).toBe('scripted echoes {}');
});

test('passes a program the common variables, its own variables and its folder', async () => {
  const env = { HOME: '/home/somebody', PATH: process.env.PATH, SECRET_OF_OURS: 'x' };
  const far = scripted({ tools: ['environment'] }, { env: { ITS_OWN: '1' } });
  const { says } = await openBench([{ place: far.place }], { env });
  const found = JSON.parse(await says('environment'));
  expect(found).toMatchObject({ HOME: '/home/somebody', ITS_OWN: '1', AGENTTOOLS_UPSTREAM_DEPTH: '1' });
  expect(found).toMatchObject({ cwd: 'cwd' in far.place ? far.place.cwd : '' });
  expect(found).not.toHaveProperty('SECRET_OF_OURS');
});

test('a server that is its own upstream server is not started for ever', async () => {
  const env = { PATH: process.env.PATH, AGENTTOOLS_UPSTREAM_DEPTH: '3' };
  const far = scripted();
  const { names, reported } = await openBench([{ place: far.place }], { env });
  expect(await names()).toEqual([]);
  expect(reported.join()).toContain('nested more than 3 deep');
  expect(far.noted()).toEqual([]);
});
