import { expect, it } from 'vitest';
import {
  detectLineEnd,
  endOfLine,
  indentAt,
  startOfLine,
} from '../../../../src/engine/clients/edit/text-lines.js';

it.each([
  ['', 0, 0, 0],
  ['\n', 0, 0, 0],
  ['\na', 1, 1, 2],
  ['a\r\nb', 1, 0, 1],
  ['a\r\nb', 3, 3, 4],
  ['ab', 1, 0, 2],
])('the line of %j at %d goes from %d to %d', (text, offset, start, end) => {
  expect([startOfLine(text, offset), endOfLine(text, offset)]).toEqual([start, end]);
});

it.each([
  ['', '\n'],
  ['a\nb\r\n', '\n'],
  ['a\r\nb\n', '\r\n'],
  ['a\nb\r\nc\r\n', '\r\n'],
  ['a\r\nb\nc\n', '\n'],
])('the lines of %j end with %j', (text, end) => expect(detectLineEnd(text)).toBe(end));

it('the blanks before a line are its indentation', () => expect(indentAt('a\n \t b', 5)).toBe(' \t '));
