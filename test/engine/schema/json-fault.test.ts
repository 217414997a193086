import { expect, test } from 'vitest';
import { findJsonFault } from '../../../src/engine/schema/json-fault.js';

test.for([
  ['', 1, 1, /empty/],
  ['{', 1, 2, /ends too early/],
  ['{"a": }', 1, 7, /a value is expected/],
  ['{\n  "type": object }', 2, 11, /a value is expected/],
  ['{"a": 1,}', 1, 9, /property name .* trailing comma/],
  ["{'a': 1}", 1, 2, /property name in double quotes/],
  ['{"a" 1}', 1, 6, /colon/],
  ['{"a": 1 "b": 2}', 1, 9, /comma/],
  ['[1, 2', 1, 6, /ends too early/],
  ['[1,]', 1, 4, /trailing comma/],
  ['[1}', 1, 3, /comma or a closing bracket/],
  ['{}\n\n x', 3, 2, /follows the end/],
  ['{"a": "b}', 1, 7, /string does not end/],
  ['{"a": "\t"}', 1, 7, /string does not end/],
  ['{"a": "\\x"}', 1, 7, /string does not end/],
  ['{"a": 01}', 1, 7, /a value is expected/],
  ['{"a": 1.}', 1, 7, /a value is expected/],
  ['{"a": nul}', 1, 7, /a value is expected/],
  ['{"ä": [true, {"b": null}], // no\n}', 1, 28, /property name/],
] as const)('%j stops being JSON at %i:%i', ([text, line, column, message]) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(findJsonFault(text)).toEqual({ line, column, message: expect.stringMatching(message) });
});

test('a text that is JSON but for its last character is read up to there', () => {
  const text = JSON.stringify(
    { a: [1, -2.5e3, 'x\n"\\', '\u007f', null, true, { b: [] }], c: {} },
    undefined,
    1,
  );
  expect(findJsonFault(`${text}]`)).toEqual({
    line: text.split('\n').length,
    column: 2,
    message: 'something follows the end of the value.',
  });
});
