import { describe, expect, test } from 'vitest';
import { composeLive, type LiveItems, openSession } from '../../support/session.js';

const fail = (): never => {
  throw new Error('no');
};
const handler = () => 'ok';
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const hostile = new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail });

/** Parts of any definition that have no plain form. */
const parts: Readonly<Record<string, object>> = {
  'a BigInt in meta': { meta: { a: 1n } },
  'a cycle in meta': { meta: cycle },
  'a Map as meta': { meta: new Map() },
  'a BigInt in icons': { icons: [{ src: 'https://a.test/i.png', x: 1n }] },
  'a getter that throws': Object.defineProperty({}, 'description', { enumerable: true, get: fail }),
  'a Proxy that throws': { meta: { a: hostile } },
  // biome-ignore lint/suspicious/noThenProperty: on purpose.
  'a function as then': { then: fail },
};

/** Adds members without reading them. */
const withPart = (base: object, part: object) =>
  Object.defineProperties({ ...base }, Object.getOwnPropertyDescriptors(part));

const kinds = {
  tools: { handler },
  prompts: { content: 'x' },
  resources: { uri: 'a://odd', text: 'x' },
} as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('the list of %s', (kind) => {
  test.each(Object.entries(parts))('omits an item with %s', async (_, part) => {
    const good = kind === 'resources' ? { uri: 'a://good', text: 'x' } : kinds[kind];
    const odd = withPart(kinds[kind], part);
    const composed = await composeLive({ [kind]: { good, odd } } as LiveItems);
    expect(composed.spec.leftOut.map(({ item, code }) => `${item} ${code}`)).toEqual([
      expect.stringMatching(/odd invalid-definition$/),
    ]);
    const { request } = await openSession(composed);
    const list = await request(`${kind}/list`);
    expect(list[kind]).toMatchObject([{ name: 'good' }]);
  });
});

test('a server whose own data has no plain form is not composed', async () => {
  const server = { tools: '*', icons: [{ src: 'https://a.test/i.png', x: 1n }] };
  const composing = composeLive({ tools: { good: { handler } }, server });
  await expect(composing).rejects.toMatchObject({ code: 'invalid-definition' });
});

test('skips entries and toolkit tools without a plain form', async () => {
  const toolkit = {
    tools: [
      { name: 'kit', handler },
      { name: 'bad', handler, meta: { a: 1n } },
    ],
  };
  const use = { use: 'good', meta: { a: 1n } };
  const composed = await composeLive({
    tools: { good: { handler } },
    server: { tools: ['good', use, toolkit, { name: 'here', handler, meta: cycle }] },
  });
  expect(composed.spec.leftOut.map(({ code }) => code)).toEqual(Array(3).fill('invalid-definition'));
  const { request } = await openSession(composed);
  const { tools } = await request('tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good', 'kit']);
});

test('an item with an unusable schema is left out', async () => {
  const { spec } = await composeLive({
    tools: {
      good: { handler },
      type: { handler, inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } },
      output: { handler, outputSchema: { type: 'object', required: true } },
      library: {
        handler,
        input: {
          '~standard': {
            vendor: 'x',
            validate: fail,
            get jsonSchema() {
              return fail();
            },
          },
        },
      },
    },
  });
  expect(spec.leftOut.map(({ code }) => code)).toEqual([
    'invalid-input-schema',
    'invalid-output-schema',
    'invalid-input-schema',
  ]);
});

const results: Readonly<Record<string, () => unknown>> = {
  'a Proxy that throws': () => hostile,
  'a getter that throws': () => ({
    get a() {
      return fail();
    },
  }),
  'a huge list': () => ({ rows: new Array(4e9) }),
  'a value without end': () => {
    const endless = (): object =>
      new Proxy(
        {},
        {
          get: (_, key) => (key === 'a' ? endless() : undefined),
          ownKeys: () => ['a'],
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        },
      );
    return endless();
  },
  'structured content with a cycle': () => ({ content: [], structuredContent: cycle }),
};

test.each(Object.entries(results))(
  'a result that is %s is an error that the model reads',
  async (_, result) => {
    const composed = await composeLive({ tools: { odd: { handler: result }, good: { handler } } });
    const { request } = await openSession(composed);
    expect(await request('tools/call', { name: 'odd' })).toMatchObject({ isError: true });
    expect(await request('tools/call', { name: 'good' })).toMatchObject({ content: [{ text: 'ok' }] });
  },
);

const thrown: readonly unknown[] = [
  undefined,
  1n,
  Symbol('s'),
  hostile,
  Object.create(hostile),
  { toString: fail },
];

test.each(thrown.map((value, index) => [index, value] as const))(
  'thrown value %i costs its own request only',
  async (_, value) => {
    const odd = () => {
      throw value;
    };
    const composed = await composeLive({
      tools: { odd: { handler: odd }, good: { handler } },
      prompts: { odd: { content: odd } },
      resources: { odd: { uri: 'a://odd', read: odd } },
      server: { tools: '*', prompts: '*', resources: '*', list: { tools: odd } },
    });
    const { request } = await openSession(composed);
    expect(await request('tools/call', { name: 'odd' })).toMatchObject({ isError: true });
    await expect(request('prompts/get', { name: 'odd' })).rejects.toMatchObject({ code: -32603 });
    await expect(request('resources/read', { uri: 'a://odd' })).rejects.toMatchObject({ code: -32603 });
    expect((await request('tools/list')).tools).toHaveLength(2);
  },
);

test.each([
  ['a Proxy', hostile],
  ['a cycle', [cycle]],
  ['BigInts', [1n]],
])('a hook that returns %s leaves the default list', async (_, picked) => {
  const composed = await composeLive({
    tools: { good: { handler } },
    server: { tools: '*', list: { tools: () => picked } },
  });
  const { request } = await openSession(composed);
  expect((await request('tools/list')).tools).toMatchObject([{ name: 'good' }]);
  expect(composed.reports.join()).toContain('its hook failed');
});
