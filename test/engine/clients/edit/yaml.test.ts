import { describe, expect, it, test } from 'vitest';
import {
  ConfigError,
  type ConfigPath,
  type ConfigValue,
} from '../../../../src/engine/clients/edit/editor.js';
import { yamlEditor } from '../../../../src/engine/clients/edit/yaml.js';
import { misleading, unlessRefused } from './yaml-documents.js';

const { parse, set, remove } = yamlEditor();

/** An entry as Goose has it, small. */
const entry = { name: 'w', enabled: true, args: ['-y', 'a b'], envs: { A: 'yes' }, env_keys: [] };

const key = ['extensions', 'w'];
const item = (index: number) => ['mcpServers', index];

/** Inserted, and taken out again without a trace. */
const insertions: readonly (readonly [name: string, path: ConfigPath, before: string, after: string])[] = [
  [
    'a block map, behind its last member',
    key,
    'extensions:\n  a:\n    x: 1\nz: 1\n',
    'extensions:\n  a:\n    x: 1\n  w:\n    name: w\n    enabled: true\n    args:\n      - -y\n      - a b\n    envs:\n      A: "yes"\n    env_keys: []\nz: 1\n',
  ],
  [
    'four columns, lists without indentation',
    key,
    'extensions:\n    a:\n        args:\n        - 1\n',
    'extensions:\n    a:\n        args:\n        - 1\n    w:\n        name: w\n        enabled: true\n        args:\n        - -y\n        - a b\n        envs:\n            A: "yes"\n        env_keys: []\n',
  ],
  [
    'a list in the column of its key',
    item(1),
    'mcpServers:\n- name: a # it\nrules: []\n',
    'mcpServers:\n- name: a # it\n- name: w\n  enabled: true\n  args:\n  - -y\n  - a b\n  envs:\n    A: "yes"\n  env_keys: []\nrules: []\n',
  ],
  [
    'a list with wide dashes',
    item(1),
    'mcpServers:\n    -   name: a\n',
    'mcpServers:\n    -   name: a\n    -   name: w\n        enabled: true\n        args:\n            -   -y\n            -   a b\n        envs:\n            A: "yes"\n        env_keys: []\n',
  ],
];

