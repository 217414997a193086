import { describe, expect, test } from 'vitest';
import {
  type Splice,
  spliceBetween,
  undoMovedSplice,
  undoSplice,
} from '../../../../src/engine/clients/edit/splice.js';

describe('between two texts', () => {
  const splices: readonly [before: string, after: string, splice: Splice][] = [
    ['abc', 'abXc', { offset: 2, removed: '', inserted: 'X' }],
    ['abXc', 'abc', { offset: 2, removed: 'X', inserted: '' }],
    ['', 'abc', { offset: 0, removed: '', inserted: 'abc' }],
    ['abc', 'abc', { offset: 3, removed: '', inserted: '' }],
    ['aa', 'aaa', { offset: 2, removed: '', inserted: 'a' }],
    ['null', '{}', { offset: 0, removed: 'null', inserted: '{}' }],
    ['🌙', '🌘', { offset: 0, removed: '🌙', inserted: '🌘' }],
    ['\u{1F319}', '\u{1F719}', { offset: 0, removed: '\u{1F319}', inserted: '\u{1F719}' }],
    ['\u{1F319}', '\u{2F319}', { offset: 0, removed: '\u{1F319}', inserted: '\u{2F319}' }],
    ['a\r\nb', 'a\rb', { offset: 1, removed: '\r\n', inserted: '\r' }],
    ['a\nb', 'a\r\nb', { offset: 1, removed: '\n', inserted: '\r\n' }],
  ];

  test.each(splices)('%j and %j', (before, after, splice) => {
    expect(spliceBetween(before, after)).toEqual(splice);
  });
});

describe('undoing in a text that has changed', () => {
  const inserted = '"weather": { "command": "npx" },';
  const splice: Splice = { offset: 2, removed: 'x', inserted };

  test('elsewhere: as if nothing had been', () => {
    expect(undoSplice(`{ ${inserted} }  `, splice)).toBe('{ x }  ');
  });

  test('where it was put: not at all', () => {
    for (const text of ['', '{', `{${inserted}}`, '{ "weather": 1 }']) {
      expect(undoSplice(text, splice)).toBeUndefined();
    }
  });

  test('moved: at the new position, if the text occurs once', () => {
    expect(undoMovedSplice(`{ "a": 1, ${inserted} }`, splice)).toBe('{ "a": 1, x }');
    expect(undoMovedSplice(`{ ${inserted} ${inserted} }`, splice)).toBeUndefined();
    expect(undoMovedSplice('{ "a": 1 }', splice)).toBeUndefined();
  });

  test('moved, but too short to be sure', () => {
    expect(undoMovedSplice('a, "b"', { offset: 0, removed: '', inserted: '"b"' })).toBeUndefined();
  });
});
