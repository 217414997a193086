import path from 'node:path';
import { describe, expect, test } from 'vitest';
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
