import { TomlDate } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { configValueAt } from '../../../../src/engine/clients/edit/config-path.js';
import {
  ConfigError,
  type ConfigPath,
  type ConfigValue,
} from '../../../../src/engine/clients/edit/editor.js';
import { tomlEditor } from '../../../../src/engine/clients/edit/toml.js';

const editor = tomlEditor();

const servers = 'mcp_servers';
const entry = { command: 'npx', args: ['-y', 'w'], env: { A: '1' } };
const head = '[mcp_servers.w]\ncommand = "npx"\nargs = ["-y", "w"]';
const sub = '[mcp_servers.w.env]\nA = "1"';
const block = `${head}\n\n${sub}`;
const dense = `${head}\n${sub}`;
const inline = 'w = { command = "npx", args = ["-y", "w"], env = { A = "1" } }';
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

/** What a new entry looks like in every kind of neighbourhood. Each is taken out again, to the byte. */
const insertions: Record<string, readonly [before: string, after: string]> = {
  'nothing there': ['', `${block}\n`],
  'blank lines only': ['\n \n', `${block}\n\n \n`],
  'a comment only': ['# mine\n', `# mine\n\n${block}\n`],
  'a comment only, not ended': ['# mine', `# mine\n\n${block}`],
  'no servers yet': ['model = "x"\n\n[tui]\na = 1\n', `model = "x"\n\n[tui]\na = 1\n\n${block}\n`],
  'no final newline': ['model = "x"', `model = "x"\n\n${block}`],
  'blank lines at the end': ['model = "x"\n\n\n', `model = "x"\n\n${block}\n\n\n`],
  'a comment at the end': ['[tui]\n\n# the end\n', `[tui]\n\n# the end\n\n${block}\n`],
  'with CRLF': ['model = "x"\r\n', `model = "x"\r\n\r\n${crlf(block)}\r\n`],
  'with CRLF and LF': ['a = 1\r\nb = 2\n', `a = 1\r\nb = 2\r\n\r\n${crlf(block)}\n`],
  'after the last server': [
    '[mcp_servers.a]\nx = 1 # one\n\n[tui]\n',
    `[mcp_servers.a]\nx = 1 # one\n\n${block}\n\n[tui]\n`,
  ],
  'after the last of servers apart': [
    '[mcp_servers.a]\n\n[tui]\n\n[mcp_servers.b.env]\nB = "1"\n\n[z]\n',
    `[mcp_servers.a]\n\n[tui]\n\n[mcp_servers.b.env]\nB = "1"\n\n${block}\n\n[z]\n`,
  ],
  'after its comments': [
    '[mcp_servers.a]\nx = 1\n# y = 2\n\n# next\n[tui]\n',
    `[mcp_servers.a]\nx = 1\n# y = 2\n\n${block}\n\n# next\n[tui]\n`,
  ],
  'before the comments of the next': [
    '[mcp_servers.a]\nx = 1\n\n# part two\n\n# next\n[tui]\n',
    `[mcp_servers.a]\nx = 1\n\n${block}\n\n# part two\n\n# next\n[tui]\n`,
  ],
  'without blank lines': [
    'm = 1\n[mcp_servers.a]\nx = 1\n# next\n[tui]\n',
    `m = 1\n[mcp_servers.a]\nx = 1\n${dense}\n# next\n[tui]\n`,
  ],
  'a value over lines': [
    '[mcp_servers.a]\nargs = [\n  "x", # ]\n  # [tui]\n]\n\n[tui]\n',
    `[mcp_servers.a]\nargs = [\n  "x", # ]\n  # [tui]\n]\n\n${block}\n\n[tui]\n`,
  ],
  'a text that looks like a header': [
    'a = """\n[mcp_servers.w]\n# """\n[tui]\n',
    `a = """\n[mcp_servers.w]\n# """\n[tui]\n${dense}\n`,
  ],
  'a header in a comment': ['# [mcp_servers.w]\n[tui]\n', `# [mcp_servers.w]\n[tui]\n\n${block}\n`],
  'the header alone': ['[mcp_servers]\n\n[tui]\n', `[mcp_servers]\n\n${block}\n\n[tui]\n`],
  'a header with blanks and quotes': [
    '[ mcp_servers . "a b" ] # here\nx = 1\n\n[tui]\n',
    `[ mcp_servers . "a b" ] # here\nx = 1\n\n${block}\n\n[tui]\n`,
  ],
  'an escaped key': [
    '["mcp\\u005fservers".a]\nx = 1\n\n[tui]\n',
    `["mcp\\u005fservers".a]\nx = 1\n\n${block}\n\n[tui]\n`,
  ],
  'a table in between': ['[mcp_servers.a.b]\n\n[tui]\n', `[mcp_servers.a.b]\n\n${block}\n\n[tui]\n`],
  'dotted keys at the root': [
    'mcp_servers.a.command = "x" # dotted\n\n[tui]\n',
    `mcp_servers.a.command = "x" # dotted\n\n${block}\n\n[tui]\n`,
  ],
  'dotted keys below the header': [
    '[mcp_servers]\na.command = "x"\n\n[tui]\n',
    `[mcp_servers]\na.command = "x"\n\n${block}\n\n[tui]\n`,
  ],
  'inline tables below the header': [
    '[mcp_servers]\na = { command = "x" }\n',
    `[mcp_servers]\na = { command = "x" }\n\n${block}\n`,
  ],
  'an inline table': [
    'mcp_servers = { a = { x = 1 } } # all\n',
    `mcp_servers = { a = { x = 1 }, ${inline} } # all\n`,
  ],
  'a packed inline table': ['mcp_servers={a={}}', `mcp_servers={a={}, ${inline}}`],
  'an inline table of dotted keys': ['mcp_servers = { a.x = 1 }', `mcp_servers = { a.x = 1, ${inline} }`],
  'an empty inline table': ['mcp_servers = {}\n', `mcp_servers = { ${inline} }\n`],
  'an empty inline table with a blank': ['mcp_servers = { }\n', `mcp_servers = {  ${inline} }\n`],
  'an inline table over lines': [
    'mcp_servers = {\n  a = 1, # , }\n  b = 2, # two\n}',
    `mcp_servers = {\n  a = 1, # , }\n  b = 2, ${inline}, # two\n}`,
  ],
  'an inline table further out': [
    'x.mcp_servers = 1\nmcp_servers = { "w\\u0021" = "]" }',
    `x.mcp_servers = 1\nmcp_servers = { "w\\u0021" = "]", ${inline} }`,
  ],
  'lists of tables around': ['[[a]]\n\n[[a.b]]\n\n[[a]]\n', `[[a]]\n\n[[a.b]]\n\n[[a]]\n\n${block}\n`],
};

