import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/engine/runtime/context.js';
import {
  image,
  ProtocolError,
  results,
  structured,
  ToolError,
} from '../../src/engine/runtime/result-builders.js';
import { root } from '../support/program.js';
import { composeLive, type LiveItems, openSession, type SessionOptions } from '../support/session.js';

const builtinFolder = path.join(root, 'src/builtin');
const eras = ['legacy', 'modern'] as const;
const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const page = '<!doctype html><title>x</title>';

const tools = {
  read_file: {
    title: 'Read a file',
    description: 'Gives the text of a file.',
    category: 'Files',
    input: { path: { type: 'string', required: true } },
    output: { text: 'string' },
    annotations: { readOnlyHint: true, openWorldHint: false },
    icons: [{ src: 'data:image/png;base64,AA==' }],
    handler: ({ path: file }: { path: string }) => ({ text: file }),
  },
  writeFile: {
    description: `Puts text into a file.\n\n${'It has a lot to say. '.repeat(40)}`,
    category: 'Files',
    annotations: { destructiveHint: false },
    handler: () => 'written',
  },
  weather: {
    description: `The weather of a place: ${'sun '.repeat(100)}`,
    category: 'Sky',
    handler: () => 'sun',
  },
  secret: { description: 'A file nobody is told of.', hidden: true, handler: () => 'found' },
  mixed: {
    output: { n: 'integer' },
    handler: () => ({
      ...structured({ n: 1 }, ['one', image('AA==', 'image/png')]),
      _meta: { 'x.org/a': 1 },
    }),
  },
  list: { output: { type: 'array' }, handler: () => structured([1, 2]) },
  fails: { handler: () => results(['why'], { isError: true }) },
  throws: {
    handler: () => {
      throw new ToolError('Not today.');
    },
  },
  breaks: {
    handler: () => {
      throw new ProtocolError(-32050, 'Broken.', { a: 1 });
    },
  },
  needs: { requires: ['sampling'], handler: () => 'x' },
  reports: {
    handler: (_: unknown, ctx: Context) => {
      ctx.progress(1, { total: 2, message: 'half' });
      return 'done';
    },
  },
  asks: {
    handler: async (_: unknown, ctx: Context) => {
      const answer = await ctx.elicit('Who?', { name: { type: 'string', required: true } });
      return answer.action === 'accept' ? `Hello, ${String(answer.content.name)}!` : answer.action;
    },
  },
  chart: { ui: 'board', handler: () => 'drawn' },
  redraw: { ui: { app: 'board', visibility: ['app'] }, handler: () => 'redrawn' },
} as const;

async function open(
  options: SessionOptions = {},
  items: LiveItems = { tools, apps: { board: page } },
  server: object = {},
) {
  const composed = await composeLive(
    { ...items, server: { tools: '*', toolList: 'catalog', ...server } },
    { builtinFolder },
  );
  expect(composed.spec.leftOut).toEqual([]);
  const session = await openSession(composed, options);
  const call = async (name: string, args: object = {}) =>
    await session.request('tools/call', { name, arguments: args });
  const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return {
    ...session,
    ...composed,
    call,
    listed: async () => namesOf((await session.request('tools/list')).tools),
    found: async (args: object) => namesOf((await call('find_tools', args)).structuredContent.tools),
  };
}

const fronts = ['find_tools', 'inspect_tool', 'call_tool'];
const findable = Object.keys(tools).filter((name) => name !== 'secret' && name !== 'redraw');

