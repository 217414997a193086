import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ItemRegistry } from '../../src/engine/runtime/context.js';
import { root } from '../support/program.js';
import { composeLive, type LiveItems, openSession } from '../support/session.js';

const builtinFolder = path.join(root, 'src/builtin');
const eras = ['legacy', 'modern'] as const;

const handler = () => 'ok';

/** One visible and one hidden item of each kind, with and without a category. */
const shop: LiveItems = {
  tools: {
    sell: {
      description: 'Sells a FEDORA.',
      category: 'Trade',
      handler,
      input: { size: { type: 'integer' } },
    },
    audit: { title: 'Books', description: 'Counts.', hidden: true, category: 'office', handler },
  },
  prompts: {
    greet: { description: 'Greets.', content: 'Hello!', category: 'trade' },
    scold: { description: 'Scolds.', content: 'Out!', hidden: true },
  },
  resources: {
    stock: { uri: 'shop://stock', text: '1' },
    shelf: { uriTemplate: 'shop://shelf/{n}', read: handler },
    cellar: { uri: 'shop://cellar', text: '2', hidden: true },
  },
  server: {
    tools: [
      'sell',
      'audit',
      { use: 'sell', name: 'sell-wholesale', description: 'Sells many.', hidden: true, category: null },
      { use: 'catalog', hidden: true },
      'diagnostics',
    ],
    prompts: '*',
    resources: '*',
  },
};

async function open(items: LiveItems, options: Parameters<typeof openSession>[1] = {}) {
  return await openSession(await composeLive(items, { builtinFolder }), options);
}

type Section = readonly { readonly name: string; readonly hidden: boolean }[];

async function catalogOf(args: object): Promise<Readonly<Record<string, Section>>> {
  const { request } = await open(shop);
  const result = await request('tools/call', { name: 'catalog', arguments: args });
  expect(result.isError).toBeUndefined();
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent;
}

const namesOf = (sections: Readonly<Record<string, Section>>) =>
  Object.fromEntries(Object.entries(sections).map(([key, items]) => [key, items.map(({ name }) => name)]));

const all = {
  tools: ['sell', 'audit', 'sell-wholesale', 'catalog', 'diagnostics'],
  prompts: ['greet', 'scold'],
  resources: ['stock', 'cellar'],
  resource_templates: ['shelf'],
};
const none = { tools: [], prompts: [], resources: [], resource_templates: [] };

describe('the catalog', () => {
  test.each<[args: object, names: object]>([
    [{}, all],
    [{ type: 'all', query: '' }, all],
    [{ type: 'tools' }, { tools: all.tools }],
    [{ type: 'prompts' }, { prompts: all.prompts }],
    [{ type: 'resources' }, { resources: all.resources }],
    [{ type: 'resource_templates' }, { resource_templates: all.resource_templates }],
    [
      { include_hidden: false },
      {
        tools: ['sell', 'diagnostics'],
        prompts: ['greet'],
        resources: ['stock'],
        resource_templates: ['shelf'],
      },
    ],
    [{ query: 'fedora' }, { ...none, tools: ['sell'] }],
    [{ query: 'SELL' }, { ...none, tools: ['sell', 'sell-wholesale'] }],
    [{ query: 'books' }, { ...none, tools: ['audit'] }],
    [{ query: 'shop://S' }, { ...none, resources: ['stock'], resource_templates: ['shelf'] }],
    [{ query: 'nowhere' }, none],
    [{ category: 'trade' }, { ...none, tools: ['sell'], prompts: ['greet'] }],
    [{ category: 'OFFICE', include_hidden: false }, none],
    [{ category: '' }, none],
  ])('%j', async (args, names) => {
    expect(namesOf(await catalogOf(args))).toEqual(names);
  });

  test('gives the definitions that lists give, and whether they are hidden', async () => {
    const { request } = await open(shop);
    const { tools } = await request('tools/list');
    const catalog = await catalogOf({ type: 'tools' });
    const [sell, audit, wholesale] = catalog.tools!;
    expect(sell).toEqual({ ...tools[0], hidden: false, category: 'Trade' });
    expect(audit).toMatchObject({ title: 'Books', hidden: true, category: 'office' });
    expect(wholesale).toMatchObject({ description: 'Sells many.', hidden: true });
    expect(wholesale).not.toHaveProperty('category');
    const { resourceTemplates } = await request('resources/templates/list');
    expect((await catalogOf({ type: 'resource_templates' })).resource_templates).toEqual([
      { ...resourceTemplates[0], hidden: false },
    ]);
  });

  test('comes in pieces, if there is much', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `t${index}`);
    const many = Object.fromEntries(names.map((name) => [name, { handler }]));
    const prompts = { p: { content: 'p' } };
    const items: LiveItems = { tools: many, prompts, server: { tools: [...names, 'catalog'], prompts: '*' } };
    const { request } = await open(items);
    const seen: string[] = [];
    const pieces: unknown[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const args: object = offset === 0 ? {} : { offset };
      const { structuredContent } = await request('tools/call', { name: 'catalog', arguments: args });
      const { more, ...sections } = structuredContent;
      seen.push(...Object.values(namesOf(sections)).flat());
      pieces.push(more);
      offset = more?.next_offset;
    }
    expect(seen).toEqual([...names, 'catalog', 'p']);
    const more = { total: 252, pages: 3 };
    expect(pieces).toEqual([
      { ...more, next_offset: 100, next_page: 2 },
      { ...more, next_offset: 200, next_page: 3 },
      undefined,
    ]);
    const last = await request('tools/call', { name: 'catalog', arguments: { page: 3 } });
    expect(Object.values(namesOf(last.structuredContent)).flat()).toEqual(seen.slice(200));
    const few = await request('tools/call', {
      name: 'catalog',
      arguments: { query: 't24', limit: 2, type: 'tools' },
    });
    expect(few.structuredContent).toMatchObject({
      tools: [{ name: 't24' }, { name: 't240' }],
      more: { total: 11, next_offset: 2 },
    });
  });

  test.each([{ type: 'apps' }, { query: 1 }, { include_hidden: 'yes' }, { kind: 'tools' }])(
    'refuses %j',
    async (args) => {
      const { request } = await open(shop);
      const result = await request('tools/call', { name: 'catalog', arguments: args });
      expect(result).toMatchObject({ isError: true });
      expect(result.content[0].text).toMatch(/^Invalid arguments for tool "catalog"/);
    },
  );
});