describe('a new entry', () => {
  test.each(Object.entries(insertions))('%s', (_, [before, after]) => {
    expect(editor.set(before, [servers, 'w'], entry)).toBe(after);
    expect(editor.set(after, [servers, 'w'], entry)).toBe(after);
    expect(editor.remove(after, [servers, 'w'])).toBe(before);
  });

  /** How keys and values are spelled. */
  const spellings: readonly [key: string, value: ConfigValue, text: string][] = [
    ['a b', {}, '[mcp_servers."a b"]'],
    ['a.b', {}, '[mcp_servers."a.b"]'],
    ['', {}, '[mcp_servers.""]'],
    ['we"ird\\né', {}, '[mcp_servers."we\\"ird\\\\né"]'],
    ['../x\n[y]', {}, '[mcp_servers."../x\\n[y]"]'],
    ['__proto__', { constructor: 'x' }, '[mcp_servers.__proto__]\nconstructor = "x"'],
    [
      'w',
      { a: 'q"\\\t\n\u0000\u007F\u2028é😀' },
      `[mcp_servers.w]\na = "q\\"\\\\\\t\\n\\u0000\\u007F\u2028é😀"`,
    ],
    [
      'w',
      { a: 5, b: 1.5, c: true, d: [], e: -0 },
      '[mcp_servers.w]\na = 5\nb = 1.5\nc = true\nd = []\ne = -0.0',
    ],
    ['w', { a: 2 ** 60, b: 1e300 }, '[mcp_servers.w]\na = 1152921504606847000.0\nb = 1e+300'],
    ['w', { a: NaN, b: Infinity, c: -Infinity }, '[mcp_servers.w]\na = nan\nb = inf\nc = -inf'],
    ['w', { l: [{ 'a b': {} }, ['x']] }, '[mcp_servers.w]\nl = [{ "a b" = {} }, ["x"]]'],
    [
      'w',
      { m: {}, n: { o: { p: 1 } }, a: 1 },
      '[mcp_servers.w]\na = 1\n\n[mcp_servers.w.m]\n\n[mcp_servers.w.n.o]\np = 1',
    ],
  ];

  test.each(spellings)('key %j', (key, value, text) => {
    const after = editor.set('', [servers, key], value);
    expect(after).toBe(`${text}\n`);
    expect(editor.remove(after, [servers, key])).toBe('');
  });
});

