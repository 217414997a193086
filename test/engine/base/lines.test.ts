import { Buffer } from 'node:buffer';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { LineSplitter } from '../../../src/engine/base/lines.js';

const overlong = Symbol('overlong');

function split(chunks: readonly (string | Buffer)[], maxBytes = 1024): (string | symbol)[] {
  const seen: (string | symbol)[] = [];
  const lines = new LineSplitter({
    maxBytes,
    onLine: (line) => seen.push(line),
    onOverlong: () => seen.push(overlong),
  });
  for (const chunk of chunks) lines.push(Buffer.from(chunk as string));
  lines.end();
  return seen;
}

const euro = Buffer.from('€\n');

const cases: Record<string, [readonly (string | Buffer)[], readonly (string | symbol)[]]> = {
  'one line': [['a\n'], ['a']],
  'several lines in one chunk': [['a\nb\n\nc\n'], ['a', 'b', '', 'c']],
  'a line split anywhere': [
    ['a', 'b', 'c\nd', '\n'],
    ['abc', 'd'],
  ],
  'a character split between chunks': [[euro.subarray(0, 1), euro.subarray(1, 2), euro.subarray(2)], ['€']],
  'a byte order mark at the very start': [['\uFEFFa\n\uFEFFb\n'], ['a', '\uFEFFb']],
  'a last line without a newline': [['a\nb'], ['a', 'b']],
  'nothing at all': [[], []],
};

describe('a byte stream is cut into lines', () => {
  test.each(Object.entries(cases))('%s', (_, [chunks, lines]) => {
    expect(split(chunks)).toEqual(lines);
  });
});

describe('a line above the limit is reported once and skipped up to its newline', () => {
  test.each([
    ['in one chunk', ['123456\nok\n']],
    ['in many chunks', ['123', '456', '789', '\nok\n']],
    ['ended by a chunk', ['12345', '6\nok\n']],
  ])('%s', (_, chunks) => {
    expect(split(chunks, 5)).toEqual([overlong, 'ok']);
  });

  test('a line of exactly the bound is read', () => {
    expect(split(['12345\n'], 5)).toEqual(['12345']);
  });
});

test('a long line is joined once, at its end', () => {
  const joins = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => joins.mockRestore());
  const found: number[] = [];
  const lines = new LineSplitter({
    maxBytes: Number.MAX_SAFE_INTEGER,
    onLine: (line) => void found.push(line.length),
    onOverlong: () => {},
  });
  const chunk = Buffer.alloc(1024, 'x');
  for (let count = 0; count < 4000; count += 1) lines.push(chunk);
  expect(joins).not.toHaveBeenCalled();
  lines.push(Buffer.from('\n'));
  expect(joins).toHaveBeenCalledTimes(1);
  expect(found).toEqual([4000 * 1024]);
});
