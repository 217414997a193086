import { describe, expect, test } from 'vitest';
import { composeLive, openSession } from '../../support/session.js';

const echo = (args: object) => JSON.stringify(args);

const shape = (kind: string, size: string) => ({
  properties: { kind: { const: kind }, [size]: { type: 'number' } },
  required: ['kind', size],
});

const tools = {
  draw: {
    description: 'Draws a shape.',
    input: { type: 'object', anyOf: [shape('circle', 'radius'), shape('square', 'side')] },
    handler: echo,
  },
  resize: {
    input: {
      type: 'object',
      properties: { by: { enum: [1, 2] }, 'max size': { type: 'number' } },
      required: ['by'],
    },
    handler: echo,
  },
  dotted: { name: 'a.b', handler: () => 'from a.b' },
  plain: { name: 'a_b', handler: () => 'from a_b' },
};

const serve = async (server: object = {}) => await composeLive({ tools, server: { tools: '*', ...server } });

type Listed = readonly { readonly name: string; readonly inputSchema: object }[];

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  const open = async (clientName: string, server?: object) => {
    const { request } = await openSession(await serve(server), { era, clientName });
    const list = (await request('tools/list')).tools as Listed;
    const call = async (name: string, args: object = {}) => {
      const { content } = await request('tools/call', { name, arguments: args });
      return (content as { text: string }[])[0]!.text;
    };
    return { list, call, schema: (name: string) => list.find((tool) => tool.name === name)?.inputSchema };
  };

  test('a client that would lose tools gets them all, and can call them', async () => {
    const { list, call, schema } = await open('opencode');
    const [, , odd] = list.map(({ name }) => name);
    expect(list.map(({ name }) => name)).toEqual([
      'draw',
      'resize',
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
      'a_b',
    ]);
    expect(await call(odd!)).toBe('from a.b');
    expect(await call('a.b')).toBe('from a.b');
    expect(await call('a_b')).toBe('from a_b');
    expect(schema('draw')).toMatchObject({ anyOf: [{}, {}] });
  });

  test('a schema that the client refuses is another one, and the tool checks arguments by its own', async () => {
    const { call, schema } = await open('claude-ai');
    expect(schema('draw')).toMatchObject({
      properties: { kind: { enum: ['circle', 'square'] }, radius: {}, side: {} },
      required: ['kind'],
    });
    expect(await call('draw', { kind: 'circle', radius: 2 })).toBe('{"kind":"circle","radius":2}');
    expect(await call('draw', { kind: 'circle', side: 2 })).toContain('radius');
  });

  test('arguments come back in the form of the tool', async () => {
    const { call, schema } = await open('gemini-cli-mcp-client');
    expect(schema('resize')).toMatchObject({
      properties: { by: { type: 'string', enum: ['1', '2'] }, max_size: { type: 'number' } },
    });
    expect(await call('resize', { by: '2', max_size: 5 })).toBe('{"by":2,"max size":5}');
    expect(await call('resize', { by: 2 })).toBe('{"by":2}');
  });

  test.each(['tester', 'codex-mcp-client'])('%s loses no tool, and gets them unchanged', async (name) => {
    const { list, schema } = await open(name);
    expect(list.map((tool) => tool.name)).toEqual(['draw', 'resize', 'a.b', 'a_b']);
    expect(schema('draw')).toMatchObject({ anyOf: [{}, {}] });
  });

  test('a server with "adapt": "off" changes nothing', async () => {
    const { list, schema } = await open('claude-ai', { adapt: 'off' });
    expect(list.map(({ name }) => name)).toEqual(['draw', 'resize', 'a.b', 'a_b']);
    expect(schema('draw')).toMatchObject({ anyOf: [{}, {}] });
  });

  test('a server with "adapt": "on" changes all that the client cannot use whole', async () => {
    const { list, schema } = await open('codex-mcp-client', { adapt: 'on' });
    expect(list.map(({ name }) => name)).toEqual(['draw', 'resize', expect.stringMatching(/^a_b_/), 'a_b']);
    expect(schema('resize')).toMatchObject({ properties: { by: { enum: ['1', '2'] } } });
  });

  test('names leave room for the key of the entry', async () => {
    const name = 'a_tool_with_a_name_of_forty_characters__';
    const names = async (env: Readonly<Record<string, string>>) => {
      const composed = await composeLive({ tools: { [name]: { handler: echo } } }, { env });
      const { request } = await openSession(composed, { era, clientName: 'cursor-vscode' });
      const { tools: listed } = await request('tools/list');
      const { content } = await request('tools/call', { name: listed[0].name, arguments: { a: 1 } });
      expect(content[0].text).toBe('{"a":1}');
      return listed[0].name as string;
    };
    const key = 'the-key-of-the-entry';
    expect(await names({})).toBe(name);
    const alias = await names({ AGENTTOOLS_SERVER_KEY: key });
    expect(`${key}_${alias}`.length).toBeLessThanOrEqual(60);
    expect(await names({ AGENTTOOLS_SERVER_KEY: key })).toBe(alias);
  });

  test('long instructions end where the client stops to read', async () => {
    const instructions = 'One sentence after another. '.repeat(200).trim();
    const read = async (clientName: string) => {
      const session = await openSession(await serve({ adapt: 'on', instructions }), { era, clientName });
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: clientName, version: '1' },
      };
      const answer = await (era === 'modern'
        ? session.request('server/discover')
        : session.request('initialize', params));
      return answer.instructions as string;
    };
    expect((await read('claude-code')).length).toBeLessThanOrEqual(4096);
    expect(await read('codex-mcp-client')).toBe(instructions);
  });
});

describe('a list that caches may share', () => {
  const scope = async (items: object, server: object = {}) => {
    const composed = await composeLive({
      tools: items,
      server: { tools: '*', cache: { ttlMs: 1000, scope: 'public' }, ...server },
    } as never);
    const { request } = await openSession(composed, { era: 'modern' });
    return (await request('tools/list')).cacheScope;
  };

  test('is private if some client gets another one', async () => {
    expect(await scope(tools)).toBe('private');
    expect(await scope({ plain: tools.plain })).toBe('public');
    expect(await scope(tools, { adapt: 'off' })).toBe('public');
  });
});

describe('a tool that the server has removed', () => {
  const open = async (clientName: string) => {
    const composed = await serve();
    const { request } = await openSession(composed, { clientName });
    const rest = await composeLive({ tools: { plain: tools.plain }, server: { tools: '*' } });
    const call = async (name: string) =>
      await request('tools/call', { name }).catch(({ message }) => message);
    return { request, call, remove: async () => await composed.served.live.replace({ server: rest.spec }) };
  };

  test('is an unknown tool with the reason, by its alias too', async () => {
    const { request, call, remove } = await open('opencode');
    const { tools: listed } = await request('tools/list');
    await remove();
    expect(await call('draw')).toBe(
      'Unknown tool: draw. The server has removed it since the client may have read the list of tools. Read the list again, or restart the client',
    );
    expect(await call(listed[2].name)).toContain('The server has removed it');
    expect(await call('other')).toBe('Unknown tool: other');
    expect(await call('a_b')).toMatchObject({ content: [{ text: 'from a_b' }] });
  });

  test('is an unknown tool if no client has read the list', async () => {
    const { call, remove } = await open('opencode');
    await remove();
    expect(await call('draw')).toBe('Unknown tool: draw');
  });
});
