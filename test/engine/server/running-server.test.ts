import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ProtocolError, structured, ToolError } from '../../../src/engine/runtime/result-builders.js';
import { compose, composeLive, openSession, type SessionOptions } from '../../support/session.js';

const handler = () => 'x';
const eras = ['legacy', 'modern'] as const;
const open = async (items: Parameters<typeof composeLive>[0], options?: SessionOptions) =>
  await openSession(await composeLive(items), options);

const everything = {
  tools: { t: { handler } },
  prompts: { p: { content: 'p', arguments: [{ name: 'a', complete: ['one'] }] } },
  resources: { r: { uri: 'app://r', text: 'r' }, s: { uriTemplate: 'app://s/{id}', read: () => 's' } },
};

describe.each(eras)('%s: lists', (era) => {
  test('returns empty lists for missing kinds', async () => {
    const { request } = await open({ tools: { t: { handler } } }, { era });
    expect(await request('prompts/list')).toMatchObject({ prompts: [] });
    expect(await request('resources/list')).toMatchObject({ resources: [] });
    expect(await request('resources/templates/list')).toMatchObject({ resourceTemplates: [] });
    const without = await open({ prompts: { p: { content: 'p' } } }, { era });
    expect(await without.request('tools/list')).toMatchObject({ tools: [] });
  });

  test('hold what there is, resources and templates apart', async () => {
    const { request } = await open(everything, { era });
    const named = (list: { name: string }[]) => list.map(({ name }) => name);
    expect(named((await request('tools/list')).tools)).toEqual(['t']);
    expect(named((await request('prompts/list')).prompts)).toEqual(['p']);
    expect(named((await request('resources/list')).resources)).toEqual(['r']);
    expect(named((await request('resources/templates/list')).resourceTemplates)).toEqual(['s']);
  });

  test('omit hidden items, which stay usable', async () => {
    const { request } = await open(
      {
        tools: { t: { handler, hidden: true } },
        prompts: { p: { content: 'p', hidden: true } },
        resources: { r: { uri: 'app://r', text: 'r', hidden: true } },
      },
      { era },
    );
    expect(await request('tools/list')).toMatchObject({ tools: [] });
    expect(await request('prompts/list')).toMatchObject({ prompts: [] });
    expect(await request('resources/list')).toMatchObject({ resources: [] });
    expect(await request('tools/call', { name: 't' })).toMatchObject({ content: [{ text: 'x' }] });
    expect(await request('prompts/get', { name: 'p' })).toMatchObject({
      messages: [{ content: { text: 'p' } }],
    });
    expect(await request('resources/read', { uri: 'app://r' })).toMatchObject({ contents: [{ text: 'r' }] });
  });

  const kinds = [
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const;

  test.each(kinds)('come in pages: %s', async (method, key) => {
    const many = (make: (name: string) => object) =>
      Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, make(name)]));
    const templates = many((name) => ({ uriTemplate: `app://${name}/{id}`, read: handler }));
    const fixed = many((name) => ({ uri: `app://${name}`, text: name }));
    const { request } = await open(
      {
        tools: many(() => ({ handler })),
        prompts: many(() => ({ content: 'x' })),
        resources: key === 'resources' ? fixed : templates,
        server: { tools: '*', prompts: '*', resources: '*', pageSize: 2 },
      },
      { era },
    );
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await request(method, cursor === undefined ? {} : { cursor });
      pages.push(page[key].map(({ name }: { name: string }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test.each(kinds)('refuse a cursor that is not theirs: %s', async (method) => {
    for (const items of [everything, { tools: {}, server: {} }]) {
      const { request } = await open(items, { era });
      await expect(request(method, { cursor: 'nonsense' })).rejects.toMatchObject({
        code: -32602,
        message: 'Invalid cursor',
      });
    }
  });
});

describe('capabilities are what there is', () => {
  const rows: readonly [string, Parameters<typeof composeLive>[0], readonly string[]][] = [
    ['everything', everything, ['tools', 'prompts', 'resources', 'completions', 'logging']],
    ['tools', { tools: { t: { handler } } }, ['tools', 'logging']],
    ['prompts without completion', { prompts: { p: { content: 'p' } } }, ['prompts', 'logging']],
    ['hidden tools', { tools: { t: { handler, hidden: true } } }, ['tools', 'logging']],
    [
      'templates that complete',
      { resources: { s: { uriTemplate: 'a://{b}', read: handler, complete: { b: handler } } } },
      ['resources', 'completions', 'logging'],
    ],
    ['broken ones only', { tools: { t: {} } }, ['logging']],
  ];

  test.each(rows)('%s', async (_, items, expected) => {
    const served = await composeLive(items);
    const { request } = await openSession(served, { era: 'modern' });
    expect(Object.keys((await request('server/discover')).capabilities).toSorted()).toEqual(
      expected.toSorted(),
    );
    const handshake = await openSession(served);
    const { capabilities } = await handshake.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    expect(Object.keys(capabilities).toSorted()).toEqual(expected.toSorted());
  });
});

test('sends its server info in both eras', async () => {
  const served = await composeLive({
    tools: { t: { handler } },
    server: { title: 'Title', instructions: ['One.', 'Two.'], version: '7.0.0', tools: '*' },
  });
  const info = { name: '@acme/kit/main', title: 'Title', version: '7.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const legacy = await openSession(served);
  expect(await legacy.request('initialize', params)).toMatchObject({
    serverInfo: info,
    instructions: 'One.\n\nTwo.',
  });
  const modern = await openSession(served, { era: 'modern' });
  const discovered = await modern.request('server/discover');
  expect(discovered).toMatchObject({ instructions: 'One.\n\nTwo.', supportedVersions: ['2026-07-28'] });
  expect(discovered._meta['io.modelcontextprotocol/serverInfo']).toMatchObject(info);
});

describe('sends cache hints on 2026-07-28', () => {
  test('from the server, in lists', async () => {
    const { request } = await open(
      {
        ...everything,
        server: { tools: '*', prompts: '*', resources: '*', cache: { ttlMs: 5000, scope: 'public' } },
      },
      { era: 'modern' },
    );
    for (const method of [
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
      'server/discover',
    ]) {
      expect(await request(method)).toMatchObject({
        ttlMs: 5000,
        cacheScope: 'public',
        resultType: 'complete',
      });
    }
  });

  test('from the resource, when it is read', async () => {
    const resources = {
      kept: { uri: 'app://kept', text: 'x', cache: { ttlMs: 100, scope: 'public' } },
      plain: { uri: 'app://plain', text: 'x' },
    };
    const served = await composeLive({ resources });
    const modern = await openSession(served, { era: 'modern' });
    expect(await modern.request('resources/read', { uri: 'app://kept' })).toMatchObject({
      ttlMs: 100,
      cacheScope: 'public',
    });
    expect(await modern.request('resources/read', { uri: 'app://plain' })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    const legacy = await openSession(served);
    expect(await legacy.request('resources/read', { uri: 'app://kept' })).toEqual({
      contents: [{ uri: 'app://kept', mimeType: 'text/plain', text: 'x' }],
    });
  });

  test('not at all, unless they are asked to', async () => {
    const { request } = await open(everything, { era: 'modern' });
    expect(await request('tools/list')).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });
});

describe.each(eras)('%s: what does not exist', (era) => {
  test.each([
    ['tools/call', { name: 'nope' }, -32602, 'Unknown tool: nope'],
    ['tools/call', { name: 'constructor' }, -32602, 'Unknown tool: constructor'],
    ['tools/call', { name: '@acme/kit/t' }, -32602, 'Unknown tool: @acme/kit/t'],
    ['prompts/get', { name: 'nope' }, -32602, 'Unknown prompt: nope'],
    ['nonsense/method', {}, -32601, 'Method not found'],
  ])('%s %j', async (method, params, code, message) => {
    const { request } = await open(everything, { era });
    await expect(request(method, params)).rejects.toMatchObject({ code, message });
  });

  // The number that 2025 and older expect is put in by the front.
  test('a resource, with its address', async () => {
    const { request } = await open(everything, { era });
    await expect(request('resources/read', { uri: 'app://nope' })).rejects.toMatchObject({
      code: -32602,
      data: { uri: 'app://nope' },
    });
  });

  test.each(['completion/complete', 'resources/subscribe'])('%s where it was not offered', async (method) => {
    const { request } = await open({ tools: { t: { handler } } }, { era });
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' }, uri: 'a:b' };
    await expect(request(method, params)).rejects.toMatchObject({ code: -32601 });
  });

  test('arguments that are no object', async () => {
    const { request } = await open(everything, { era });
    for (const wrong of [[], 'x', 5]) {
      await expect(request('tools/call', { name: 't', arguments: wrong })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });
});

describe.each(eras)('%s: prompts', (era) => {
  const prompts = {
    p: {
      arguments: [{ name: 'a', required: true }],
      content() {
        throw new Error('secret');
      },
    },
    told: {
      content() {
        throw new ToolError('No such city.');
      },
    },
    own: {
      content() {
        throw new ProtocolError(-32050, 'Own', { a: 1 });
      },
    },
  };

  test.each([
    ['without a required argument', 'p', {}, -32602, /^Missing required arguments: a$/],
    ['that throw', 'p', { a: '1' }, -32603, /^Prompt execution failed$/],
    ['that throw for the model', 'told', {}, -32603, /^No such city\.$/],
    ['that throw for the protocol', 'own', {}, -32050, /^Own$/],
  ])('%s', async (_, name, args, code, message) => {
    const { request } = await open({ prompts }, { era });
    await expect(request('prompts/get', { name, arguments: args })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe.each(eras)('%s: resources', (era) => {
  const read = vi.fn((uri: string, variables: object) => JSON.stringify({ uri, ...variables }));
  const items = {
    resources: {
      template: { uriTemplate: 'app://things/{id}', read, mimeType: 'application/json' },
      exact: { uri: 'app://things/special', text: 'special' },
      deep: { uriTemplate: 'app://files/{+path}', read },
      query: { uriTemplate: 'app://search{?q,page}', read },
      broken: {
        uri: 'app://broken',
        read() {
          throw new Error('secret');
        },
      },
      told: {
        uri: 'app://told',
        read() {
          throw new ToolError('Not today.');
        },
      },
      own: {
        uri: 'app://own',
        read() {
          throw new ProtocolError(-32050, 'Own', { a: 1 });
        },
      },
    },
  };
  const textOf = async (uri: string) => {
    const { request } = await open(items, { era });
    return (await request('resources/read', { uri })).contents[0].text;
  };

  test('an exact address wins over a template', async () => {
    expect(await textOf('app://things/special')).toBe('special');
  });

  test.each([
    ['app://things/7', { id: '7' }],
    ['app://things/a%20b%2Fc', { id: 'a b/c' }],
    ['app://things/%C3%A9', { id: 'é' }],
    ['app://things/100%', { id: '100%' }],
    ['app://files/a/b.txt', { path: 'a/b.txt' }],
    ['app://search?q=x&page=2', { q: 'x', page: '2' }],
  ])('a template gives its variables, decoded: %s', async (uri, variables) => {
    expect(JSON.parse(await textOf(uri))).toEqual({ uri, ...variables });
  });

  test.each(['app://things/', 'app://things/a/b', 'xapp://things/7', 'app://things'])(
    '%s fits no template',
    async (uri) => {
      await expect(textOf(uri)).rejects.toMatchObject({ data: { uri } });
    },
  );

  test.each([
    ['app://broken', -32603, 'Resource read failed'],
    ['app://told', -32603, 'Not today.'],
    ['app://own', -32050, 'Own'],
  ])('%s that throws is an error', async (uri, code, message) => {
    await expect(textOf(uri)).rejects.toMatchObject({ code, message });
  });

  test('a template may list what it holds', async () => {
    const served = await composeLive({
      resources: {
        fixed: { uri: 'app://a', text: 'a' },
        template: {
          uriTemplate: 'app://{id}',
          title: 'Thing',
          description: 'A thing.',
          mimeType: 'text/plain',
          read: handler,
          list: () => [
            { uri: 'app://a', name: 'again' },
            { uri: 'app://b', name: 'b' },
            { uri: 'app://c', title: 'C', mimeType: 'text/html' },
            { name: 'no address' },
            5,
          ],
        },
        broken: {
          uriTemplate: 'app://x/{id}',
          read: handler,
          list: () => Promise.reject(new Error('secret')),
        },
      },
    });
    const { request } = await openSession(served, { era });
    expect((await request('resources/list')).resources).toEqual([
      { uri: 'app://a', name: 'fixed', title: 'fixed', mimeType: 'text/plain' },
      { uri: 'app://b', name: 'b', title: 'b', description: 'A thing.', mimeType: 'text/plain' },
      { uri: 'app://c', name: 'app://c', title: 'C', description: 'A thing.', mimeType: 'text/html' },
    ]);
    expect(served.reports).toEqual([
      '@acme/kit/template: its list has entries without an address of the template, which are left out: one without "uri", one without "uri"',
      expect.stringMatching(/^@acme\/kit\/broken: its list failed: Error: secret/),
    ]);
  });
});

describe.each(eras)('%s: completion', (era) => {
  const many = Array.from({ length: 250 }, (_, index) => `v${index}`);
  const items = {
    prompts: {
      p: {
        content: 'p',
        arguments: [
          { name: 'list', complete: ['Ada', 'adam', 'Bob'] },
          {
            name: 'function',
            complete: (typed: string, ctx: Context) => [`${typed}!`, JSON.stringify(ctx.arguments)],
          },
          { name: 'many', complete: () => many },
          { name: 'none' },
          { name: 'broken', complete: () => Promise.reject(new Error('secret')) },
          { name: 'odd', complete: () => 'not a list' },
        ],
      },
    },
    resources: {
      s: {
        uriTemplate: 'app://{id}/{other}',
        read: handler,
        complete: { id: (typed: string) => [`${typed}1`] },
      },
      r: { uri: 'app://r', text: 'r' },
    },
  };
  const complete = async (ref: object, name: string, value = '', context?: object) => {
    const { request } = await open(items, { era });
    return (
      await request('completion/complete', { ref, argument: { name, value }, ...(context && { context }) })
    ).completion;
  };
  const prompt = { type: 'ref/prompt', name: 'p' };

  test('filters a list by the typed text, ignoring case', async () => {
    expect(await complete(prompt, 'list', 'AD')).toEqual({
      values: ['Ada', 'adam'],
      total: 2,
      hasMore: false,
    });
    expect((await complete(prompt, 'list', 'x')).values).toEqual([]);
  });

  test('passes typed text and other arguments to a function', async () => {
    expect((await complete(prompt, 'function', 'a', { arguments: { list: 'Ada' } })).values).toEqual([
      'a!',
      '{"list":"Ada"}',
    ]);
    expect((await complete(prompt, 'function', 'a')).values).toEqual(['a!', '{}']);
  });

  test('sends a hundred values and hasMore', async () => {
    expect(await complete(prompt, 'many')).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true });
  });

  test('is empty without a source', async () => {
    expect((await complete(prompt, 'none')).values).toEqual([]);
    expect((await complete({ type: 'ref/resource', uri: 'app://{id}/{other}' }, 'other')).values).toEqual([]);
  });

  test('completes a variable of a template', async () => {
    expect((await complete({ type: 'ref/resource', uri: 'app://{id}/{other}' }, 'id', 'x')).values).toEqual([
      'x1',
    ]);
  });

  test.each([
    [prompt, 'unknown'],
    [{ type: 'ref/prompt', name: 'nope' }, 'list'],
    [{ type: 'ref/resource', uri: 'app://{id}/{other}' }, 'unknown'],
    [{ type: 'ref/resource', uri: 'app://nope' }, 'id'],
    [{ type: 'ref/resource', uri: 'app://r' }, 'id'],
  ])('rejects unknown references: %j %s', async (ref, name) => {
    await expect(complete(ref, name)).rejects.toMatchObject({ code: -32602 });
  });

  test.each(['broken', 'odd'])('fails without details: %s', async (name) => {
    await expect(complete(prompt, name)).rejects.toMatchObject({
      code: -32603,
      message: 'Completion failed',
    });
  });
});

describe('structured results', () => {
  const tools = {
    list: { handler: () => [1, 2], outputSchema: { type: 'array', items: { type: 'number' } } },
    bare: { handler: () => 42 },
    nothing: { handler: () => null },
    object: {
      handler: () => ({ a: 1 }),
      outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    },
    words: { handler: () => structured([1], ['One.']) },
  };

  test.each([
    ['list', { result: [1, 2] }, [1, 2]],
    ['bare', { result: 42 }, 42],
    ['nothing', { result: null }, null],
    ['object', { a: 1 }, { a: 1 }],
    ['words', { result: [1] }, [1]],
  ])('%s: wrapped on 2025 if they are no object, natural on 2026', async (name, legacy, modern) => {
    const served = await composeLive({ tools });
    const old = await (await openSession(served)).request('tools/call', { name });
    expect(old.structuredContent).toEqual(legacy);
    const young = await (await openSession(served, { era: 'modern' })).request('tools/call', { name });
    expect(young.structuredContent).toEqual(modern);
    expect(old.content).toEqual(young.content);
  });

  test('match the schema that was listed', async () => {
    const served = await composeLive({ tools });
    const [old] = (await (await openSession(served)).request('tools/list')).tools;
    expect(old.outputSchema).toMatchObject({
      type: 'object',
      properties: { result: { type: 'array' } },
      required: ['result'],
    });
    const [young] = (await (await openSession(served, { era: 'modern' })).request('tools/list')).tools;
    expect(young.outputSchema).toEqual({ type: 'array', items: { type: 'number' } });
  });
});

describe('content that a revision does not know is sent as text', () => {
  const sound = { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' };
  const link = { type: 'resource_link', uri: 'app://r', name: 'r', title: 'R' };
  const asText = (text: string) => ({ type: 'text', text });

  test.each([
    ['2024-11-05', [asText('[audio: audio/wav]'), asText('R: app://r')]],
    ['2025-03-26', [sound, asText('R: app://r')]],
    ['2025-06-18', [sound, link]],
    ['2025-11-25', [sound, link]],
  ])('%s', async (version, content) => {
    const { request } = await open(
      { tools: { t: { handler: () => [sound, link] } }, prompts: { p: { content: () => [sound, link] } } },
      { version },
    );
    expect((await request('tools/call', { name: 't' })).content).toEqual(content);
    const { messages } = await request('prompts/get', { name: 'p' });
    expect(messages.map((message: { content: unknown }) => message.content)).toEqual(content);
  });

  test('2026-07-28', async () => {
    const { request } = await open({ tools: { t: { handler: () => [sound, link] } } }, { era: 'modern' });
    expect((await request('tools/call', { name: 't' })).content).toEqual([sound, link]);
  });
});

describe.each(eras)('%s: a call', (era) => {
  test.each([
    ['a malformed block', { content: [{ type: 'image', data: '§', mimeType: 'image/png' }] }],
    ['a resource without content', { content: [{ type: 'resource', resource: { uri: 'a:b' } }] }],
    ['annotations that are none', { content: [{ type: 'text', text: 'x', annotations: { priority: 9 } }] }],
  ])('fails with a reason for the model if the result is malformed: %s', async (_, value) => {
    const served = await composeLive({ tools: { t: { handler: () => value } } });
    const { request } = await openSession(served, { era });
    const { isError, content } = await request('tools/call', { name: 't' });
    expect([isError, content[0].text]).toEqual([
      true,
      expect.stringContaining('Tool "t" returned something that is not a result'),
    ]);
    expect(served.reports).toHaveLength(1);
  });

  test('answers with a thrown ProtocolError', async () => {
    const thrown = new ProtocolError(-32050, 'Own', { a: 1 });
    const { request } = await open({ tools: { t: { handler: () => Promise.reject(thrown) } } }, { era });
    await expect(request('tools/call', { name: 't' })).rejects.toMatchObject({
      code: -32050,
      message: 'Own',
      data: { a: 1 },
    });
  });

  test('prefers fixed arguments to sent ones', async () => {
    const { request } = await open(
      {
        tools: {
          t: { input: { a: { type: 'string', required: true } }, handler: ({ a }: { a: string }) => a },
        },
        server: { tools: [{ use: 't', arguments: { a: 'fixed' } }] },
      },
      { era },
    );
    expect((await request('tools/list')).tools[0].inputSchema.properties).toEqual({});
    for (const args of [{}, { a: 'sent' }, { a: 5 }]) {
      expect(await request('tools/call', { name: 't', arguments: args })).toMatchObject({
        content: [{ text: 'fixed' }],
      });
    }
  });

  test('goes to its own among tools of one name', async () => {
    const search = (title: string) => ({ name: 'Search', handler: () => title });
    const { request } = await open({ tools: { a: search('A'), b: search('B') } }, { era });
    expect((await request('tools/call', { name: 'Search2' })).content[0].text).toBe('B');
    await expect(request('tools/call', { name: 'Search' })).rejects.toMatchObject({ code: -32602 });
  });
});

test('a list runs no code of a data definition', async () => {
  const served = await compose(
    { tools: ['x'], prompts: ['p'], resources: ['r'] },
    {
      'agenttools/tools/x.json': { handler: './x.js' },
      'agenttools/prompts/p.json': { type: 'function', content: './x.js' },
      'agenttools/resources/r.json': { uri: 'app://r', read: './x.js' },
      'x.js': 'globalThis.ranForList = true; export default () => "x"',
    },
  );
  for (const era of eras) {
    const { request } = await openSession(served, { era });
    for (const kind of ['tools', 'prompts', 'resources']) await request(`${kind}/list`);
    expect(globalThis).not.toHaveProperty('ranForList');
  }
});

test('ignores notifications that are named like what every object has', async () => {
  const session = await open({ resources: { fact: { uri: 'app://fact', text: 'x' } } });
  for (const method of ['constructor', 'toString', '__proto__']) session.notify(method);
  expect((await session.request('tools/list')).tools).toEqual([]);
});
