import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareSurfaces, type ModelSurface } from '../../../src/engine/surface/model-surface.js';
import { formatKeyed, parseKeyed, SurfaceRecords } from '../../../src/engine/surface/surface-records.js';
import { writeFolder } from '../../support/packages.js';

const none = { tools: new Map(), prompts: new Map(), resources: new Map() };
const nothing = { exposures: {} };
const surface: ModelSurface = {
  server: { instructions: 'Ask.' },
  skills: new Map([['skill://tea/SKILL.md', { uri: 'skill://tea/SKILL.md' }]]),
  exposures: { far: [{ variables: ['KEY'], host: null }] },
  items: { ...none, tools: new Map([['__proto__', { name: '__proto__', description: 'One.' }]]) },
};

describe('a recorded surface', () => {
  test('is read as it was written, and found by its key alone', async () => {
    const folder = writeFolder();
    await new SurfaceRecords(folder).write({ key: 'with s3cret', surface });
    const records = new SurfaceRecords(folder);
    expect(await records.read('with s3cret')).toEqual(surface);
    expect(await records.read('other')).toBeUndefined();
    const [file] = readdirSync(path.join(folder, 'frozen'));
    expect(file).not.toContain('s3cret');
    expect(readFileSync(path.join(folder, 'frozen', file!), 'utf8')).not.toContain('s3cret');
  });

  test.each([
    [
      'a newer format',
      '{"version":2,"server":{},"items":{"tools":{},"prompts":{},"resources":{}},"exposures":{}}',
    ],
    ['no JSON', '{'],
    ['no lists', '{"version":1,"server":{},"items":{},"exposures":{}}'],
    [
      'an entry of another type',
      '{"version":1,"server":{},"items":{"tools":{"a":1},"prompts":{},"resources":{}}}',
    ],
  ])('is refused with %s', async (_, text) => {
    const folder = writeFolder();
    const records = new SurfaceRecords(folder);
    await records.write({ key: 'one', surface });
    const [file] = readdirSync(path.join(folder, 'frozen'));
    writeFileSync(path.join(folder, 'frozen', file!), text);
    await expect(records.read('one')).rejects.toThrow('is not a record of this version of AgentTools.');
  });

  test.each([
    ['@acme/weather/weather', 'agenttools update --load'],
    ['trip', 'agenttools install … --frozen'],
    ['["existing","npm:@acme/weather@1.0.0",{}]', 'agenttools update npm:@acme/weather@1.0.0 --load'],
    ['["existing","node server.js",{}]', 'agenttools install … --frozen'],
    ['["existing","./server.sh",{}]', 'agenttools install … --frozen'],
  ])('names the command that records %s again, if it is unreadable', async (key, command) => {
    const folder = writeFolder();
    const records = new SurfaceRecords(folder);
    await records.write({ key, surface });
    const [file] = readdirSync(path.join(folder, 'frozen'));
    writeFileSync(path.join(folder, 'frozen', file!), '{"version":0}');
    await expect(records.read(key)).rejects.toThrow(`record the items again with "${command}"`);
  });

  test('keeps its mark of an update', async () => {
    const records = new SurfaceRecords(writeFolder());
    await records.write({ key: 'one', surface: { ...surface, isOutdated: true } });
    expect((await records.read('one'))!.isOutdated).toBe(true);
  });
});

test('a surface passes through a file with its key', () => {
  const keyed = { key: 'a\n"b"', surface };
  expect(parseKeyed(formatKeyed(keyed))).toEqual(keyed);
  expect(parseKeyed('')).toBeUndefined();
  expect(parseKeyed(formatKeyed(keyed).slice(0, -5))).toBeUndefined();
});

test('differences are named by kind, item and value', () => {
  const tool = (description: string) => ({ name: 'a', description, inputSchema: { type: 'object' } });
  const before = {
    ...nothing,
    server: { title: 'One' },
    items: { ...none, tools: new Map([['a', tool('A.')]]) },
  };
  const after = {
    exposures: { far: [{ variables: ['KEY'], host: 'evil.example' }] },
    server: { title: 'Two' },
    items: { ...none, tools: new Map([['a', { ...tool('B.') }]]), prompts: new Map([['p', { name: 'p' }]]) },
  };
  expect(compareSurfaces(before, after)).toEqual([
    {
      kind: 'server',
      name: 'server',
      change: 'changed',
      values: [{ path: ['title'], before: 'One', after: 'Two' }],
    },
    { kind: 'upstream', name: 'far', change: 'new', values: [] },
    {
      kind: 'tools',
      name: 'a',
      change: 'changed',
      values: [{ path: ['description'], before: 'A.', after: 'B.' }],
    },
    { kind: 'prompts', name: 'p', change: 'new', values: [] },
  ]);
  expect(compareSurfaces(after, { ...after, items: none }).map(({ change }) => change)).toEqual([
    'gone',
    'gone',
  ]);
  const reordered = { inputSchema: { type: 'object' }, description: 'A.', name: 'a' };
  const same = { ...before, items: { ...none, tools: new Map([['a', reordered]]) } };
  expect(compareSurfaces(before, same)).toEqual([]);
});