/** The same with an entry of one value, for what stands around it. */
const short: readonly (readonly [name: string, path: ConfigPath, before: string, after: string])[] = [
  [
    'comments: those further in stay with the container, those of the next key with that',
    key,
    'extensions:\n  a: 1 # a\n  # of extensions\n\n    # too\n\n# of z\nz: 1\n',
    'extensions:\n  a: 1 # a\n  # of extensions\n\n    # too\n  w: x\n\n# of z\nz: 1\n',
  ],
  [
    'comments: at the column of a list without indentation they are of the next key',
    item(1),
    'mcpServers:\n- a\n  # of a\n# of z\nz: 1\n',
    'mcpServers:\n- a\n  # of a\n- x\n# of z\nz: 1\n',
  ],
  [
    'blank lines between sections',
    key,
    'extensions:\n  a: 1\n\n\nz: 1\n',
    'extensions:\n  a: 1\n  w: x\n\n\nz: 1\n',
  ],
  ['no final line end', key, 'extensions:\n  a: 1', 'extensions:\n  a: 1\n  w: x'],
  ['a comment without line end', key, 'extensions:\n  a: 1\n  # c', 'extensions:\n  a: 1\n  # c\n  w: x'],
  [
    'carriage returns',
    key,
    'extensions:\r\n  a: 1\r\nz: 1\r\n',
    'extensions:\r\n  a: 1\r\n  w: x\r\nz: 1\r\n',
  ],
  ['carriage returns, no final line end', key, 'extensions:\r\n  a: 1', 'extensions:\r\n  a: 1\r\n  w: x'],
  [
    'document markers',
    key,
    '---\nextensions:\n  a: 1\n...\n# c\n',
    '---\nextensions:\n  a: 1\n  w: x\n...\n# c\n',
  ],
  [
    'a directive',
    key,
    '%YAML 1.1\n---\nextensions:\n  a: 1\n',
    '%YAML 1.1\n---\nextensions:\n  a: 1\n  w: x\n',
  ],
  [
    'a literal scalar at the end',
    key,
    'extensions:\n  a: |\n    t\n\nz: 1\n',
    'extensions:\n  a: |\n    t\n  w: x\n\nz: 1\n',
  ],
  [
    'a scalar that keeps its blank lines',
    key,
    'extensions:\n  a: |+\n    t\n\nz: 1\n',
    'extensions:\n  a: |+\n    t\n\n  w: x\nz: 1\n',
  ],
  [
    'a stripped scalar without final line end',
    key,
    'extensions:\n  a: >-\n    t',
    'extensions:\n  a: >-\n    t\n  w: x',
  ],
  [
    'an indentation indicator',
    key,
    'extensions:\n  a: |2\n      deep\n    t\n # c\n',
    'extensions:\n  a: |2\n      deep\n    t\n  w: x\n # c\n',
  ],
  ['a last member without value', key, 'extensions:\n  a:\n', 'extensions:\n  a:\n  w: x\n'],
  ['a last item without value', item(1), 'mcpServers:\n  -\n', 'mcpServers:\n  -\n  - x\n'],
  [
    'an anchor used elsewhere, a merge key inside',
    key,
    'b: &b {t: 1}\nextensions:\n  a:\n    <<: *b\nz: *b\n',
    'b: &b {t: 1}\nextensions:\n  a:\n    <<: *b\n  w: x\nz: *b\n',
  ],
  [
    'a merge key in the container',
    key,
    'b: &b {t: 1}\nextensions:\n  <<: *b\n',
    'b: &b {t: 1}\nextensions:\n  <<: *b\n  w: x\n',
  ],
  [
    'an anchor nobody uses, a tag of maps',
    key,
    'extensions: &e !!map\n  a: 1\n',
    'extensions: &e !!map\n  a: 1\n  w: x\n',
  ],
  ['complex keys beside it', key, 'extensions:\n  ? [a]\n  : 1\n', 'extensions:\n  ? [a]\n  : 1\n  w: x\n'],
  [
    'keys twice elsewhere',
    key,
    'a: 1\na: 2\nextensions:\n  b: 1\n',
    'a: 1\na: 2\nextensions:\n  b: 1\n  w: x\n',
  ],
  ['a quoted container key', key, '"extensions":\n  a: 1\n', '"extensions":\n  a: 1\n  w: x\n'],
  ['an indented root', key, '  extensions:\n    a: 1\n', '  extensions:\n    a: 1\n    w: x\n'],
  ['a root list in a list', [0, 1], '- - a\n- b\n', '- - a\n  - x\n- b\n'],
  ['an empty map', key, 'extensions: {} # none\nz: 1\n', 'extensions: # none\n  w: x\nz: 1\n'],
  ['an empty list', item(0), 'mcpServers: []   # nothing yet\n', 'mcpServers:   # nothing yet\n  - x\n'],
  ['an empty map at the end', key, 'extensions: {}', 'extensions:\n  w: x'],
  ['an empty map with comments', key, 'extensions: {}\n  # c\nz: 1\n', 'extensions:\n  # c\n  w: x\nz: 1\n'],
  ['an empty map after an anchor', key, 'extensions: &e {}\n', 'extensions: &e\n  w: x\n'],
  ['an empty map in a list', [0, 'w'], '- {} # c\n', '- w: x # c\n'],
  ['an empty map in a list after an anchor', [0, 'w'], '- &a {} # c\n', '- &a # c\n  w: x\n'],
  ['an empty document map', ['w'], '# c\n{}\n', '# c\nw: x\n'],
  ['a spaced empty map', key, 'extensions:  { }\n', 'extensions:  { w: x }\n'],
  ['an empty map on its own line', key, 'extensions:\n  {}\n', 'extensions:\n  {w: x}\n'],
  ['an empty list over lines', item(0), 'mcpServers: [\n  ]\n', 'mcpServers: [x\n  ]\n'],
  ['an empty list with a comment', item(0), 'mcpServers: [ # c\n  ]\n', 'mcpServers: [ x # c\n  ]\n'],
  ['a flow map', key, 'extensions: {a: 1} # c\n', 'extensions: {a: 1, w: x} # c\n'],
  ['a flow map with blanks', key, 'extensions: { a: 1 }\n', 'extensions: { a: 1, w: x }\n'],
  ['a flow map with a last comma', key, 'extensions: {a: 1, }\n', 'extensions: {a: 1, w: x, }\n'],
  ['a flow map of keys only', key, 'extensions: {a}\n', 'extensions: {a, w: x}\n'],
  ['a flow list', item(1), 'mcpServers: [{name: a}]\n', 'mcpServers: [{name: a}, x]\n'],
  [
    'a flow list over lines',
    item(1),
    'mcpServers: [\n    {name: a}   # a\n    # c\n  ]\n',
    'mcpServers: [\n    {name: a},   # a\n    # c\n    x\n  ]\n',
  ],
  [
    'a flow list over lines with a last comma',
    item(1),
    'mcpServers: [\n    {name: a}, # a\n  ]\n',
    'mcpServers: [\n    {name: a}, # a\n    x,\n  ]\n',
  ],
  ['JSON', key, '{"extensions": {"a": {}}}\n', '{"extensions": {"a": {}, "w": "x"}}\n'],
  ['JSON with an empty map', key, '{"extensions": {}}\n', '{"extensions": {"w": "x"}}\n'],
  [
    'a nested path',
    ['extensions', 'a', 'envs', 'NAME'],
    'extensions:\n  a:\n    envs:\n      M: 1\n    t: 1\n',
    'extensions:\n  a:\n    envs:\n      M: 1\n      NAME: x\n    t: 1\n',
  ],
  [
    'a key of a list item',
    ['mcpServers', 0, 'cmd'],
    'mcpServers:\n- name: a\n- name: b\n',
    'mcpServers:\n- name: a\n  cmd: x\n- name: b\n',
  ],
  [
    'a key of a map in a flow list',
    ['mcpServers', 0, 'cmd'],
    'mcpServers: [{name: a}, b]\n',
    'mcpServers: [{name: a, cmd: x}, b]\n',
  ],
  [
    'an item of arguments',
    ['extensions', 'a', 'args', 1],
    'extensions:\n  a: {args: [b]}\n',
    'extensions:\n  a: {args: [b, x]}\n',
  ],
];