describe.each(eras)('%s: a server whose list of tools is a catalog', (era) => {
  test('lists three tools in place of all, which work by name as before', async () => {
    const { listed, call, spec } = await open({ era });
    expect(await listed()).toEqual(fronts);
    expect((await call('read_file', { path: 'a' })).structuredContent).toEqual({ text: 'a' });
    expect(spec.instructions).toContain('find_tools');
  });

  test('lists for clients that show UI what only apps may call', async () => {
    const { listed, found } = await open({ era, capabilities: ui });
    expect(await listed()).toEqual([...fronts, 'redraw']);
    expect(await found({ limit: 200 })).toEqual(findable);
  });

  test.each<[args: object, names: readonly string[]]>([
    [{}, findable],
    [{ query: '  ' }, findable],
    [{ limit: 2, offset: 1 }, ['writeFile', 'weather']],
    [{ offset: 99 }, []],
    [{ query: 'read a file' }, ['read_file', 'writeFile', 'weather']],
    [{ query: 'FILES' }, ['read_file', 'writeFile']],
    [{ query: 'path' }, ['read_file']],
    [{ query: 'write' }, ['writeFile']],
    [{ query: 'weath' }, ['weather']],
    [{ query: 'nobody' }, []],
    [{ category: 'files' }, ['read_file', 'writeFile']],
    [{ category: 'sky', query: 'file' }, []],
  ])('finds tools: %j', async (args, names) => {
    const { found } = await open({ era });
    expect(await found(args)).toEqual(names);
  });

  test('lists short descriptions and the number of further matches', async () => {
    const { call } = await open({ era });
    const { structuredContent, content } = await call('find_tools', { limit: 3 });
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    const [read, write, weather] = structuredContent.tools;
    expect(read).toEqual({
      name: 'read_file',
      title: 'Read a file',
      description: 'Gives the text of a file.',
      category: 'Files',
    });
    expect(write.description).toBe('Puts text into a file.');
    expect([weather.description.length, weather.description.at(-1)]).toEqual([200, '…']);
    expect(structuredContent).toMatchObject({
      total: findable.length,
      next_offset: 3,
      categories: ['Files', 'Sky'],
    });
    expect((await call('find_tools', { query: 'nothing' })).structuredContent.hint).toContain(
      'No tool matches',
    );
  });

  test('by so many words and no more', async () => {
    const { found } = await open();
    const words = (count: number) => Array.from({ length: count }, (_, index) => `none${index}`).join(' ');
    expect(await found({ query: `${words(49)} weather` })).toEqual(['weather']);
    expect(await found({ query: `${words(50)} weather` })).toEqual([]);
  });

  test('shows definitions as they would be listed', async () => {
    const { call } = await open({ era });
    const all = await open({ era }, undefined, { toolList: 'all' });
    const names = ['list', 'read_file', 'weather'];
    const { tools: listed } = await all.request('tools/list');
    const { structuredContent } = await call('inspect_tool', { names: [...names, 'read_file', 'nope'] });
    expect(structuredContent.unknown).toEqual(['nope']);
    const wanted = names.map((name) => listed.find((tool: { name: string }) => tool.name === name));
    expect(structuredContent.tools.slice(0, 3)).toEqual(wanted.map(({ icons: _, ...tool }) => tool));
    expect((await call('inspect_tool', { names: ['secret'] })).structuredContent.tools).toMatchObject([
      { name: 'secret' },
    ]);
  });

  test.each([
    ['inspect_tool', { names: ['reed_file', 'redraw'] }],
    ['call_tool', { name: 'read' }],
    ['call_tool', { name: 'redraw' }],
    ['call_tool', { name: 'find_tools' }],
    ['call_tool', { name: 'constructor' }],
  ])('reports an unknown tool: %s %j', async (tool, args) => {
    const { call } = await open({ era });
    const { isError, content } = await call(tool, args);
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(/^There is no tool ".*Find tools with "find_tools"\.$/);
  });

  test.each([
    ['read_file', { path: 'a' }],
    ['read_file', { path: 1 }],
    ['read_file', {}],
    ['secret', {}],
    ['mixed', {}],
    ['list', {}],
    ['fails', {}],
    ['throws', {}],
    ['chart', {}],
  ])('calls a tool as it would be called: %s %j', async (name, args) => {
    for (const capabilities of [{}, ui]) {
      const { call } = await open({ era, capabilities });
      expect(await call('call_tool', { name, arguments: args })).toEqual(await call(name, args));
    }
  });

  test('calls without arguments, too', async () => {
    const { call } = await open({ era });
    expect((await call('call_tool', { name: 'writeFile' })).content).toEqual([
      { type: 'text', text: 'written' },
    ]);
    expect(await call('call_tool', { name: 'writeFile', arguments: [] })).toMatchObject({ isError: true });
  });

  test('passes errors of the protocol on', async () => {
    const { call } = await open({ era });
    const error = { code: -32050, message: 'Broken.', data: { a: 1 } };
    await expect(call('call_tool', { name: 'breaks' })).rejects.toMatchObject(error);
  });

  test('reports the missing requirements of a tool', async () => {
    const { call } = await open({ era });
    const direct = await call('needs').catch((error) => error);
    expect(await call('call_tool', { name: 'needs' }).catch((error) => error)).toEqual(direct);
  });

  test('reports the progress of the called tool', async () => {
    const { request, notifications } = await open({ era });
    await request(
      'tools/call',
      { name: 'call_tool', arguments: { name: 'reports' } },
      { progressToken: 'p' },
    );
    expect(notifications.filter(({ method }) => method === 'notifications/progress')).toMatchObject([
      { params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
    ]);
  });

  test('has names that no tool of the server has', async () => {
    const own = {
      find_tools: { description: 'Own.', handler: () => 'own' },
      call_tool_2: { handler: () => '' },
    };
    const { listed, call, request, spec } = await open({ era }, { tools: own });
    const renamed = fronts.map((name) => `${name}_3`);
    expect(await listed()).toEqual(renamed);
    expect((await call('find_tools')).content[0].text).toBe('own');
    expect((await call('call_tool_3', { name: 'find_tools' })).content[0].text).toBe('own');
    const { tools: shown } = await request('tools/list');
    expect(shown[0].description).toContain('with call_tool_3');
    expect(spec.instructions).toContain('with find_tools_3');
    expect((await call('call_tool_3', { name: 'nope' })).content[0].text).toContain(
      'Find tools with "find_tools_3"',
    );
  });

  test('goes by what its hook shows', async () => {
    const list = {
      tools: (_: Context, registry: Context['registry']) =>
        registry
          .list({ includeHidden: true })
          .items.filter(({ name }) => ['secret', 'weather'].includes(name)),
    };
    const { listed, found } = await open({ era }, undefined, { list });
    expect(await listed()).toEqual(fronts);
    expect(await found({})).toEqual(['weather', 'secret']);
  });
});

test('a tool that asks is asked through call_tool, too', async () => {
  const { request } = await open({ era: 'modern', capabilities: { elicitation: {} } });
  const params = { name: 'call_tool', arguments: { name: 'asks' } };
  const { resultType, inputRequests, requestState } = await request('tools/call', params);
  expect(resultType).toBe('input_required');
  const [key] = Object.keys(inputRequests);
  const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } };
  expect(await request('tools/call', { ...params, inputResponses, requestState })).toMatchObject({
    content: [{ type: 'text', text: 'Hello, Ada!' }],
  });
});

