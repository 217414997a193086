import { describe, expect, test } from 'vitest';
import type { SyntaxTolerance } from '../../../../src/engine/clients/client.js';
import {
  ConfigError,
  type ConfigPath,
  type ConfigValue,
} from '../../../../src/engine/clients/edit/editor.js';
import { findUnsupportedSyntax, jsonEditor } from '../../../../src/engine/clients/edit/json.js';

const editor = jsonEditor();

/** What a new last member looks like in every kind of neighbourhood. Each is taken out again, to the byte. */
const insertions: Record<string, readonly [before: string, after: string]> = {
  'after the last, in its style': ['{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "w": {\n    "x": 1\n  }\n}\n'],
  'with tabs': ['{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"w": {\n\t\t"x": 1\n\t}\n}'],
  'three blanks deep': [
    '{\n   "a": [\n      1\n   ]\n}',
    '{\n   "a": [\n      1\n   ],\n   "w": {\n      "x": 1\n   }\n}',
  ],
  'with CRLF': ['{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "w": {\r\n    "x": 1\r\n  }\r\n}\r\n'],
  'with a trailing comma': ['{\n  "a": 1,\n}', '{\n  "a": 1,\n  "w": {\n    "x": 1\n  },\n}'],
  'the comma before a comment': [
    '{\n  "a": 1 // one\n}',
    '{\n  "a": 1, // one\n  "w": {\n    "x": 1\n  }\n}',
  ],
  'after what is commented out': [
    '{\n  "a": 1, // one\n  // "b": 2,\n}',
    '{\n  "a": 1, // one\n  // "b": 2,\n  "w": {\n    "x": 1\n  },\n}',
  ],
  'before a comment on the closing line': [
    '{\n  "a": 1\n/* end */ }',
    '{\n  "a": 1,\n  "w": {\n    "x": 1\n  }\n/* end */ }',
  ],
  'on one line': ['{ "a": 1 }', '{ "a": 1, "w": { "x": 1 } }'],
  'on one line without padding': ['{"a": 1}', '{"a": 1, "w": {"x": 1}}'],
  packed: ['{"a":1}', '{"a":1,"w":{"x":1}}'],
  'on one line with a trailing comma': ['{ "a": 1, }', '{ "a": 1, "w": { "x": 1 }, }'],
  'the last on the line of the first': [
    '{ "a": 1,\n  "b": 2 // two\n}',
    '{ "a": 1,\n  "b": 2, // two\n  "w": {\n    "x": 1\n  }\n}',
  ],
  'commas that lead': [
    '{\n    "a": 1\n  , "b": 2\n}',
    '{\n    "a": 1\n  , "b": 2,\n    "w": {\n        "x": 1\n    }\n}',
  ],
  'nothing there': ['{}', '{\n  "w": {\n    "x": 1\n  }\n}'],
  'a blank there': ['{ }', '{ \n  "w": {\n    "x": 1\n  }\n}'],
  'an empty line there': ['{\n}', '{\n\n  "w": {\n    "x": 1\n  }\n}'],
  'more of them': ['{\n\n}', '{\n  "w": {\n    "x": 1\n  }\n\n}'],
  'a comment there': ['{\n  // none yet\n}', '{\n  // none yet\n  "w": {\n    "x": 1\n  }\n}'],
  'a comment before the bracket': ['// mine\n{}\n', '// mine\n{\n  "w": {\n    "x": 1\n  }\n}\n'],
};