/** Nothing, or nothing but a key: what is made then cannot be told from what was there. */
const makings: readonly (readonly [name: string, path: ConfigPath, before: string, after: string])[] = [
  ['an empty text', key, '', 'extensions:\n  w: x\n'],
  ['only comments', key, '# a\n\n# b', '# a\n\n# b\nextensions:\n  w: x'],
  ['only a marker', key, '--- # a\n', '--- # a\nextensions:\n  w: x\n'],
  ['both markers', item(0), '---\n# a\n...\n', '---\n# a\nmcpServers:\n  - x\n...\n'],
  ['a null document', key, 'null # c\n', ' # c\nextensions:\n  w: x\n'],
  ['a null document behind its marker', key, '--- ~\n', '---\nextensions:\n  w: x\n'],
  ['a key without value', key, 'extensions:\nz: 1\n', 'extensions:\n  w: x\nz: 1\n'],
  [
    'a key without value, with comments',
    key,
    'extensions: # c\n  # d\n\n# of z\nz: 1\n',
    'extensions: # c\n  # d\n  w: x\n\n# of z\nz: 1\n',
  ],
  ['a null value', key, 'extensions: null  # c\n', 'extensions:  # c\n  w: x\n'],
  ['a tilde', item(0), 'mcpServers: ~', 'mcpServers:\n  - x'],
  ['a key without value in a flow map', key, '{extensions: , b}\n', '{extensions: {w: x}, b}\n'],
  ['a key without colon in a flow map', key, '{extensions, b}\n', '{extensions: {w: x}, b}\n'],
  ['an item without value', ['mcpServers', 0, 'name'], 'mcpServers:\n-\n', 'mcpServers:\n- name: x\n'],
  [
    'an item with a comment only',
    ['mcpServers', 0, 'name'],
    'mcpServers:\n- # c\n',
    'mcpServers:\n- # c\n  name: x\n',
  ],
  ['no container', key, '# a\nb: 1\n# the end\n', '# a\nb: 1\n# the end\nextensions:\n  w: x\n'],
  ['no container, lists without indentation', item(0), 'models:\n- a\n', 'models:\n- a\nmcpServers:\n- x\n'],
  ['no container before an end marker', key, 'b: 1\n...\n', 'b: 1\nextensions:\n  w: x\n...\n'],
  ['no container in JSON', key, '{"a": 1}', '{"a": 1, "extensions": {"w": "x"}}'],
];