/** One value of an entry, in every form that the entry can have. Each new one is taken out again, to the byte. */
const values: Record<
  string,
  readonly [before: string, path: readonly string[], value: ConfigValue, after: string]
> = {
  'a value in place': [
    '[m.w]\ncommand = "x" # why\nargs = [\n  "a", # one\n]\n',
    ['args'],
    ['b'],
    '[m.w]\ncommand = "x" # why\nargs = ["b"]\n',
  ],
  'a new one, indented': [
    '[m.w]\n  command = "x" # why\n# more\n\n[z]\n',
    ['args'],
    ['b'],
    '[m.w]\n  command = "x" # why\n  args = ["b"]\n# more\n\n[z]\n',
  ],
  'the first one': ['[m.w] # here\n# mine\n', ['a'], 1, '[m.w] # here\na = 1\n# mine\n'],
  'at the end of the file': ['[m.w]\r\nb = 2', ['a'], 1, '[m.w]\r\nb = 2\r\na = 1'],
  'a variable in a sub-table': ['[m.w.env]\nA = "1"\n', ['env', 'B'], '2', '[m.w.env]\nA = "1"\nB = "2"\n'],
  'in a sub-table apart': [
    '[m.w]\na = 1\n\n[z]\n\n[m.w.env]\nA = "1"\n',
    ['env', 'A'],
    '2',
    '[m.w]\na = 1\n\n[z]\n\n[m.w.env]\nA = "2"\n',
  ],
  'the first variable': [
    '[m.w]\na = 1\n\n[z]\n',
    ['env', 'A'],
    '1',
    '[m.w]\na = 1\n\n[m.w.env]\nA = "1"\n\n[z]\n',
  ],
  'dotted keys': [
    'm.w.a = 1\nm.w.env.A = "1"\nm.z = 1\n',
    ['env', 'B'],
    '2',
    'm.w.a = 1\nm.w.env.A = "1"\nm.w.env.B = "2"\nm.z = 1\n',
  ],
  'dotted keys below a header': ['[m]\n"w".a = 1\nz = 1\n', ['b'], 2, '[m]\n"w".a = 1\nw.b = 2\nz = 1\n'],
  'a dotted key in place': ['[m]\nw . a = 1 # one\n', ['a'], 'x', '[m]\nw . a = "x" # one\n'],
  'an inline table': ['m.w = { a = 1 }\n', ['b'], [2], 'm.w = { a = 1, b = [2] }\n'],
  'an inline table in one': [
    'm = { w = { env = { A = "1" } } }\n',
    ['env', 'A'],
    '2',
    'm = { w = { env = { A = "2" } } }\n',
  ],
  'dotted keys in an inline table': [
    'm = { w.env.A = "1", z = 1 }\n',
    ['env', 'B'],
    '2',
    'm = { w.env.A = "1", z = 1, w.env.B = "2" }\n',
  ],
  'an inline table as the variables': [
    '[m.w]\nenv = {A="1"}\n',
    ['env', 'B'],
    '2',
    '[m.w]\nenv = {A="1", B = "2"}\n',
  ],
  'no header of its own': [
    '[m.w.tools.x]\na = 1\n\n[z]\n',
    ['command'],
    'x',
    '[m.w.tools.x]\na = 1\n\n[m.w]\ncommand = "x"\n\n[z]\n',
  ],
  'a table instead of a value': ['[m.w]\nenv = 1\n', ['env'], { A: '1' }, '[m.w]\nenv = { A = "1" }\n'],
  'a value instead of a table': [
    '[m.w]\na = 1\n\n[m.w.env]\nA = "1"\n\n[z]\n',
    ['env'],
    'x',
    '[m.w]\na = 1\nenv = "x"\n\n[z]\n',
  ],
  'a value instead of a list of tables': [
    '[m.w]\na = 1\n\n[[m.w.l]]\nA = "1"\n\n[[m.w.l]]\n',
    ['l'],
    ['x'],
    '[m.w]\na = 1\nl = ["x"]\n',
  ],
  'the whole, what is the same in it kept': [
    '[m.w]\ncommand = "x" # mine\nold = 1\n\n[z]\n\n[m.w.env]\nA = "1" # same\nOLD = "1"\n',
    [],
    { command: 'y', env: { A: '1', B: '2' }, new: 1 },
    '[m.w]\ncommand = "y" # mine\nnew = 1\n\n[z]\n\n[m.w.env]\nA = "1" # same\nB = "2"\n',
  ],
  'the whole, emptied': ['m.w.a = 1\nm.b = 2\n', [], {}, 'm.b = 2\n\n[m.w]\n'],
};

