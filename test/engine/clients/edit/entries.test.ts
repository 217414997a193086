import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/engine/clients/edit/editor.js';
import {
  type EntryLocator,
  listEntryKeys,
  putEntry,
  readEntry,
  removeEntry,
} from '../../../../src/engine/clients/edit/entries.js';

const map: EntryLocator = { format: 'json', container: { path: ['mcpServers'], shape: 'map' }, key: 'w' };
const list: EntryLocator = { format: 'jsonc', container: { path: [], shape: 'list' }, key: 'w' };
const deep: EntryLocator = { ...map, container: { path: ['mcp', 'servers'], shape: 'map' } };

const strict = { comments: false, trailingCommas: false, bom: false };
const lenient = { comments: true, trailingCommas: true, bom: true };

describe('reading', () => {
  test('an entry is found where its client looks for it', async () => {
    expect(await readEntry('{"mcpServers":{"w":{"command":"a"}}}', map)).toEqual({ command: 'a' });
    expect(await readEntry('\uFEFF[{"name":"v"},{"name":"w"}]', list)).toEqual({ name: 'w' });
    expect(await readEntry('{"mcp":{"servers":{"w":{}}}}', deep)).toEqual({});
  });

  test('returns undefined for a value that is not an entry', async () => {
    const texts = ['', '{}', '{"mcpServers":null}', '{"mcpServers":[]}', '{"mcpServers":{"w":"x"}}', '[]'];
    for (const text of [null, ...texts]) expect(await readEntry(text, map)).toBeUndefined();
    expect(
      await readEntry('{}', { ...map, container: { path: [], shape: 'map' }, key: 'constructor' }),
    ).toBeUndefined();
    expect(await readEntry('{"w":{}}', list)).toBeUndefined();
  });

  test('keys are listed in order', async () => {
    expect(await listEntryKeys('{"mcpServers":{"b":1,"a":2}}', map)).toEqual(['b', 'a']);
    expect(await listEntryKeys('[{"name":"b"},{},"x",{"name":1},{"name":"a"}]', list)).toEqual(['b', 'a']);
    expect(await listEntryKeys('{"mcpServers":[]}', map)).toEqual([]);
    expect(await listEntryKeys('', map)).toEqual([]);
  });
});

describe('putting in', () => {
  test('creates a missing file from its template', async () => {
    expect(await putEntry(null, map, { command: 'a' })).toBe(
      '{\n  "mcpServers": {\n    "w": {\n      "command": "a"\n    }\n  }\n}\n',
    );
    const template = '{\n  "$schema": "x"\n}\n';
    expect(await putEntry(null, map, {}, { template })).toBe(
      '{\n  "$schema": "x",\n  "mcpServers": {\n    "w": {}\n  }\n}\n',
    );
    expect(await putEntry('', map, {}, { template })).not.toContain('$schema');
  });

  test('an entry of a list has its key as name', async () => {
    expect(await putEntry('[]', list, { a: 1 })).toBe('[\n  {\n    "name": "w",\n    "a": 1\n  }\n]');
    expect(await putEntry('[{"name":"w","a":1}]', list, { name: 'w', a: 2 })).toBe('[{"name":"w","a":2}]');
    await expect(putEntry('[]', list, { name: 'v' })).rejects.toThrow(ConfigError);
  });

  test('only what differs is touched', async () => {
    const before = `{ "mcpServers": {
  "w": {
    // mine
    "command" : "a", // yours
    "args": ["b",   "c"],
    "env": { "OLD": "1", "N" : 1.0 },
    "gone": { "x": 1 }
  }
} }`;
    const entry = { command: 'a', args: ['b'], env: { N: 1, NEW: '2' }, cwd: '/x' };
    const after = `{ "mcpServers": {
  "w": {
    // mine
    "command" : "a", // yours
    "args": ["b"],
    "env": { "N" : 1.0, "NEW": "2" },
    "cwd": "/x"
  }
} }`;
    expect(await putEntry(before, { ...map, format: 'jsonc' }, entry)).toBe(after);
  });

  test('leaves the file unchanged for an equal entry in any order', async () => {
    const text = '\uFEFF{"mcpServers":{"w":{"b":[1.0],"a":{}}},}';
    expect(await putEntry(text, map, { a: {}, b: [1] })).toBe(text);
  });

  test('an empty entry counts as none', async () => {
    expect(await putEntry('{"mcpServers":{"w":null}}', map, { a: 1 })).toBe('{"mcpServers":{"w":{"a":1}}}');
  });

  test('extras come where nothing is yet', async () => {
    const extras = [
      { path: ['version'], value: 1 },
      { path: ['schema'], value: 'v1' },
    ];
    expect(await putEntry('{"version":2,"schema":null}', map, {}, { extras })).toBe(
      '{"version":2,"schema":"v1","mcpServers":{"w":{}}}',
    );
    const whole = '{"version":2,"schema":"v0","mcpServers":{"w":{}}}';
    expect(await putEntry(whole, map, {}, { extras })).toBe(whole);
  });

  test('treats every key as data', async () => {
    const place = { ...map, key: '__proto__' };
    const after = await putEntry('{"mcpServers":{}}', place, { a: 1 });
    expect(after).toBe('{"mcpServers":{"__proto__":{"a":1}}}');
    expect(await readEntry(after, place)).toEqual({ a: 1 });
    expect(await removeEntry(after, place)).toBe('{"mcpServers":{}}');
    expect(await putEntry('{"mcpServers":{}}', { ...map, key: 'a"b/../\u2028' }, {})).toBe(
      `{"mcpServers":{"a\\"b/../\u2028":{}}}`,
    );
  });
});