/** Replaced. */
const replacements: readonly (readonly [
  name: string,
  path: ConfigPath,
  value: ConfigValue,
  before: string,
  after: string,
])[] = [
  ['a scalar', ['a', 'cmd'], 'x y', 'a:\n  cmd:   "old"  # c\n  b: 1\n', 'a:\n  cmd:   x y  # c\n  b: 1\n'],
  ['a scalar over lines', ['a'], 1, 'a: "b\n  c" # c\nd: 1\n', 'a: 1 # c\nd: 1\n'],
  ['a block scalar', ['a'], 1, 'a: |- # c\n  b\nd: 1\n', 'a: 1\nd: 1\n'],
  ['a scalar on its own line', ['a'], 1, 'a:\n  # c\n  b # d\n', 'a:\n  # c\n  1 # d\n'],
  ['an anchored scalar', ['a'], 1, 'a: &b c\n', 'a: &b 1\n'],
  ['an alias', ['a'], 1, 'b: &b c\na: *b\n', 'b: &b c\na: 1\n'],
  ['a scalar by a map', ['a'], { b: 1 }, 'a: old # c\nd: 1\n', 'a: # c\n  b: 1\nd: 1\n'],
  ['an item by a map', [0], { b: 1, c: 2 }, '- old # c\n- d\n', '- b: 1\n  c: 2 # c\n- d\n'],
  ['a flow list', ['a'], ['b', 'c d'], 'a: [ "x",\n  y ] # c\n', 'a: ["b", "c d"] # c\n'],
  ['an empty list', ['a'], ['b'], 'a: []\nc: 1\n', 'a:\n  - b\nc: 1\n'],
  ['a list by an empty one', ['a'], [], 'a: # c\n- b\n- c\n# d\nd: 1\n', 'a: [] # c\n# d\nd: 1\n'],
  ['a list', ['a'], ['c'], 'a: # c\n- b # b\n- c\nd: 1\n', 'a: # c\n- c\nd: 1\n'],
  ['a list by a map', ['a'], { c: 1 }, 'a:\n- b\nd: 1\n', 'a:\n  c: 1\nd: 1\n'],
  [
    'a map',
    ['a'],
    { c: [1] },
    'a:\n    # of b\n    b: |\n        t\n\nd: 1\n',
    'a:\n    # of b\n    c:\n        - 1\n\nd: 1\n',
  ],
  ['a map at the end', ['a'], { c: 1 }, 'a:\n  b: 1', 'a:\n  c: 1'],
  ['a map in a list', [0], { c: 1, d: 2 }, '-   b: 1\n    x: 1\n- e\n', '-   c: 1\n    d: 2\n- e\n'],
  ['a map in a flow map', ['a', 'b'], { c: '-y' }, 'a: {b: {x: 1}, d: 1}\n', 'a: {b: {c: -y}, d: 1}\n'],
  ['by null', ['a'], null, 'a: 1\n', 'a: null\n'],
  ['the whole', [], { a: 1 }, '# c\nb: 1\n', '# c\na: 1\n'],
];

