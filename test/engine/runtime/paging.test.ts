import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CursorError, page } from '../../../src/engine/runtime/paging.js';

test('pages hold everything once, in order', () => {
  fc.assert(
    fc.property(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 12 }), (count, size) => {
      const items = Array.from({ length: count }, (_, index) => index);
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const one = page(items, cursor, size);
        expect(one.items.length).toBeLessThanOrEqual(size);
        seen.push(...one.items);
        cursor = one.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(items);
    }),
  );
});

describe('a cursor that was not given out', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each([
    '',
    'x',
    '1',
    encode('x'),
    encode(null),
    encode([]),
    encode([1]),
    encode([0, '1']),
    encode([-1, '1']),
    encode([1.5, '1']),
    encode([1, 1]),
    encode([1, '9']),
    encode([1, '1', 2]),
    encode([2 ** 60, '1']),
    `${encode([1, '1'])}=`,
    Buffer.from('[1, "1"]').toString('base64url'),
  ])('%j is refused', (cursor) => {
    expect(() => page([1, 2, 3], cursor, 1)).toThrow(CursorError);
  });
});

describe('a list that changes between its pages', () => {
  const { nextCursor } = page(['a', 'b', 'c', 'd'], undefined, 2);

  test.each<[now: string, next: string]>([
    ['abcd', 'cd'],
    ['abcdef', 'cdef'],
    ['xabcd', 'cd'],
    ['bcd', 'cd'],
    ['dcba', 'a'],
    ['ab', ''],
  ])('goes on behind what was sent last: %s', (now, next) => {
    expect(page([...now], nextCursor, 9)).toEqual({ items: [...next] });
  });

  test('rejects the cursor if the item is gone', () => {
    expect(() => page(['a', 'c', 'd'], nextCursor, 2)).toThrow(CursorError);
  });
});

test('a list does not take cursors of others, unless it has the same entry', () => {
  const { nextCursor } = page([{ name: 'a' }, { name: 'b' }], undefined, 1);
  expect(() =>
    page(
      [
        { uri: 'x://a', name: 'a' },
        { uri: 'x://b', name: 'b' },
      ],
      nextCursor,
      1,
    ),
  ).toThrow(CursorError);
  expect(() => page([{ wire: { name: 'z' } }], nextCursor, 1)).toThrow(CursorError);
  expect(
    page([{ wire: { name: 'b' } }, { wire: { name: 'a' } }, { wire: { name: 'c' } }], nextCursor, 1).items,
  ).toEqual([{ wire: { name: 'c' } }]);
});
