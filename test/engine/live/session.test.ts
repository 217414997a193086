import { expect, test } from 'vitest';
import { openSession } from '../../../src/engine/live/session.js';

test('keeps a copy of a value, and gives a fresh copy each time', () => {
  const session = openSession();
  const cart = { items: ['a'] };
  session.set('cart', cart);
  cart.items.push('b');
  const first = session.get('cart') as typeof cart;
  expect(first).toEqual({ items: ['a'] });
  first.items.push('c');
  expect(session.get('cart')).toEqual({ items: ['a'] });
});

test.each([
  ['a date as text', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['no functions of an object', { a: 1, f: () => 1 }, { a: 1 }],
  ['null', null, null],
  ['false', false, false],
  ['a lone surrogate', ['\ud800'], ['\ud800']],
  ['names of Object.prototype', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
])('keeps %s', (_, value, kept) => {
  const session = openSession();
  session.set('key', value);
  expect(session.get('key')).toStrictEqual(kept);
});

test('removes a key that is set to undefined', () => {
  const session = openSession();
  session.set('key', 1);
  session.set('key', undefined);
  expect(session.get('key')).toBeUndefined();
  expect(session.get('toString')).toBeUndefined();
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

test.each([
  ['a BigInt', { items: [{ price: 1n }] }, '"items.0.price" is a BigInt, which JSON has no form for'],
  ['a Map', new Map(), 'the value is a Map, which JSON has no form for'],
  ['a function', () => 1, 'the value is a function, which JSON has no form for'],
  ['a symbol', Symbol('s'), 'the value is a symbol, which JSON has no form for'],
  ['a cycle', cycle, '"self" is a value that holds itself, which JSON has no form for'],
  [
    'a toJSON that gives nothing',
    { toJSON: () => undefined },
    'the value is an object whose toJSON gives nothing, which JSON has no form for',
  ],
  ['a huge list', { rows: new Array(4e9) }, '"rows" is a value of more than 1000000 members'],
])('refuses %s, and keeps the earlier value', (_, value, reason) => {
  const session = openSession();
  session.set('key', 'before');
  expect(() => session.set('key', value)).toThrow(
    new TypeError(`ctx.session cannot keep "key": ${reason}. Set data that JSON can hold.`),
  );
  expect(session.get('key')).toBe('before');
});

test('refuses a key that is no string', () => {
  expect(() => openSession().set(Symbol('s') as never, 1)).toThrow('A key of ctx.session must be a string.');
});

test('keeps at most 16 Mi characters, and goes on within them', () => {
  const session = openSession();
  session.set('long', 'x'.repeat(16 * 1024 * 1024 - 10));
  expect(() => session.set('more', 'x'.repeat(20))).toThrow(RangeError);
  expect(session.get('more')).toBeUndefined();
  session.set('long', undefined);
  session.set('more', 'x'.repeat(20));
  expect(session.get('more')).toHaveLength(20);
});

test('counts what was kept before', () => {
  const session = openSession({ long: JSON.stringify('x'.repeat(16 * 1024 * 1024 - 10)) });
  expect(() => session.set('more', 'x'.repeat(20))).toThrow(RangeError);
});
