import { describe, expect, test } from 'vitest';
import type { ConfigEntry } from '../../../../src/engine/clients/edit/editor.js';
import { isIntact, isMap, mergeEntry, sameValue } from '../../../../src/engine/clients/edit/merge-entry.js';

const hostile = JSON.parse('{ "__proto__": { "x": 1 } }') as ConfigEntry;

describe('an entry of AgentTools, written again', () => {
  const merges: Record<
    string,
    readonly [current: ConfigEntry, next: ConfigEntry, previous: ConfigEntry, merged: ConfigEntry]
  > = {
    'what we write wins': [{ command: 'edited' }, { command: 'new' }, { command: 'old' }, { command: 'new' }],
    'what we no longer write goes': [
      { command: 'a', cwd: '/x' },
      { command: 'a' },
      { command: 'a', cwd: '/y' },
      { command: 'a' },
    ],
    'fields of the user stay': [
      { disabled: true, command: 'a' },
      { command: 'b' },
      { command: 'a' },
      { disabled: true, command: 'b' },
    ],
    'names of the user stay': [
      { env: { TOKEN: 't', OURS: '1', OLD: '2' } },
      { env: { OURS: '3', NEW: '4' } },
      { env: { OURS: '1', OLD: '2' } },
      { env: { TOKEN: 't', OURS: '3', NEW: '4' } },
    ],
    'names of the user stay when we write none': [
      { env: { TOKEN: 't', OURS: '1' } },
      {},
      { env: { OURS: '1' } },
      { env: { TOKEN: 't' } },
    ],
    'a map of ours alone goes': [{ env: { OURS: '1' } }, {}, { env: { OURS: '1' } }, {}],
    'an empty map that we write stays': [
      { env: { OURS: '1' } },
      { env: {} },
      { env: { OURS: '1' } },
      { env: {} },
    ],
    'a map of the user is joined': [
      { env: { TOKEN: 't' } },
      { env: { OURS: '1' } },
      {},
      { env: { TOKEN: 't', OURS: '1' } },
    ],
    'at any depth': [
      { env: { b: { mine: 1, old: 1 } } },
      { env: { b: { new: 1 } } },
      { env: { b: { old: 1 } } },
      { env: { b: { mine: 1, new: 1 } } },
    ],
    'what the user set of a setting of ours stays': [
      { command: 'a', disabled: true, timeout: 5, tools: ['x'] },
      { command: 'b', disabled: false, timeout: 300, tools: ['*'], more: 1 },
      { command: 'a', disabled: false, timeout: 300, tools: ['*'] },
      { command: 'b', disabled: true, timeout: 5, tools: ['x'], more: 1 },
    ],
    'lists are replaced': [{ args: ['a', 'mine'] }, { args: ['b'] }, { args: ['a'] }, { args: ['b'] }],
    'a map where we write none': [
      { command: { path: 'x' } },
      { command: 'a' },
      { command: 'a' },
      { command: 'a' },
    ],
    'keys are data': [hostile, { command: 'a' }, {}, { ...hostile, command: 'a' }],
  };

  test.each(Object.entries(merges))('%s', (_, [current, next, previous, merged]) => {
    expect(mergeEntry(current, next, previous)).toEqual(merged);
    expect(Object.keys(mergeEntry(current, next, previous))).toEqual(Object.keys(merged));
  });
});

describe('an entry of another program, taken over', () => {
  test('how it starts goes whole, the rest stays', () => {
    const foreign = {
      type: 'stdio',
      command: 'x',
      args: ['y'],
      env: { TOKEN: 't' },
      cmd: 'x',
      timeout: 5,
      tools: { a: 1 },
      url: 'https://example.com',
      httpUrl: 'https://example.com',
      headers: { Authorization: 'x' },
      cwd: '/theirs',
    };
    const next = { command: 'npx', env: { OURS: '1' }, tools: { b: 2 } };
    expect(mergeEntry(foreign, next, undefined)).toEqual({
      command: 'npx',
      env: { OURS: '1' },
      timeout: 5,
      tools: { a: 1, b: 2 },
    });
  });
});

describe('intact', () => {
  const written: ConfigEntry = { command: 'a', args: ['b'], env: { OURS: '1' }, timeout: 300 };
  const judged: readonly [current: unknown, intact: boolean][] = [
    [written, true],
    [{ ...written, timeout: 5, tools: [] }, true],
    [{ timeout: 300n, env: { TOKEN: 't', OURS: '1' }, disabled: true, args: ['b'], command: 'a' }, true],
    [{ ...written, command: 'c' }, false],
    [{ ...written, args: ['b', 'mine'] }, false],
    [{ ...written, env: { OURS: '2' } }, false],
    [{ ...written, env: {} }, false],
    [{ ...written, env: null }, false],
    [{ command: 'a' }, false],
    [undefined, false],
    [[], false],
  ];

  test.each(judged)('%o: %j', (current, intact) => {
    expect(isIntact(current, written)).toBe(intact);
  });

  test('depends on the transport of a remote entry, not of a program', () => {
    const remote = { type: 'http', url: 'https://a.example/mcp', headers: { A: 'b' } };
    expect(isIntact({ ...remote, timeout: 5 }, remote)).toBe(true);
    expect(isIntact({ ...remote, type: 'sse' }, remote)).toBe(false);
    expect(isIntact({ ...remote, headers: {} }, remote)).toBe(false);
    expect(isIntact({ baseUrl: 'https://b.example' }, { baseUrl: 'https://a.example' })).toBe(false);
    expect(isIntact({ ...written, type: 'local' }, { ...written, type: 'stdio' })).toBe(true);
  });

  test.each(['bearer_token_env_var', 'bearerTokenEnvVar', 'bearer_token_env', 'header_env', 'requestInit'])(
    'depends on %s',
    (field) => {
      const remote = { url: 'https://a.example/mcp', [field]: 'A' };
      expect(isIntact({ ...remote, [field]: 'B' }, remote)).toBe(false);
      expect(mergeEntry(remote, { command: 'a' }, undefined)).toEqual({ command: 'a' });
    },
  );

  test('ignores keys of a prototype', () => {
    expect(isIntact({ env: {} }, { env: hostile })).toBe(false);
    expect(isIntact({ env: hostile }, { env: hostile })).toBe(true);
  });
});

test('compares values by content', () => {
  const same: readonly [unknown, unknown][] = [
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [1n, 1],
    [Number.NaN, Number.NaN],
    [new Date(0), new Date(0)],
    [null, null],
  ];
  const other: readonly [unknown, unknown][] = [
    [{ a: 1 }, { a: 1, b: undefined }],
    [[], {}],
    [['a'], { 0: 'a' }],
    ['1', 1],
    ['1', 1n],
    [new Date(0), new Date(1)],
    [new Date(0), {}],
    [null, undefined],
    [{}, hostile],
  ];
  for (const [one, two] of same) expect([one, two, sameValue(one, two)]).toEqual([one, two, true]);
  for (const [one, two] of other) expect([one, two, sameValue(one, two)]).toEqual([one, two, false]);
});

test('a map is no list, no date and not nothing', () => {
  expect([{}, hostile].every(isMap)).toBe(true);
  expect([[], null, undefined, 'a', new Date()].some(isMap)).toBe(false);
});
