import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { describeValue } from '../../../src/engine/extension/described-value.js';
import { readDefaultExport } from '../../../src/engine/extension/import-module.js';
import type { LoadedModule, ParsedModule } from '../../../src/engine/validate/inspection.js';
import { Inspector } from '../../../src/engine/validate/inspector.js';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { compose, composeLive, openSession } from '../../support/session.js';
import { optionsFor } from '../validate/support/validating.js';

type Modules = Readonly<Record<string, unknown>>;

/** Inspects live values in this process, as the inspecting process does. */
class LiveInspector extends Inspector {
  readonly #modules: Modules;
  readonly #directory: string;

  constructor(modules: Modules, directory: string) {
    super({ timeoutMs: 1000 });
    this.#modules = modules;
    this.#directory = directory;
  }

  override async parse(): Promise<ParsedModule> {
    return { isModule: true, isScript: false, assignsExports: false, imports: [] };
  }

  override async load(file: string): Promise<LoadedModule> {
    const module = { default: this.#modules[path.relative(this.#directory, file)] };
    const read = await readDefaultExport(module, file);
    if (!('live' in read)) return { value: read, types: { default: 'object' }, contextMembers: {} };
    const { live } = read;
    return { value: await describeValue(live, file), types: { default: typeof live }, contextMembers: {} };
  }
}

/** Composes a package of live modules, and validates it. */
async function examine(manifest: object, modules: Modules) {
  const files = Object.fromEntries(Object.keys(modules).map((file) => [file, '']));
  const loadCode = async (_: string, file: string) =>
    await readDefaultExport({ default: modules[file] }, file);
  const composed = await compose(manifest, files, { loadCode });
  const { directory, spec } = composed;
  const openInspector = () => new LiveInspector(modules, directory);
  const { diagnostics } = await validateExtension(directory, optionsFor({ openInspector }));
  return {
    left: spec.leftOut.map(({ code, message }) => `${code} ${message.replace(/\.$/, '')}`),
    errors: diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code, message }) => `${code} ${message.replace(/\.$/, '')}`),
    session: await openSession(composed),
  };
}

const fail = (): never => {
  throw new Error('no');
};
const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply'];
const allTraps = Object.fromEntries(traps.map((trap) => [trap, fail]));
const hostile = new Proxy({}, allTraps);
const hostileFunction = new Proxy(() => 1, allTraps);
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const getter = (key: string, base: object = {}) =>
  Object.defineProperty(base, key, { enumerable: true, get: fail });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function deep(levels: number): object {
  let at: object = {};
  for (let level = 0; level < levels; level++) at = { at };
  return at;
}