describe('inserting', () => {
  test.each(Object.entries(insertions))('%s', (_, [before, after]) => {
    expect(editor.set(before, ['w'], { x: 1 })).toBe(after);
    expect(editor.remove(after, ['w'])).toBe(before);
  });

  /** Where what leads to the value is missing too. */
  const onTheWay: readonly [before: string, path: ConfigPath, after: string][] = [
    ['', ['m', 'w'], '{\n  "m": {\n    "w": 1\n  }\n}\n'],
    ['\n \n', ['w'], '\n \n{\n  "w": 1\n}\n'],
    ['// mine', ['w'], '// mine\n{\n  "w": 1\n}\n'],
    ['/* mine */\r\n', ['w'], '/* mine */\r\n{\r\n  "w": 1\r\n}\r\n'],
    ['', [0], '[\n  1\n]\n'],
    ['null', ['w'], '{\n  "w": 1\n}'],
    ['{\n  "m": null\n}', ['m', 'w'], '{\n  "m": {\n    "w": 1\n  }\n}'],
    ['{"m":null}', ['m', 'w'], '{"m":{"w":1}}'],
    ['{"m":{}}', ['m', 'w'], '{"m":{"w":1}}'],
    ['{ "m": {} }', ['m', 'n', 'w'], '{ "m": { "n": { "w": 1 } } }'],
    ['{\n  "m": {}\n}', ['m', 'w'], '{\n  "m": {\n    "w": 1\n  }\n}'],
    ['[\n  1\n]', [1], '[\n  1,\n  1\n]'],
    ['{"\\u006d":{"a":2}}', ['m', 'w'], '{"\\u006d":{"a":2,"w":1}}'],
    ['{}', ['__proto__', 'w'], '{\n  "__proto__": {\n    "w": 1\n  }\n}'],
    [
      '{\n  "a.b": {}, "a": { "b": {} }\n}',
      ['a.b', 'w'],
      '{\n  "a.b": {\n    "w": 1\n  }, "a": { "b": {} }\n}',
    ],
  ];

  test.each(onTheWay)('%j at %j', (before, path, after) => {
    expect(editor.set(before, path, 1)).toBe(after);
  });
});

describe('replacing', () => {
  const replacements: readonly [before: string, path: ConfigPath, value: ConfigValue, after: string][] = [
    ['{ "a": 1.0, "b": 2 }', ['b'], 3, '{ "a": 1.0, "b": 3 }'],
    ['{\n  "a": ["x"] // one\n}', ['a'], ['y', 'z'], '{\n  "a": ["y", "z"] // one\n}'],
    ['{\n  "a": [\n    1\n  ]\n}', ['a'], [2], '{\n  "a": [\n    2\n  ]\n}'],
    ['{\n  "a": "x"\n}', ['a'], { b: [] }, '{\n  "a": {\n    "b": []\n  }\n}'],
    ['{"a":{"b":1}}', ['a'], { c: { d: 1 }, e: {} }, '{"a":{"c":{"d":1},"e":{}}}'],
    ['[1, 2]', [0], 'x', '["x", 2]'],
    ['1', [], [true], '[\n  true\n]'],
  ];

  test.each(replacements)('%j at %j with %j', (before, path, value, after) => {
    expect(editor.set(before, path, value)).toBe(after);
  });
});

