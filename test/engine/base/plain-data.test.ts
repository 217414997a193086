import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { findCopyFaults, plainBudget, plainData, withFaults } from '../../../src/engine/base/plain-data.js';
import { errorMessage, errorStack, safelyThrown } from '../../../src/engine/base/thrown-value.js';

const fail = (): never => {
  throw new Error('no');
};

const traps = ['get', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'has'] as const;
const proxies = traps.map((trap) => new Proxy({ a: 1 }, { [trap]: fail }));

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic(): object {
  const value: Record<string, unknown> = { a: 1 };
  value.self = value;
  return value;
}

const counting = (): object => {
  let reads = 0;
  return Object.defineProperty({}, 'n', { enumerable: true, get: () => ++reads });
};

describe('plainData', () => {
  const shared = { a: 1 };
  const rows: readonly [title: string, value: unknown, copy: unknown][] = [
    ['shared references', [shared, shared], [{ a: 1 }, { a: 1 }]],
    ['a getter once', counting(), { n: 1 }],
    ['names of Object.prototype as own data', JSON.parse('{"__proto__":{"a":1},"constructor":2}'), null],
    ['lone surrogates as they are', { 'k\ud800': 'a\udc00' }, null],
    ['a date as its text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['what toJSON returns, once', { toJSON: () => ({ toJSON: () => 5, a: 1 }) }, { a: 1 }],
    ['-0 as 0', [-0], [0]],
    ['boxed values', [Object(1), Object('a'), Object(false)], [1, 'a', false]],
    ['no functions and no symbols', { f: () => 1, s: Symbol('s'), l: [() => 1] }, { l: [null] }],
    // biome-ignore lint/suspicious/noSparseArray: on purpose.
    ['a sparse list', [1, , 2], [1, null, 2]],
    ['objects of another realm', runInNewContext('({ a: [1], d: new Date(0) })'), null],
    ['a list that lies about its length', new Proxy([1], { get: () => -1 }), []],
    ['bytes as JSON writes them', Buffer.from([1]), { type: 'Buffer', data: [1] }],
  ];

  test.each(rows)('copies %s', (_, value, copy) => {
    const { value: found, faults } = plainData(value);
    expect(faults).toEqual([]);
    expect(JSON.stringify(found)).toBe(JSON.stringify(copy ?? value));
  });

  const holes: readonly [title: string, value: unknown, path: string, what: string][] = [
    ['a BigInt', { a: [1n] }, 'a.0', 'a BigInt'],
    ['NaN', { a: Number.NaN }, 'a', 'NaN'],
    ['a cycle', cyclic(), 'self', 'a value that holds itself'],
    ['a Map', { a: new Map() }, 'a', 'a Map'],
    ['a Map of another realm', { a: runInNewContext('new Map()') }, 'a', 'a Map'],
    [
      'a getter that throws',
      {
        get a() {
          return fail();
        },
      },
      'a',
      'a value that cannot be read (no)',
    ],
    ['toJSON that throws', { a: { toJSON: fail } }, 'a', 'a value that cannot be read (no)'],
    ['a function alone', () => 1, '', 'a function'],
    ['a symbol alone', Symbol('s'), '', 'a symbol'],
    ['a huge list', { a: new Array(4e9) }, 'a', `a value of more than ${plainBudget.members} members`],
    ['huge bytes', { a: new Uint8Array(2e6) }, 'a', `a value of more than ${plainBudget.members} members`],
  ];

  test.each(holes)('leaves out %s and names the path', (_, value, path, what) => {
    const { faults } = plainData(value);
    expect(faults.map((fault) => [fault.path.join('.'), fault.what])).toEqual([[path, what]]);
  });

  test.each([...proxies, revoked()].map((value, index) => [index, value] as const))(
    'survives hostile Proxy %i beside other members',
    (_, value) => {
      const { value: copy, faults } = plainData({ a: value, b: 2 });
      expect(copy).toMatchObject({ b: 2 });
      expect(faults.length).toBeLessThan(2);
    },
  );

  test('spares the neighbours of a part that exceeds the budget', () => {
    const { value, faults } = plainData(
      { a: [1, 2, 3, 4], b: { c: 'text' } },
      { budget: { depth: 3, members: 4, text: 100 } },
    );
    expect(value).toEqual({ b: { c: 'text' } });
    expect(faults.map(({ path }) => path)).toEqual([['a']]);
  });

  test('knows the faults of each part of the copy, also after a process boundary', () => {
    const { value, faults } = plainData({ tools: [{ meta: { a: 1n } }, {}] });
    const sent = structuredClone({ value, faults });
    withFaults(sent.value, sent.faults);
    for (const { tools } of [value, sent.value] as { tools: unknown[] }[]) {
      expect(findCopyFaults(tools[0]).map(({ path }) => path)).toEqual([['meta', 'a']]);
      expect(findCopyFaults(tools[1])).toEqual([]);
    }
  });
});

describe('a thrown value', () => {
  const thrown: readonly unknown[] = [
    undefined,
    null,
    1n,
    Symbol('s'),
    revoked(),
    ...proxies,
    Object.create(proxies[2]!),
    Object.defineProperty(new Error('x'), 'message', { get: fail }),
    Object.defineProperty(new Error('x'), 'stack', { get: fail }),
    { toString: fail, [Symbol.toPrimitive]: fail, message: 5 },
    Object.create(null),
  ];

  test.each(thrown.map((value, index) => [index, value] as const))('becomes words: %i', (_, value) => {
    expect(errorMessage(value)).toEqual(expect.any(String));
    expect(errorStack(value)).toEqual(expect.any(String));
    expect(() => safelyThrown(value) instanceof TypeError).not.toThrow();
  });
});