test.each(Object.entries(values))('set: %s', (_, [before, rest, value, after]) => {
  const path = ['m', 'w', ...rest];
  const isNew = configValueAt(editor.parse(before), path) === undefined;
  expect(editor.set(before, path, value)).toBe(after);
  expect(editor.set(after, path, value)).toBe(after);
  const made = before.includes('env') ? path : path.slice(0, 3);
  if (isNew) expect(editor.remove(after, made)).toBe(before);
});

test('at the root', () => {
  expect(editor.set('# mine\n[a]\n', ['x'], 1)).toBe('x = 1\n# mine\n[a]\n');
  expect(editor.set('# mine\n', ['x'], 1)).toBe('# mine\nx = 1\n');
  expect(editor.set('a = 1 # one\n\n[b]\n', ['x'], 1)).toBe('a = 1 # one\nx = 1\n\n[b]\n');
  expect(editor.set('', ['x'], 1)).toBe('x = 1\n');
});

/** What goes with a value of a user's own, and what stays. */
const removals: Record<string, readonly [before: string, path: readonly string[], after: string]> = {
  'comments inside, none above or below': [
    'a = 1\n\n# above\n[m.w] # w\n# in\nx = 1 # one\n\n# in\n[m.w.env]\nA = "1"\n# below\n\n# next\n[z]\n',
    ['m', 'w'],
    'a = 1\n\n# above\n# below\n\n# next\n[z]\n',
  ],
  'no comment moves to what stands above': [
    '[a]\nx = 1\n\n[m.w]\ny = 1\n# below\n\n[z]\n',
    ['m', 'w'],
    '[a]\nx = 1\n\n# below\n\n[z]\n',
  ],
  'the first of the file': ['[m.w]\nx = 1\n\n# next\n[z]\n', ['m', 'w'], '# next\n[z]\n'],
  'what is apart': [
    'm.w.a = 1\nm.v.a = 1\n\n[z]\n\n[m.w.env]\nA = "1"\n\n[m.v.env]\n\n[m.w.tools.x]\n',
    ['m', 'w'],
    'm.v.a = 1\n\n[z]\n\n[m.v.env]\n',
  ],
  'a value over lines': [
    '[m.w]\na = 1\nb = [ # b\n  2,\n] # b\nc = 3\n',
    ['m', 'w', 'b'],
    '[m.w]\na = 1\nc = 3\n',
  ],
  'the only line': ['a = 1', ['a'], ''],
  'the first member': ['m = { w = 1, a = 2 }', ['m', 'w'], 'm = { a = 2 }'],
  'a member in the middle': ['m = { a = 1, w = 1 , b = 2 }', ['m', 'w'], 'm = { a = 1, b = 2 }'],
  'members apart': ['m = { w.a = 1, b = 2, w.c = 3 }', ['m', 'w'], 'm = { b = 2 }'],
  'a member before a trailing comma': [
    'm = {\n  a = 1, # ,\n  w = 2,\n}',
    ['m', 'w'],
    'm = {\n  a = 1 # ,\n,\n}',
  ],
  'the only member, with a comma': ['m = { w = 1, }', ['m', 'w'], 'm = {}'],
  'the container, emptied': ['[m]\n\n[z]\n', ['m'], '[z]\n'],
  'the last value; its header stays': ['[m.w]\na = 1\n', ['m', 'w', 'a'], '[m.w]\n'],
};

test.each(Object.entries(removals))('remove: %s', (_, [before, path, after]) => {
  expect(editor.remove(before, path)).toBe(after);
});