describe('taking out', () => {
  /** What people write themselves. */
  const removals: readonly [before: string, after: string][] = [
    ['{\n  "w": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
    [
      '{\n  // about w\n  "w": 1, // more\n  // about b\n  "b": 2\n}',
      '{\n  // about w\n  // about b\n  "b": 2\n}',
    ],
    [
      '{\n  "a": 1, // about a\n  "w": 1, // about w\n  "b": 2 // about b\n}',
      '{\n  "a": 1, // about a\n  "b": 2 // about b\n}',
    ],
    ['{\n  "a": 1, // about a\n  "w": 1 // about w\n}', '{\n  "a": 1 // about a\n}'],
    ['{\n    "a": 1\n  , "w": 1\n  , "b": 2\n}', '{\n    "a": 1\n  , "b": 2\n}'],
    ['{\n    "a": 1\n  , "w": 1\n  // about b\n  , "b": 2\n}', '{\n    "a": 1\n  // about b\n  , "b": 2\n}'],
    ['{\n  "w": 1\n  // about b\n  , "b": 2\n}', '{\n  // about b\n   "b": 2\n}'],
    ['{ "a": 1, // about a\n"w": 1 }', '{ "a": 1 // about a\n }'],
    ['{ "a": 1, // about a\n"w": 1, "b": 2 }', '{ "a": 1, // about a\n "b": 2 }'],
    ['{ "a": 1 // about a\n, "w": 1 }', '{ "a": 1 // about a\n }'],
    ['{ "a": 1, "w": 1, /* about b */ "b": 2 }', '{ "a": 1, /* about b */ "b": 2 }'],
    ['{ "w": 1, "b": 2 }', '{ "b": 2 }'],
    ['{ "w": 1 }', '{}'],
    ['{ "w": 1, }', '{}'],
    ['{\n  "w": 1,\n}', '{}'],
    ['{\n  "w": 1 // about w\n}', '{}'],
    ['{\n  "w": 1,\n  // "b": 2\n}', '{\n  // "b": 2\n}'],
    ['{ // mine\n  "w": 1 }', '{ // mine\n   }'],
  ];

  test.each(removals)('%j', (before, after) => {
    expect(editor.remove(before, ['w'])).toBe(after);
    expect(() => editor.parse(after)).not.toThrow();
  });

  test('an item of a list', () => {
    expect(editor.remove('[1, 2, 3]', [1])).toBe('[1, 3]');
    expect(editor.remove('[\n  1,\n  2\n]', [1])).toBe('[\n  1\n]');
  });
});

describe('refusing', () => {
  const refusals: readonly [text: string, path: ConfigPath, offset: number][] = [
    ['{"a":1', ['w'], 6],
    ['{"a":1}}', ['w'], 7],
    ['{"a":1 "b":2}', ['w'], 7],
    ['{"a":1,,}', ['w'], 7],
    ['{,}', ['w'], 1],
    ["{'a':1}", ['w'], 1],
    ['{"a":1} /* open', ['w'], 8],
    ['{"a":"\n"}', ['w'], 5],
    ['{"a":01}', ['w'], 6],
    ['\u00A0{}', ['w'], 0],
    ['{"m":[]}', ['m', 'w'], 5],
    ['{"m":"x"}', ['m', 'w'], 5],
    ['[]', ['w'], 0],
    ['{"m":{}}', ['m', 0], 5],
    ['[1]', [2], 0],
    ['{"m":{},"\\u006d":{}}', ['m', 'w'], 8],
    ['{"w":1,"w":2}', ['w'], 7],
    [`${'['.repeat(501)}${']'.repeat(501)}`, ['w'], 500],
    ['['.repeat(200_000), ['w'], 500],
  ];

  test.each(refusals)('%.40j at %j', (text, path, offset) => {
    expect(() => editor.set(text, path, 1)).toThrow(ConfigError);
    expect(catchError(() => editor.set(text, path, 1))).toMatchObject({ offset });
    expect(() => editor.remove(text, path)).toThrow(ConfigError);
  });

  test('duplicates elsewhere do not matter', () => {
    expect(editor.set('{"a":1,"a":2}', ['w'], 3)).toBe('{"a":1,"a":2,"w":3}');
  });

  test('rejects the removal of a missing key', () => {
    for (const path of [['w'], ['m', 'w'], ['n', 'w'], []]) {
      expect(() => editor.remove('{"m":{},"n":null}', path)).toThrow(ConfigError);
    }
  });
});

describe('parsing', () => {
  test('treats every key as data', () => {
    const parsed = editor.parse('{"__proto__": {"x": 1}, "a": 1, "a": 2}');
    expect(Object.keys(parsed as object)).toEqual(['__proto__', 'a']);
    expect(parsed).toMatchObject({ a: 2 });
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  test('nothing but blanks and comments has no value', () => {
    for (const text of ['', ' \r\n', '// x', '/* x */\n']) expect(editor.parse(text)).toBeUndefined();
  });
});

describe('syntax that a client cannot read', () => {
  const all: SyntaxTolerance = { comments: true, trailingCommas: true, bom: true };
  const found: readonly [text: string, tolerance: SyntaxTolerance, offset: number | undefined][] = [
    ['{"a": "// no comment, }"}', { ...all, comments: false, trailingCommas: false }, undefined],
    ['{"a": 1, /* x */ }', all, undefined],
    ['{"a": 1} // x', { ...all, comments: false }, 9],
    ['/* x */ {}', { ...all, comments: false }, 0],
    ['{"a": [1,\n], // x\n}', { ...all, trailingCommas: false }, 8],
    ['{"a": 1, // x\n}', { ...all, trailingCommas: false }, 7],
    ['[1, 2]', { ...all, trailingCommas: false }, undefined],
  ];

  test.each(found)('%j with %j', (text, tolerance, offset) => {
    expect(findUnsupportedSyntax(text, tolerance)?.offset).toBe(offset);
    expect(findUnsupportedSyntax(text, tolerance)).toEqual(
      offset === undefined ? undefined : expect.any(ConfigError),
    );
  });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
