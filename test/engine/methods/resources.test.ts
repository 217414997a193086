import { describe, expect, test } from 'vitest';
import { composeLive, type LiveItems, openSession } from '../../support/session.js';

const eras = ['legacy', 'modern'] as const;
const read = (uri: string, variables: unknown) => JSON.stringify([uri, variables]);

describe.each(eras)('%s: reading', (era) => {
  async function open(resources: Record<string, object>, server?: object) {
    const composed = await composeLive({ resources, ...(server && { server }) });
    const { request } = await openSession(composed, { era });
    return {
      ...composed,
      textOf: async (uri: string) => (await request('resources/read', { uri })).contents[0].text,
      request,
    };
  }

  test('prefers a fixed URI to templates, then the first template', async () => {
    const { textOf } = await open({
      wide: { uriTemplate: 'x://{a}', read: () => 'wide' },
      narrow: { uriTemplate: 'x://n{b}', read: () => 'narrow' },
      fixed: { uri: 'x://nail', text: 'fixed', hidden: true },
    });
    expect([await textOf('x://nail'), await textOf('x://nut')]).toEqual(['fixed', 'wide']);
  });

  test('gives the values of the variables', async () => {
    const { textOf } = await open({
      find: { uriTemplate: 'find://{index}{/path*}{?q,limit}', read },
    });
    const uri = 'find://b%C3%BCcher/a/b%2Fc?limit=3';
    const variables = { index: 'bücher', path: ['a', 'b/c'], limit: '3' };
    expect(JSON.parse(await textOf(uri))).toEqual([uri, variables]);
    expect(JSON.parse(await textOf('find://x'))).toEqual(['find://x', { index: 'x' }]);
  });

  test('returns an error for an unknown URI', async () => {
    const { request } = await open({ find: { uriTemplate: 'find://{index}{?q}', read } });
    for (const uri of ['find://', 'find://a/b', 'find://a?r=1', 'other://a']) {
      await expect(request('resources/read', { uri })).rejects.toMatchObject({ data: { uri } });
    }
  });

  test.each([undefined, null])('returns an error if the template function returns %j', async (nothing) => {
    const { request, reports } = await open({ find: { uriTemplate: 'find://{index}', read: () => nothing } });
    const unknown = await request('resources/read', { uri: 'other://a' }).catch((error) => error);
    const uri = 'find://a';
    await expect(request('resources/read', { uri })).rejects.toEqual({
      ...unknown,
      message: `Resource not found: ${uri}`,
      data: { uri },
    });
    expect(reports).toEqual([]);
  });

  test('a template that could be read in two ways is left out, with the reason', async () => {
    const { spec } = await open({ bad: { uriTemplate: 'x://{a}{b}', read } });
    expect(spec.leftOut[0]).toMatchObject({ code: 'invalid-resource' });
    expect(spec.leftOut[0]?.message).toContain('it is ambiguous where {a} ends and {b} begins');
  });
});