describe('how honest the hints of call_tool are', () => {
  const hintsOf = async (all: readonly object[]) => {
    const named = Object.fromEntries(
      all.map((annotations, index) => [`t${index}`, { annotations, handler: () => '' }]),
    );
    const { request } = await open({}, { tools: named });
    return (await request('tools/list')).tools[2].annotations;
  };
  const reads = { readOnlyHint: true, openWorldHint: false };
  const any = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const harmless = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

  test.each<[hints: readonly object[], call: object]>([
    [[{}], any],
    [[reads, {}], any],
    [[reads], harmless],
    [[reads, { readOnlyHint: true }], { ...harmless, openWorldHint: true }],
    [
      [reads, { destructiveHint: false, idempotentHint: true, openWorldHint: false }],
      { ...harmless, readOnlyHint: false },
    ],
  ])('%j', async (hints, call) => expect(await hintsOf(hints)).toEqual(call));
});

describe('the deciding setting', () => {
  const listedWith = async (server: object, toolList?: 'all' | 'catalog') => {
    const composed = await composeLive(
      { tools: { a: { handler: () => '' } }, server: { tools: '*', ...server } },
      { builtinFolder, ...(toolList && { toolList }) },
    );
    const { request } = await openSession(composed);
    return (await request('tools/list')).tools.map(({ name }: { name: string }) => name);
  };

  test('is the user, then the server', async () => {
    expect(await listedWith({})).toEqual(['a']);
    expect(await listedWith({}, 'catalog')).toEqual(fronts);
    expect(await listedWith({ toolList: 'catalog' }, 'all')).toEqual(['a']);
    expect(await listedWith({ toolList: 'all' })).toEqual(['a']);
  });

  test('is ignored for a server without tools', async () => {
    expect(await listedWith({ tools: [], toolList: 'catalog' })).toEqual([]);
  });

  test('rejects any other value', async () => {
    await expect(listedWith({ toolList: 'some' })).rejects.toThrow('unusable "toolList"');
  });
});
