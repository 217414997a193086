import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distinctNames } from '../../../src/engine/runtime/distinct-names.js';

test.each([
  [[], []],
  [['Search'], ['Search']],
  [
    ['Search', 'Other'],
    ['Search', 'Other'],
  ],
  [
    ['Search', 'Search'],
    ['Search1', 'Search2'],
  ],
  [
    ['Search', 'Search', 'Search1'],
    ['Search2', 'Search3', 'Search1'],
  ],
  [
    ['Search1', 'Search', 'Search'],
    ['Search1', 'Search2', 'Search3'],
  ],
  [
    ['a', 'a', 'a1', 'a1'],
    ['a2', 'a3', 'a11', 'a12'],
  ],
  [
    ['a', 'b', 'a', 'b', 'a'],
    ['a1', 'b1', 'a2', 'b2', 'a3'],
  ],
  [
    ['__proto__', '__proto__'],
    ['__proto__1', '__proto__2'],
  ],
  [
    ['Search', 'search'],
    ['Search', 'search'],
  ],
])('%j become %j', (names, distinct) => {
  expect(distinctNames(names)).toEqual(distinct);
});

const lists = fc.array(fc.constantFrom('a', 'a1', 'a2', 'a11', 'b', 'b1', 'ab'), { maxLength: 12 });

test('every name is its own', () => {
  fc.assert(fc.property(lists, (names) => new Set(distinctNames(names)).size === names.length));
});

test('keeps unique names and numbers the others', () => {
  fc.assert(
    fc.property(lists, (names) => {
      const distinct = distinctNames(names);
      for (const [index, name] of names.entries()) {
        const others = names.filter((other) => other === name).length - 1;
        if (others === 0) expect(distinct[index]).toBe(name);
        else expect(distinct[index]).toMatch(new RegExp(`^${name}[1-9]\\d*$`));
      }
      for (const name of new Set(names)) {
        const numbers = distinct
          .filter((_, index) => names[index] === name)
          .map((own) => Number(own.slice(name.length)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    }),
  );
});

test('a numbered name stays as short as names must be', () => {
  const long = 'x'.repeat(128);
  const names = distinctNames([long, long]);
  expect(names).toEqual([`${'x'.repeat(127)}1`, `${'x'.repeat(127)}2`]);
});