/** Taken out of what somebody else wrote. */
const removals: readonly (readonly [name: string, path: ConfigPath, before: string, after: string])[] = [
  [
    'the first',
    key,
    'extensions:\n  # w\n  w:\n    x: 1\n  # a\n  a: 1\n',
    'extensions:\n  # w\n  # a\n  a: 1\n',
  ],
  [
    'between others',
    key,
    'extensions:\n  a: 1\n  w: |\n    t\n  # b\n  b: 1\n',
    'extensions:\n  a: 1\n  # b\n  b: 1\n',
  ],
  [
    'the last, its comment too',
    key,
    'extensions:\n  a: 1\n  w: 1 # w\n\nz: 1\n',
    'extensions:\n  a: 1\n\nz: 1\n',
  ],
  ['the only one', key, 'extensions: # c\n  # d\n  w: 1\nz: 1\n', 'extensions: {} # c\n  # d\nz: 1\n'],
  ['the only one of the document', ['w'], '# c\nw:\n  a: 1\n# d\n', '# c\n{}\n# d\n'],
  ['the first key of an item', [0, 'w'], '- w: 1\n  a: 2\n', '- a: 2\n'],
  ['the first key of an item, comments behind it', [0, 'w'], '- w: 1 # c\n  a: 2\n', '- # c\n  a: 2\n'],
  ['the only key of an item', [0, 'w'], '- w: 1 # c\n', '- {} # c\n'],
  ['the first item', item(0), 'mcpServers:\n- name: a\n  b: 1\n# c\n- d\n', 'mcpServers:\n# c\n- d\n'],
  ['the first of a flow list', [0], '[a, b, c]\n', '[b, c]\n'],
  ['the middle of a flow list', [1], '[ a, b, c ]\n', '[ a, c ]\n'],
  ['the last of a flow list', [2], '[a, b, c]\n', '[a, b]\n'],
  ['the last of a flow list with a comma', [2], '[a, b, c,]\n', '[a, b,]\n'],
  ['the only one of a flow map', ['a'], '{ a: 1, }\n', '{ }\n'],
  ['the first line of a flow list', [0], '[\n  a, # a\n  b # b\n]\n', '[\n  b # b\n]\n'],
  ['the last line of a flow list', [1], '[\n  a, # a\n  b # b\n]\n', '[\n  a # a\n]\n'],
  ['the end of a line of a flow list', [1], '[a, b,\n  c]\n', '[a,\n  c]\n'],
  ['the beginning of the last line of a flow list', [1], 'k: [a,\n  b]\n'.slice(3), '[a\n  ]\n'],
  ['with an alias in it', ['w'], 'a: &a 1\nw: *a\n', 'a: &a 1\n'],
  ['with an anchor that only it uses', ['w'], 'w: [&a 1, *a]\nb: 1\n', 'b: 1\n'],
  ['behind a block scalar at the end', ['w'], 'a: |\n  t\nw: 1', 'a: |\n  t\n'],
];

