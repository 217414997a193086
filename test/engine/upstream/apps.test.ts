import { describe, expect, test } from 'vitest';
import { openBench, pairs, scripted } from './support.js';

const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const uri = 'ui://rich/view';
const tools = [
  {
    name: 'rich',
    inputSchema: { type: 'object' },
    _meta: { own: 1, ui: { resourceUri: uri, odd: true }, 'ui/resourceUri': uri },
  },
  { name: 'echo', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } },
];
const resources = [
  { uri, name: 'view', mimeType: 'text/html;profile=mcp-app', _meta: { ui: { csp: {} } } },
  { uri: 'far://a', name: 'a' },
];

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  const open = async (entries: readonly object[], capabilities: object = ui) => {
    const asked = entries.map((entry, index) => ({
      name: `far${index}`,
      place: scripted({ era: upstream, name: `far${index}`, tools, resources }).place,
      ...entry,
    }));
    return await openBench(asked, { era: downstream, capabilities });
  };

  test('passes apps whole to clients that show UI', async () => {
    const { request, call } = await open([{}]);
    expect((await request('tools/list')).tools).toEqual(tools);
    expect((await request('resources/list')).resources).toEqual(resources);
    const { contents } = await request('resources/read', { uri });
    expect(contents).toMatchObject([{ uri, text: `far0 has ${uri}` }]);
    expect((await call('rich', { a: 1 }))._meta).toMatchObject({ own: 2, ui: { resourceUri: 'ui://x' } });
  });

  test('hides apps from other clients', async () => {
    const { request, call } = await open([{}], {});
    expect((await request('tools/list')).tools).toEqual([
      { name: 'rich', inputSchema: { type: 'object' }, _meta: { own: 1 } },
    ]);
    expect((await request('resources/list')).resources).toEqual([resources[1]]);
    expect(await request('resources/read', { uri })).toHaveProperty('code');
    expect((await call('rich', { a: 1 }))._meta.ui).toBeUndefined();
  });

  test('replaces the URI of an app that another upstream server has, in all places', async () => {
    const { request, call } = await open([{}, { choice: { prefix: 'b_' } }]);
    const second = `${uri}-2`;
    const { tools: listed } = await request('tools/list');
    expect(listed.map(({ _meta }: { _meta: object }) => _meta)).toEqual([
      tools[0]!._meta,
      tools[1]!._meta,
      { own: 1, ui: { resourceUri: second, odd: true }, 'ui/resourceUri': second },
      tools[1]!._meta,
    ]);
    const { resources: pages } = await request('resources/list');
    const uris = pages.map((one: { uri: string }) => one.uri);
    expect(uris).toEqual([uri, 'far://a', second]);
    const { contents } = await request('resources/read', { uri: second });
    expect(contents).toMatchObject([{ uri: second, text: `far1 has ${uri}` }]);
    expect((await call('b_rich', { a: 1 })).content[0].text).toBe('sum');
  });

  test('excludes apps, or some of them', async () => {
    const none = await open([{ apps: false }]);
    expect((await none.request('tools/list')).tools).toEqual([
      { name: 'rich', inputSchema: { type: 'object' }, _meta: { own: 1 } },
    ]);
    expect((await none.request('resources/list')).resources).toEqual([resources[1]]);
    const some = await open([{ apps: { except: ['view', 'gone'] } }]);
    expect((await some.request('tools/list')).tools[0]._meta).toEqual({ own: 1, ui: { odd: true } });
    expect((await some.request('resources/list')).resources).toEqual([resources[1]]);
    expect(some.reported).toContain('The upstream server "far0" has no app "gone".');
  });
});

test('serves the page of a tool that no list shows', async () => {
  const far = scripted({ tools, resources: [] });
  const { request } = await openBench([{ place: far.place }], { capabilities: ui });
  await request('tools/list');
  expect((await request('resources/list')).resources).toEqual([]);
  expect((await request('resources/read', { uri })).contents[0].uri).toBe(uri);
});

test('replaces the URI of an app that no tool names', async () => {
  const entry = (name: string) => ({
    name,
    place: scripted({ name, tools: [], resources: resources.slice(0, 1) }).place,
  });
  const { request } = await openBench([entry('far0'), entry('far1')], { capabilities: ui });
  const { resources: pages } = await request('resources/list');
  expect(pages.map((one: { uri: string }) => one.uri)).toEqual([uri, `${uri}-2`]);
});