/** What is not touched, why, and where that is. */
const refusals: Record<string, readonly [text: string, path: ConfigPath, message: string, at?: string]> = {
  'a list of tables': ['a = 1\n[[mcp_servers]]\n', [servers, 'w'], '"mcp_servers" is not a map.', '[[mcp'],
  'a value as container': ['a = 1\nmcp_servers = []\n', [servers, 'w'], '"mcp_servers" is not a map.', 'mcp'],
  'a date as container': ['mcp_servers = 07:32:00', [servers, 'w'], '"mcp_servers" is not a map.', 'mcp'],
  'a value as entry': ['[mcp_servers]\nw = 1', [servers, 'w', 'env', 'A'], '"w" is not a map.', 'w = 1'],
  'a table twice': [
    '[mcp_servers]\n[a]\n[mcp_servers]\n',
    [servers, 'w'],
    'Not valid TOML: trying to redefine an already defined table or value.',
    'mcp_servers]\n',
  ],
  'a key twice': [
    '"é" = "😀"\r\na = 1\r\na = 2',
    [servers, 'w'],
    'Not valid TOML: trying to redefine an already defined table or value.',
    'a = 2',
  ],
  'what one parser lets pass': [
    '[[mcp_servers.a.b]]\n[mcp_servers.a]\n[mcp_servers]\na.c = 1',
    [servers, 'w'],
    'Parsers of TOML disagree on this key',
    'a.c',
  ],
  'a dotted key below the header of a sub-table': [
    '[[mcp_servers.weather.mcp_servers]]\n[mcp_servers.weather.env]\n[ mcp_servers ]\nweather.args = {}',
    [servers, 'w'],
    'Parsers of TOML disagree on this key, since a sub-table of "weather" has a header above it.',
    'weather.args',
  ],
  'a text cut off': ['a = "x', [servers, 'w'], 'Not valid TOML: unfinished string.'],
  'a lone carriage return': ['a = 1\rb = 2', [servers, 'w'], 'Not valid TOML: '],
  'too deep': [
    `a = ${'['.repeat(600)}${']'.repeat(600)}`,
    [servers, 'w'],
    'It is nested deeper than 500 levels.',
  ],
  'an item of a list': ['a = [1]', ['a', 0], 'Items of lists are not edited in TOML.'],
  'the whole document': ['a = 1', [], 'The whole document is not replaced.', 'a'],
  'an empty header below a sub-table': [
    '[m.w.env]\n[m.w]\n',
    ['m', 'w', 'command'],
    '"w" has an empty header below its sub-tables.',
    '[m.w]',
  ],
};

/** A message may go on. */
test.each(Object.entries(refusals))('refused: %s', (_, [text, path, message, at]) => {
  const error = errorOf(() => editor.set(text, path, 'x'));
  expect(error.message.startsWith(message), error.message).toBe(true);
  if (at !== undefined) expect(text.slice(error.offset).startsWith(at), String(error.offset)).toBe(true);
});

test('refused: values without a TOML form', () => {
  expect(errorOf(() => editor.set('', ['a'], [null])).message).toBe('TOML has no null value.');
  expect(errorOf(() => editor.set('', ['a'], '\uD800')).message).toBe(
    'A lone surrogate cannot be written in TOML.',
  );
  expect(errorOf(() => editor.set('', ['\uDC00'], {})).message).toBe(
    'A lone surrogate cannot be written in TOML.',
  );
});

test('refused: removal of a missing key', () => {
  expect(errorOf(() => editor.remove('[a]\n', ['a', 'b'])).message).toBe('There is no "b" to remove.');
  expect(errorOf(() => editor.remove('', [servers, 'w'])).message).toBe('There is no "w" to remove.');
});

test('parse: plain data', () => {
  expect(editor.parse('')).toBe(undefined);
  expect(editor.parse('\n # none\n')).toBe(undefined);
  expect(editor.parse('[a]\nb = 1\nc = 9007199254740993\n__proto__ = [inf]\n')).toStrictEqual({
    a: { b: 1, c: 9007199254740993n, ['__proto__']: [Number.POSITIVE_INFINITY] },
  });
  expect(editor.parse('a = 1979-05-27')).toEqual({ a: new TomlDate('1979-05-27') });
});

function errorOf(edit: () => string): ConfigError {
  try {
    edit();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