/** Refused with this reason, here. */
const refusals: readonly (readonly [
  name: string,
  path: ConfigPath,
  text: string,
  reason: string,
  offset: number,
])[] = [
  ['malformed', key, 'a: [1\nb: 2\n', 'Not valid YAML', 6],
  ['a tab as indentation', key, 'a:\n\tb: 1\n', 'Tabs are not allowed as indentation', 3],
  ['an unknown alias', key, 'a: *b\n', 'no anchor for the alias *b', 3],
  ['an alias of itself', key, 'a: &a [*a]\n', 'refers to a value that contains it.', 7],
  ['an old line end', key, 'a: 1\rb: 2\n', 'carriage return', 4],
  ['several documents', key, 'a: 1\n---\nb: 1\n', 'second document', 5],
  ['a container that is a list', key, 'a: 1\nextensions: [b]\n', '"extensions" is not a map', 5],
  ['a container that is a map', item(0), 'mcpServers:\n  a: 1\n', '"mcpServers" is not a list', 0],
  ['a container that is text', key, 'extensions: text\n', '"extensions" is not a map', 0],
  ['a root that is a list', key, '- a\n', 'The whole file is not a map', 0],
  ['a place behind the end of a list', item(2), 'mcpServers: [a]\n', 'has no item 2', 0],
  ['an alias as container', key, 'b: &b {c: 1}\nextensions: *b\n', '"extensions" is an alias', 13],
  ['a container used elsewhere', key, 'extensions: &e\n  a: 1\nb: *e\n', 'alias *e would change', 25],
  ['a way used elsewhere', ['a', 'b', 'c'], 'a: &e {b: {d: 1}}\nz: {<<: *e}\n', 'alias *e would change', 26],
  ['a key from a merge', key, 'b: &b {w: 1}\nextensions:\n  <<: *b\n', '"w" comes from elsewhere', 13],
  ['a merge key', ['a', '<<'], 'm: &m {b: 1}\na:\n  <<: *m\n', '"<<" cannot be edited safely', 18],
  [
    'a container from a merge',
    key,
    'b: &b {extensions: {}}\n<<: *b\n',
    '"extensions" comes from elsewhere',
    0,
  ],
  ['a tag', key, 'extensions: !own\n  a: 1\n', '"extensions" has the tag !own', 0],
  ['a tag on null', key, 'extensions: !!null\n', 'has the tag', 0],
  ['the container twice', key, 'extensions: {}\na: 1\nextensions: {}\n', '"extensions" occurs twice', 20],
  ['the entry twice', key, 'extensions:\n  w: 1\n  "w": 2\n', '"w" occurs twice', 21],
  ['the key as an alias', key, 'b: &b w\nextensions:\n  *b : 1\n', '"w" is written as an alias', 22],
  [
    'the key as a number',
    ['extensions', '1'],
    'extensions:\n  1: 1\n',
    '"1" is written as an alias, or not as text',
    14,
  ],
  ['the key with a question mark', key, '? extensions\n: {a: 1}\n', 'question mark', 0],
  ['a key over lines', ['a b'], '{a\n  b}\n', '"a b" is written over several lines', 1],
  ['a pair without braces', [0, 'b'], '[a: 1]\n', 'map without braces', 1],
  ['a block scalar without line end', ['b'], 'a: |\n  t', 'final newline', 8],
];

describe('set', () => {
  test.each(insertions)('inserts into %s', (_, path, before, after) => {
    expect(set(before, path, entry)).toBe(after);
    expect(set(after, path, entry)).toBe(after);
    expect(remove(after, path)).toBe(before);
  });

  test.each(short)('inserts beside %s', (_, path, before, after) => {
    expect(set(before, path, 'x')).toBe(after);
    expect(set(after, path, 'x')).toBe(after);
    expect(remove(after, path)).toBe(before);
  });

  test.each(makings)('makes what is missing: %s', (_, path, before, after) => {
    expect(set(before, path, 'x')).toBe(after);
    expect(set(after, path, 'x')).toBe(after);
  });

  test.each(replacements)('replaces %s', (_, path, value, before, after) => {
    expect(set(before, path, value)).toBe(after);
    expect(set(after, path, value)).toBe(after);
  });

  test.each(refusals)('refuses %s', (_, path, text, reason, offset) => {
    const refusal = refusalOf(() => set(text, path, entry));
    expect(refusal.message).toContain(reason);
    expect(refusal.offset).toBe(offset);
  });

  it('refuses another kind of value after a tag', () => {
    expect(refusalOf(() => set('a: !!map\n  b: 1\n', ['a'], 'x')).message).toContain('"a" has the tag');
    expect(set('a: !!map\n  b: 1\n', ['a'], { c: 1 })).toBe('a: !!map\n  c: 1\n');
  });

  it('refuses a list that would begin elsewhere than at its first place', () => {
    expect(refusalOf(() => set('', item(1), 'x')).message).toContain('item 1');
  });

  test.each([900, 2_000, 20_000])('refuses %i levels of nesting or gets through them', (levels) => {
    const deep = `a: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;
    const edited = unlessRefused(() => set(deep, key, 'x'));
    expect([`${deep}extensions:\n  w: x\n`, undefined]).toContain(edited);
  });

  it('refuses aliases that double at every level', () => {
    const levels = Array.from(
      { length: 20 },
      (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`,
    );
    const refusal = refusalOf(() => set(`a0: &a0 [1, 1]\n${levels.join('')}`, key, 'x'));
    expect(refusal.message).toContain('Excessive alias count');
  });

  it('refuses half of a surrogate pair, which readers would choke on', () => {
    expect(refusalOf(() => set('', key, '\uD800')).message).toContain('surrogate');
  });
});