const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

describe.each(eras)('%s: the catalog is what its client would be listed', (era) => {
  const catalogFor = async (items: LiveItems, capabilities: object = {}) => {
    const { request } = await open(items, { era, capabilities });
    const { structuredContent } = await request('tools/call', { name: 'catalog' });
    const { tools } = await request('tools/list');
    const { resources } = await request('resources/list');
    return { catalog: structuredContent, tools, resources };
  };
  const shown = (entries: readonly object[]) => entries.map((entry) => ({ ...entry, hidden: false }));

  test('with the schemas of its revision', async () => {
    const tools = {
      list: {
        handler: () => [1],
        outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: {} } },
      },
      any: { handler, inputSchema: { type: 'object', properties: { a: true } } },
    };
    const { catalog, tools: listed } = await catalogFor({
      tools,
      server: { tools: ['list', 'any', 'catalog'] },
    });
    expect(catalog.tools).toEqual(shown(listed));
    expect(catalog.tools[0].outputSchema.type).toBe(era === 'legacy' ? 'object' : 'array');
  });

  test('with UI for those that show it', async () => {
    const items: LiveItems = {
      tools: {
        chart: { ui: 'board', handler },
        gated: { ui: { app: 'board', when: () => false }, handler },
        redraw: { ui: { app: 'board', visibility: ['app'] }, handler },
      },
      resources: {
        own: { uri: 'ui://own/page', text: '', mimeType: 'text/html' },
        plain: { uri: 'x://y', text: '' },
      },
      apps: { board: '<!doctype html><title>x</title>' },
      server: { tools: ['chart', 'gated', 'redraw', 'catalog'], resources: '*' },
    };
    const without = await catalogFor(items);
    expect(JSON.stringify(without.catalog.tools.slice(0, 3))).not.toContain('ui');
    expect(without.catalog.resources).toEqual(shown(without.resources));
    const { catalog, tools, resources } = await catalogFor(items, ui);
    expect(catalog.resources).toEqual(shown(resources));
    const hidden = (name: string) => name === 'redraw';
    expect(catalog.tools).toEqual(
      tools.map((tool: { name: string }) => ({ ...tool, hidden: hidden(tool.name) })),
    );
    expect(catalog.tools[0]._meta.ui.resourceUri).toBe('ui://acme/kit/board');
    expect(catalog.tools[1]).not.toHaveProperty('_meta');
  });

  test('with what the hooks of the lists leave out', async () => {
    const odd = (_: unknown, registry: ItemRegistry) => {
      const { items } = registry.list({ includeHidden: true });
      return items.filter((_, index) => index % 2 === 1);
    };
    const { catalog, tools } = await catalogFor({
      ...shop,
      server: { ...shop.server, list: { tools: odd, prompts: odd, resources: odd } },
    });
    const flags = (entries: Section) => entries.map(({ name, hidden }) => [name, hidden]);
    expect(flags(catalog.tools)).toEqual([
      ['sell', true],
      ['audit', false],
      ['sell-wholesale', true],
      ['catalog', false],
      ['diagnostics', true],
    ]);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['audit', 'catalog']);
    expect(flags(catalog.prompts)).toEqual([
      ['greet', true],
      ['scold', false],
    ]);
    expect(flags([...catalog.resources, ...catalog.resource_templates])).toEqual([
      ['stock', true],
      ['cellar', true],
      ['shelf', false],
    ]);
  });

  test('holds all pages of a hook that splits its list', async () => {
    const paged = (_: unknown, registry: ItemRegistry) => registry.list({ pageSize: 1 });
    const { catalog } = await catalogFor({ ...shop, server: { ...shop.server, list: { tools: paged } } });
    const visible = (catalog.tools as Section).filter(({ hidden }) => !hidden);
    expect(visible.map(({ name }) => name)).toEqual(['sell', 'diagnostics']);
  });
});

describe.each(eras)('%s: diagnostics', (era) => {
  test.each([null, 0, '', 'é\u0000', [1, [null]], { a: { __b: [] } }, false])(
    'sends %j back',
    async (echo) => {
      const { request } = await open(shop, { era });
      const { structuredContent } = await request('tools/call', { name: 'diagnostics', arguments: { echo } });
      expect(structuredContent.echo).toEqual(echo);
      expect(structuredContent.client.name).toBe('tester');
    },
  );

  test('sends nothing back that was not sent', async () => {
    const { request } = await open(shop, { era });
    const { structuredContent } = await request('tools/call', { name: 'diagnostics' });
    expect(structuredContent).not.toHaveProperty('echo');
  });
});