function endless(): object {
  return new Proxy(
    {},
    {
      get: (_, key) => (key === 'a' ? endless() : undefined),
      ownKeys: () => ['a'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  );
}

const long = 'x'.repeat(34_000_000);
const unread = 'a value that cannot be read (no)';
const lacks = (what: string) => `${what}, which JSON has no form for`;
const tooMany = 'a value of more than 1000000 members';

/** Values without plain form, the path within them, and the words for the fault. */
const unusable: Readonly<Record<string, readonly [value: unknown, within: string, words: string]>> = {
  'a BigInt': [1n, '', lacks('a BigInt')],
  'a boxed BigInt': [Object(1n), '', lacks('a BigInt')],
  'a BigInt of toJSON': [{ toJSON: () => 1n }, '', lacks('a BigInt')],
  'a cycle': [cycle, '.self', lacks('a value that holds itself')],
  'a Map': [new Map(), '', lacks('a Map')],
  'a Set of another realm': [runInNewContext('new Set()'), '', lacks('a Set')],
  'an Error': [getter('message', new Error('x')), '', lacks('an Error')],
  'a promise': [Promise.resolve(), '', lacks('a Promise')],
  'an ArrayBuffer': [new ArrayBuffer(1), '', lacks('an ArrayBuffer')],
  NaN: [Number.NaN, '', lacks('NaN')],
  'a Proxy that throws': [hostile, '', unread],
  'a Proxy of a function that throws': [hostileFunction, '', unread],
  'a getter that throws': [getter('x'), '.x', unread],
  'a toJSON that throws': [{ toJSON: fail }, '', unread],
  'a then that throws': [getter('then'), '.then', unread],
  // biome-ignore lint/suspicious/noThenProperty: on purpose.
  'a function as then': [{ then: fail }, '.then', 'a function, which makes a promise of the object'],
  '10,000 levels': [deep(10_000), '.at', 'a value nested deeper than 500 levels'],
  'levels without end': [endless(), '.a', 'a value nested deeper than 500 levels'],
  'a huge text': [long, '', 'a value of more than 33554432 characters of text'],
  'a huge list': [new Array(4e9), '', tooMany],
  'huge bytes': [new Uint8Array(2e6), '', tooMany],
};

class Instance {
  a = 1;

  get b(): number {
    return 2;
  }
}

/** Values with a plain form, however odd. */
const usable: readonly unknown[] = [
  ...[undefined, null, Symbol('s'), () => 1, Instance, new Instance(), new Date(0), new Date(Number.NaN)],
  // biome-ignore lint/suspicious/noSparseArray: on purpose.
  ...['\ud800', [1, , 2], Object(1), Object.create(null), Object.freeze({ a: 1 }), Buffer.from('x')],
  ...[{ toJSON: 5 }, { toJSON: () => ({ toJSON: fail }) }, deep(400), runInNewContext('({ a: [1] })')],
  JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
];

const handler = () => 'ok';

const bases = {
  tools: () => ({ description: 'x', handler }),
  prompts: () => ({ description: 'x', content: 'x' }),
  resources: (name: string) => ({ description: 'x', uri: `a://${name}`, text: 'x' }),
} as const;

const words = { tools: 'Tool', prompts: 'Prompt', resources: 'Resource' } as const;

/** Names that sort by their index. */
const named = (what: string, index: number) => `${what}-${String(index).padStart(3, '0')}`;

/** Parts that no item can have, with the fault. */
const parts: readonly (readonly [part: object, fault: string])[] = [
  ...Object.values(unusable).map(
    ([x, within, fault]) => [{ meta: { x } }, `"meta.x${within}" is ${fault}`] as const,
  ),
  ...[1n, hostile, Number.NaN].map((theme) => {
    const fault = Object.values(unusable).find(([value]) => Object.is(value, theme))![2];
    return [{ icons: [{ src: 'https://a.test/i.png', theme }] }, `"icons.0.theme" is ${fault}`] as const;
  }),
  ...['description', 'meta', 'icons', 'title', 'name', 'other'].map(
    (key) => [getter(key), `"${key}" is ${unread}`] as const,
  ),
];

/** Default exports that are no definition. */
const wholes: readonly (readonly [code: string, whole: unknown])[] = [
  ...[hostile, hostileFunction, revoked(), rejected(hostile), rejected(undefined), getter('__esModule')].map(
    (whole) => ['definition-failed', whole] as const,
  ),
  ...[1n, Symbol('s'), new Map(), 5, 'x', [], () => 1, Instance, undefined, { toJSON: fail }].map(
    (whole) => ['invalid-definition', whole] as const,
  ),
];

describe.each(['tools', 'prompts', 'resources'] as const)('a package of %s', (kind) => {
  const withPart = (name: string, part: object) =>
    Object.defineProperties(bases[kind](name), Object.getOwnPropertyDescriptors(part));

  test('loses each item with a part without plain form, and no other', async () => {
    const good = usable.map((x, index) => [named('good', index), { meta: { x } }] as const);
    const bad = parts.map(([part], index) => [named('bad', index), part] as const);
    const items = [...good, ...bad].map(([name, part]) => [name, withPart(name, part)] as const);
    const { left, errors, session } = await examine(
      { [kind]: items.map(([name]) => name) },
      Object.fromEntries(items.map(([name, item]) => [`agenttools/${kind}/${name}.js`, item])),
    );
    const expected = parts.map(
      ([, fault], index) => `invalid-definition ${words[kind]} "${named('bad', index)}": ${fault}`,
    );
    expect(left).toEqual(expected);
    // Good items can have half characters, which another rule reports.
    expect(errors.filter((line) => !line.startsWith('text/'))).toEqual(expected);
    const list = await session.request(`${kind}/list`);
    expect(list[kind].map(({ name }: { name: string }) => name)).toEqual(good.map(([name]) => name));
  });

  test('loses each item whose module has no definition, and no other', async () => {
    const bad = wholes.map(([, whole], index) => [named('bad', index), whole] as const);
    const items = [...bad, ['good', bases[kind]('good')] as const];
    const { left, errors, session } = await examine(
      { [kind]: items.map(([name]) => name) },
      Object.fromEntries(items.map(([name, item]) => [`agenttools/${kind}/${name}.js`, item])),
    );
    const codes = wholes.map(([code], index) => `${code} ${words[kind]} "${named('bad', index)}"`);
    expect(left.map((line) => line.match(/^.*?"bad-\d+"/)?.[0])).toEqual(codes);
    expect(errors).toEqual(left);
    const list = await session.request(`${kind}/list`);
    expect(list[kind].map(({ name }: { name: string }) => name)).toEqual(['good']);
  });
});

const values = Object.entries(unusable).map(([title, [value]]) => [title, value] as const);

/** More than three parts that exceed a limit cost the whole file. */
const fewer = Object.entries(unusable).filter(([title]) => !/huge|levels/.test(title));

test.each(fewer)('a server and its toolkits lose each entry with %s', async (_, [value, within]) => {
  const good = { description: 'x', handler };
  const meta = { x: value };
  const kit = {
    tools: [
      { name: 'kit', ...good },
      { name: 'bad', ...good, meta },
    ],
  };
  const { left, errors, session } = await examine(
    { tools: ['good', { toolkit: 'own' }], servers: ['main'] },
    {
      'agenttools/tools/good.js': good,
      'agenttools/tools/own.js': {
        tools: [
          { name: 'own', ...good },
          { name: 'lost', ...good, meta },
        ],
      },
      'agenttools/servers/main.js': {
        tools: [
          'good',
          'own',
          'lost',
          { use: 'good', meta },
          kit,
          { name: 'here', ...good, meta },
          within === '' ? value : 1n,
        ],
      },
    },
  );
  const codes = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);
  expect(codes(left)).toEqual(Array(5).fill('invalid-definition'));
  expect(codes(errors)).toEqual(Array(5).fill('invalid-definition'));
  const { tools } = await session.request('tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['good', 'own', 'kit']);
});

/** JSON leaves functions out of objects. */
const members = values.filter(([title]) => !/function/.test(title));

const results: readonly (readonly [title: string, result: unknown])[] = [
  ...values.filter(([title]) => title !== 'a promise'),
  ...members.map(([title, value]) => [`an object with ${title}`, { a: value }] as const),
  ...members.map(([title, value]) => [`_meta with ${title}`, { content: [], _meta: { a: value } }] as const),
  ...members.map(([title, value]) => [`content of ${title}`, { content: [value] }] as const),
  ...members.map(
    ([title, value]) => [`text of ${title}`, { content: [{ type: 'text', text: value }] }] as const,
  ),
  ...members.map(
    ([title, value]) => [`structured ${title}`, { content: [], structuredContent: { a: value } }] as const,
  ),
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['text without a text', { content: [{ type: 'text', text: Symbol('s') }] }],
  ['an image of bytes', { content: [{ type: 'image', data: new Uint8Array(5), mimeType: 'image/png' }] }],
  ['an unknown block', { content: [{ type: 'other' }] }],
  ['a getter of isError', getter('isError', { content: [] })],
];

const thrown: readonly (readonly [title: string, value: unknown])[] = [
  ...values,
  ...[undefined, null, Symbol('s'), 'text', revoked()].map((value) => [String(typeof value), value] as const),
  ...['message', 'stack', 'name', 'cause', 'code', 'data'].map(
    (key) => [`an Error with a ${key} that throws`, getter(key, new Error('x'))] as const,
  ),
  ['an Error with a long message', new Error(long)],
  ['an Error with a hostile message', Object.assign(new Error('x'), { message: hostile })],
  ['an Error with a BigInt as code', Object.assign(new Error('x'), { code: 1n, data: cycle })],
  ['an Error with a code of JSON-RPC', Object.assign(new Error('x'), { code: -32700, data: 1n })],
  ['an Error without prototype', Object.setPrototypeOf(new Error('x'), null)],
  ['an heir of a Proxy', Object.create(hostile)],
  ['a value without text', { toString: fail, [Symbol.toPrimitive]: fail }],
  ['a hostile AggregateError', getter('errors', new AggregateError([hostile], 'x'))],
  ['a malformed result', { content: [{ type: 'text', text: 1n }], isError: true }],
];

describe.each(['legacy', 'modern'] as const)('in a %s session', (era) => {
  test.each(results)('a result that is %s becomes an error result', async (_, result) => {
    const tools = { odd: { handler: () => result }, good: { handler } };
    const composed = await composeLive({ tools });
    const { request } = await openSession(composed, { era });
    const answer = await request('tools/call', { name: 'odd' });
    expect(answer).toMatchObject({ isError: true, content: [{ type: 'text' }] });
    expect(answer.content[0].text).toMatch(
      /^Tool "odd" returned something that is not a result|execution failed$/,
    );
    expect(await request('tools/call', { name: 'good' })).toMatchObject({ content: [{ text: 'ok' }] });
    expect(composed.reports).toHaveLength(1);
  });

  test.each(thrown)('%s that a handler throws becomes an error result', async (_, value) => {
    const throws = () => {
      throw value;
    };
    const rejects = () => Promise.reject(value);
    const server = { tools: '*', prompts: '*', resources: '*', exposeErrors: true };
    const composed = await composeLive({
      tools: { throws: { handler: throws }, rejects: { handler: rejects }, good: { handler } },
      prompts: { odd: { content: throws } },
      resources: { odd: { uri: 'a://odd', read: rejects } },
      server,
    });
    const { request } = await openSession(composed, { era });
    for (const name of ['throws', 'rejects']) {
      const answer = await request('tools/call', { name });
      expect(answer).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.any(String) }] });
      expect(answer.content[0].text).not.toMatch(/^\s+at /m);
      expect(answer.content[0].text.length).toBeLessThan(101_000);
    }
    await expect(request('prompts/get', { name: 'odd' })).rejects.toMatchObject({ code: expect.any(Number) });
    await expect(request('resources/read', { uri: 'a://odd' })).rejects.toMatchObject({
      message: expect.not.stringMatching(/internal error/i),
    });
    expect(await request('tools/call', { name: 'good' })).toMatchObject({ content: [{ text: 'ok' }] });
  });
});

function rejected(reason: unknown): Promise<unknown> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}