describe('remove', () => {
  test.each(removals)('takes out %s', (_, path, before, after) => {
    expect(remove(before, path)).toBe(after);
  });

  test.each([
    ['what is not there', key, 'extensions:\n  a: 1\n', 'There is no "w"', undefined],
    ['what an empty document has not', key, '# c\n', 'There is no "w"', undefined],
    ['an anchor used elsewhere', key, 'extensions:\n  w: &w 1\nz: *w\n', 'alias *w would change', 25],
    [
      'what a merge key would put back',
      ['a', 'b'],
      'm: &m {b: 1}\na:\n  <<: *m\n  b: 2\n',
      '"b" cannot be edited safely',
      27,
    ],
    [
      'what parts a comment from a scalar that would swallow it',
      ['w'],
      'a: |\n  t\nw: 1\n  # c\nz: 1\n',
      '"w" cannot be edited safely',
      9,
    ],
  ] as const)('refuses %s', (_, path, text, reason, offset) => {
    const refusal = refusalOf(() => remove(text, path));
    expect(refusal.message).toContain(reason);
    expect(refusal.offset).toBe(offset);
  });
});

describe('parse', () => {
  test.each([
    ['nothing', '', undefined],
    ['comments and markers', '--- # a\n# b\n...\n', undefined],
    ['null', '~\n', null],
    ['merge keys', 'a: &a {b: 1}\nc:\n  <<: *a\n  d: 2\n', { a: { b: 1 }, c: { b: 1, d: 2 } }],
    ['keys that are no text', '1: a\nnull: b\n[c]: d\n', { 1: 'a', '': 'b', '["c"]': 'd' }],
    ['keys twice', 'a: 1\na: 2\n', { a: 2 }],
  ])('reads %s', (_, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it('takes __proto__ for a key like any other', () => {
    const data = parse('extensions:\n  __proto__:\n    cmd: x\n  a: {<<: {__proto__: 1}}\n') as Record<
      string,
      object
    >;
    expect(Object.keys(data.extensions!)).toEqual(['__proto__', 'a']);
    expect(JSON.stringify(data)).toBe('{"extensions":{"__proto__":{"cmd":"x"},"a":{"__proto__":1}}}');
    expect(set('extensions:\n  a: 1\n', ['extensions', '__proto__', 'constructor'], { cmd: 'x' })).toBe(
      'extensions:\n  a: 1\n  __proto__:\n    constructor:\n      cmd: x\n',
    );
  });
});

describe('text', () => {
  test.each(misleading)('%j is quoted as value, item and key, in block and flow form', (text) => {
    const quoted = /"(?:[^"\\]|\\.)*"/;
    for (const before of ['z: 1\n', '{z: 1}\n']) {
      for (const value of [text, [text], { [text]: 1 }]) {
        const after = set(before, ['a'], value);
        expect(after).toMatch(quoted);
        expect(parse(after)).toEqual({ z: 1, a: value });
      }
    }
  });

  test.each(['npx', '-y', '--flag=1', '/usr/bin/x', 'a b', 'acme/weather', 'MCP_APPS_ENABLED', 'a-b.c@1'])(
    '%j is not quoted',
    (text) => expect(set('', ['a'], text)).toBe(`a: ${text}\n`),
  );

  it('is never folded', () => {
    const long = 'word '.repeat(60).trimEnd();
    expect(set('', ['a'], { b: long })).toBe(`a:\n  b: ${long}\n`);
  });

  it('spells numbers so that YAML 1.1 takes them for numbers too', () => {
    expect(set('', ['a'], [1e21, -1.5e-7, 300])).toBe('a:\n  - 1.0e+21\n  - -1.5e-7\n  - 300\n');
  });
});

function refusalOf(edit: () => unknown): ConfigError {
  try {
    edit();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