const icons = [{ src: 'https://example.org/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };

describe.each(eras)('%s: the resources of a template', (era) => {
  async function list(template: object, more: LiveItems = {}) {
    const composed = await composeLive({
      resources: { shelf: { uriTemplate: 'x://{n}', read, ...template }, ...more.resources },
      ...(more.server && { server: more.server }),
    });
    const { request } = await openSession(composed, { era });
    const { resources } = await request('resources/list');
    const { resourceTemplates } = await request('resources/templates/list');
    return { resources, resourceTemplates, reports: composed.reports, request };
  }

  test('take missing fields from the template', async () => {
    const common = {
      description: 'A shelf.',
      mimeType: 'text/plain',
      icons,
      annotations,
      category: 'Stock',
      meta: { a: 1 },
    };
    const { resources, resourceTemplates } = await list({
      ...common,
      title: 'Shelf',
      list: () => [{ uri: 'x://1' }],
    });
    const { uriTemplate, title, name, ...shared } = resourceTemplates[0];
    expect([uriTemplate, title, name]).toEqual(['x://{n}', 'Shelf', 'shelf']);
    expect(shared).toEqual({
      description: 'A shelf.',
      mimeType: 'text/plain',
      icons,
      annotations,
      _meta: { a: 1, category: 'Stock' },
    });
    expect(resources).toEqual([{ uri: 'x://1', name: 'x://1', title: 'x://1', ...shared }]);
  });

  test('keep the fields of the list function', async () => {
    const own = {
      uri: 'x://1',
      name: 'one',
      title: 'One',
      description: 'First.',
      mimeType: 'text/csv',
      size: 7,
      icons,
      annotations,
    };
    const { resources } = await list({
      description: 'A shelf.',
      meta: { a: 1, b: 1 },
      list: async () => [
        { ...own, meta: { b: 2 }, category: 'Top' },
        { uri: 'x://2', name: 'two' },
      ],
    });
    expect(resources).toEqual([
      { ...own, _meta: { a: 1, b: 2, category: 'Top' } },
      { uri: 'x://2', name: 'two', title: 'two', description: 'A shelf.', _meta: { a: 1, b: 1 } },
    ]);
  });

  test('omit fields that clients would refuse', async () => {
    const bad = {
      name: 1,
      title: null,
      description: {},
      mimeType: 2,
      size: -1,
      icons: [{ src: './a.png' }],
      annotations: { priority: 9 },
      meta: 'x',
      extra: 1,
    };
    const { resources } = await list({ description: 'A shelf.', list: () => [{ uri: 'x://1', ...bad }] });
    expect(resources).toEqual([{ uri: 'x://1', name: 'x://1', title: 'x://1', description: 'A shelf.' }]);
  });

  test('are those with an address of it; the others are reported once', async () => {
    const { resources, reports, request } = await list({
      list: () => [{ uri: 'y://1' }, { uri: 'x://1/2' }, 'x://3', null, {}, { uri: 'x://4' }],
    });
    await request('resources/list');
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['x://4']);
    const named = '"y://1", "x://1/2", one without "uri", one without "uri", one without "uri"';
    expect(reports).toEqual([
      expect.stringMatching(/without an address of the template, which are left out: /),
    ]);
    expect(reports[0]).toContain(named);
  });

  const own: Record<string, unknown> = {};
  own.self = own;
  test.each<[what: string, entry: object, reason: string]>([
    ['_meta', { _meta: own }, 'a value that holds itself at /_meta/self has no JSON form'],
    ['meta', { meta: { big: 1n } }, 'a BigInt at /meta/big has no JSON form'],
    ['annotations', { annotations: { priority: 1, own } }, 'at /annotations/own/self'],
    ['icons', { icons: [{ ...icons[0], own }] }, 'at /icons/0/own/self'],
  ])('omit an entry whose %s has no JSON form, and report it once', async (_, entry, reason) => {
    const { resources, reports, request } = await list({
      list: () => [{ uri: 'x://1', ...entry }, { uri: 'x://2' }],
    });
    await request('resources/list');
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['x://2']);
    expect(reports).toEqual([expect.stringMatching(/^[^\n]*: its list omits x:\/\/1: [^\n]*$/)]);
    expect(reports[0]).toContain(reason);
  });

  test('report at most ten invalid entries', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => ({ uri: `x://${index}`, _meta: own }));
    const { resources, reports } = await list({ list: () => [...entries, { uri: 'x://last' }] });
    expect(resources).toHaveLength(1);
    expect(reports).toHaveLength(11);
    expect(reports.at(-1)).toMatch(/: its list omits more invalid entries\.$/);
  });

  test('omit fields with a toJSON method', async () => {
    const toJSON = () => 5;
    const { resources } = await list({
      list: () => [
        { uri: 'x://1', meta: { toJSON }, annotations: { toJSON }, icons: [{ ...icons[0], toJSON }] },
      ],
    });
    expect(resources).toEqual([{ uri: 'x://1', name: 'x://1', title: 'x://1' }]);
  });

  test.each<[why: string, list: () => unknown, reason: string]>([
    ['it throws', () => Promise.reject(new Error('no shelf')), 'no shelf'],
    ['it gives no list', () => 'x://1', '"list" returns a list'],
  ])('are left out if %s', async (_, failing, reason) => {
    const { resources, reports } = await list(
      { list: failing },
      { resources: { fixed: { uri: 'y://fixed', text: '' } } },
    );
    expect(resources).toMatchObject([{ uri: 'y://fixed' }]);
    expect(reports.join()).toContain(reason);
  });

  test('are hidden with it, and can be read', async () => {
    const { resources, resourceTemplates, request } = await list({
      hidden: true,
      list: () => [{ uri: 'x://1' }],
    });
    expect([resources, resourceTemplates]).toEqual([[], []]);
    expect(await request('resources/read', { uri: 'x://1' })).toMatchObject({ contents: [{ uri: 'x://1' }] });
  });

  test.each([true, false])('omit URIs with a separate definition, hidden (%s) or not', async (hidden) => {
    const own = { uri: 'x://1', title: 'Own', text: '', hidden };
    const { resources } = await list(
      { list: () => [{ uri: 'x://1' }, { uri: 'x://2' }] },
      { resources: { own } },
    );
    const titles = resources.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(hidden ? ['x://2'] : ['x://2', 'Own']);
  });

  test('are as the server wants the template', async () => {
    const change = {
      use: 'shelf',
      name: 'rack',
      title: 'Rack',
      description: 'Changed.',
      category: 'New',
      icons,
    };
    const { resources, resourceTemplates } = await list(
      { description: 'A shelf.', list: () => [{ uri: 'x://1' }] },
      { server: { resources: [change] } },
    );
    const changed = { description: 'Changed.', icons, _meta: { category: 'New' } };
    expect(resourceTemplates).toEqual([{ uriTemplate: 'x://{n}', name: 'rack', title: 'Rack', ...changed }]);
    expect(resources).toEqual([{ uri: 'x://1', name: 'x://1', title: 'x://1', ...changed }]);
  });
});