describe('taking out', () => {
  test('keeps an empty container, or prunes it', async () => {
    const text = '{"a":1,"mcp":{"servers":{"w":{}}}}';
    expect(await removeEntry(text, deep)).toBe('{"a":1,"mcp":{"servers":{}}}');
    expect(await removeEntry(text, deep, { prune: true })).toBe('{"a":1}');
  });

  test('keeps a container that is not empty', async () => {
    const others = '{"mcp":{"timeout":1,"servers":{"w":{}}}}';
    expect(await removeEntry(others, deep, { prune: true })).toBe('{"mcp":{"timeout":1}}');
    const commented = '{\n  "mcpServers": {\n    // mine\n    "w": {}\n  }\n}';
    expect(await removeEntry(commented, map, { prune: true })).toBe(
      '{\n  "mcpServers": {\n    // mine\n  }\n}',
    );
  });

  test('changes nothing if the entry is missing', async () => {
    for (const text of ['', '{"mcpServers":[]}', '{"mcpServers":{"v":{}},}']) {
      expect(await removeEntry(text, map)).toBe(text);
    }
  });

  test('one of a list', async () => {
    expect(await removeEntry('[{"name":"v"},{"name":"w"},{"name":"x"}]', list)).toBe(
      '[{"name":"v"},{"name":"x"}]',
    );
    expect(await removeEntry('[{"name":"w"}]', list, { prune: true })).toBe('[]');
  });
});