describe('definitions that lists cannot carry', () => {
  test.each([
    [{ annotations: { priority: 2 } }, 'annotations'],
    [{ annotations: { audience: ['me'] } }, 'annotations'],
    [{ icons: [{ src: './icon.png' }] }, 'icons.0.src'],
    [{ icons: [{ src: 'javascript:alert(1)' }] }, 'icons.0.src'],
  ])('%j', async (wrong, key) => {
    const { spec } = await composeLive({ resources: { x: { uri: 'x://1', text: '', ...wrong } } });
    expect(spec.leftOut[0]?.message).toContain(`unusable "${key}"`);
  });
});

describe.each(eras)('%s: titles, icons and sizes', (era) => {
  test('are sent in every list', async () => {
    const { request } = await openSession(
      await composeLive({
        tools: { t: { handler: () => '', title: 'T', icons } },
        prompts: {
          p: { content: '', title: 'P', icons, arguments: [{ name: 'a', title: 'A', description: 'An a.' }] },
        },
        resources: {
          r: { uri: 'x://r', text: '12', title: 'R', icons, size: 2, annotations },
          s: { uriTemplate: 'x://{s}/t', read, title: 'S', icons, annotations },
        },
      }),
      { era },
    );
    expect((await request('tools/list')).tools).toMatchObject([{ title: 'T', icons }]);
    expect((await request('prompts/list')).prompts).toMatchObject([
      { title: 'P', icons, arguments: [{ name: 'a', title: 'A', description: 'An a.', required: false }] },
    ]);
    expect((await request('resources/list')).resources).toMatchObject([
      { title: 'R', icons, size: 2, annotations },
    ]);
    expect((await request('resources/templates/list')).resourceTemplates).toMatchObject([
      { title: 'S', icons, annotations },
    ]);
  });
});