describe('every syntax', () => {
  const at = (
    format: EntryLocator['format'],
    path: string[],
    shape: 'map' | 'list' = 'map',
  ): EntryLocator => ({
    format,
    container: { path, shape },
    key: 'w',
  });
  const texts: Record<string, readonly [text: string, place: EntryLocator]> = {
    json: ['{\n  "a": 1.0,\n  "mcpServers": {}\n}\n', at('json', ['mcpServers'])],
    jsonc: ['{ // a\r\n  "m": {\r\n    "v": {}, // v\r\n  },\r\n}', at('jsonc', ['m'])],
    toml: ['a = 1.0 # a\n\n[m.v]\ncommand = "v" # v\n\n# b\n[b]\nc = 1\n', at('toml', ['m'])],
    'toml with dotted keys': ['m.v.command = "v" # v\n\n[b]\nc = 1\n', at('toml', ['m'])],
    yaml: ['a: 1.0 # a\nm:\n  v:\n    command: v # v\n\n# b\nb: 1\n', at('yaml', ['m'])],
    'a list of yaml': ['m:\n- name: v # v\n# b\nb: 1\n', at('yaml', ['m'], 'list')],
  };

  test.each(Object.entries(texts))('%s: put in, brought up to date, taken out', async (_, [text, place]) => {
    const name = place.container.shape === 'list' ? { name: 'w' } : {};
    const first = { ...name, command: 'a', args: ['b'], env: { OLD: '1', SAME: '2' }, timeout: 300 };
    const next = { ...name, command: 'a', args: ['c', 'd'], env: { SAME: '2', NEW: '"3"' }, timeout: 300 };
    const put = await putEntry(`\uFEFF${text}`, place, first);
    expect(await readEntry(put, place)).toEqual(first);
    const updated = await putEntry(put, place, next);
    expect(await readEntry(updated, place)).toEqual(next);
    expect(await putEntry(updated, place, next)).toBe(updated);
    expect(await listEntryKeys(updated, place)).toContain('w');
    expect(await removeEntry(put, place)).toBe(`\uFEFF${text}`);
    expect(await removeEntry(updated, place)).toBe(`\uFEFF${text}`);
  });

  test('replaces a merged entry whole if it cannot be changed in place', async () => {
    const text = 'd: &d\n  enabled: true\nm:\n  w:\n    <<: *d\n    command: a\n  v: 1\n';
    const after = await putEntry(text, at('yaml', ['m']), { command: 'b' });
    expect(after).toBe('d: &d\n  enabled: true\nm:\n  w:\n    command: b\n  v: 1\n');
  });
});

describe('refusing', () => {
  const refusals: Record<string, readonly [text: string, place: EntryLocator, offset: number | undefined]> = {
    malformed: ['{"mcpServers":{', map, 15],
    'malformed after a BOM': ['\uFEFF{"mcpServers":{', map, 16],
    'a container of the wrong type': ['{"mcpServers":[]}', map, 14],
    'a container of the wrong type after a BOM': ['\uFEFF{"mcpServers":[]}', map, 15],
    'a root of the wrong type': ['[]', map, 0],
    'a map where a list is expected': ['{}', list, 0],
    'an entry of the wrong type': ['{"mcpServers":{"w":"x"}}', map, 19],
    'a container that occurs twice': ['{"mcpServers":{},"mcpServers":{}}', map, 17],
    'an entry that occurs twice': ['{"mcpServers":{"w":{},"w":{"b":1}}}', map, 22],
    'two entries of one name': ['[{"name":"w"},{"name":"w"}]', list, 14],
    'comments that the client cannot read': ['{} // x', { ...map, tolerance: strict }, 3],
    'comments that the client cannot read, after a BOM': [
      '\uFEFF{} // x',
      { ...map, tolerance: { ...strict, bom: true } },
      4,
    ],
    'a trailing comma that the client cannot read': ['{"a":1,}', { ...map, tolerance: strict }, 6],
    'a BOM that the client cannot read': ['\uFEFF{}', { ...map, tolerance: strict }, 0],
  };

  test.each(Object.entries(refusals))('%s', async (_, [text, place, offset]) => {
    const refusal = await putEntry(text, place, { a: 1 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal).toMatchObject({ offset });
  });

  test('reports positions in the original text', async () => {
    const extras = [{ path: ['version'], value: 1 }];
    const refusal = await putEntry('{"mcpServers":[],"a":1}', map, { a: 1 }, { extras }).catch(
      (error) => error,
    );
    expect(refusal).toMatchObject({ name: 'ConfigError', offset: 14 });
  });

  test('nothing that the client can read', async () => {
    const text = '\uFEFF{"a":1,} // x';
    expect(await putEntry(text, { ...map, tolerance: lenient }, {})).toContain('"mcpServers"');
    expect(await putEntry(text, map, {})).toContain('"mcpServers"');
  });
});
