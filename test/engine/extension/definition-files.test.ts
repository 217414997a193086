import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listDefinitionFiles } from '../../../src/engine/extension/definition-files.js';
import { writeFolder } from '../../support/packages.js';

const endings = ['.js', '.mjs', '.cjs', '.json', '.jsonc', '.ts', '.mts', '.cts'];

const listed = async (files: readonly string[], root = 'agenttools') =>
  await listDefinitionFiles(writeFolder(Object.fromEntries(files.map((file) => [file, '']))), root);

test('compiled code counts before data, and data before source', async () => {
  const files = await listed(endings.toReversed().map((ending) => `agenttools/tools/x${ending}`));
  expect(files.find('tools', 'x').map(({ file }) => file)).toEqual(
    endings.map((ending) => `agenttools/tools/x${ending}`),
  );
});

test('prefers a separate file to a combined one, in any format', async () => {
  const files = await listed(['agenttools/tools.js', 'agenttools/tools/x.ts', 'agenttools/tools.json']);
  expect(files.find('tools', 'x')).toEqual([
    { file: 'agenttools/tools/x.ts', language: 'typescript', combined: false },
    { file: 'agenttools/tools.js', language: 'code', combined: true },
    { file: 'agenttools/tools.json', language: 'data', combined: true },
  ]);
  expect(files.combined('tools').map(({ file }) => file)).toEqual([
    'agenttools/tools.js',
    'agenttools/tools.json',
  ]);
});

test('every kind has its folder; apps are pages', async () => {
  const files = await listed([
    'agenttools/servers/a.json',
    'agenttools/prompts/a.json',
    'agenttools/resources/a.json',
    'agenttools/apps/a.html',
    'agenttools/apps/b.json',
    'agenttools/apps.json',
  ]);
  for (const kind of ['servers', 'prompts', 'resources', 'apps'] as const)
    expect(files.items(kind)).toEqual(['a']);
  expect(files.items('tools')).toEqual([]);
  expect(files.find('apps', 'a')).toEqual([
    { file: 'agenttools/apps/a.html', language: 'html', combined: false },
  ]);
  expect(files.combined('apps')).toEqual([]);
});

test('finds each item with a file once, and ignores type declarations and other files', async () => {
  const names = [
    'b.json',
    'b.js',
    'a.d.ts',
    'a.d.mts',
    'c.d.cts',
    'd.md',
    'e.js.map',
    'f.test.js',
    'package.json',
  ];
  const files = await listed(names.map((name) => `agenttools/tools/${name}`));
  expect(files.items('tools')).toEqual(['b', 'f.test', 'package']);
});

describe('the root', () => {
  test.each(['defs', './defs', 'defs/', './defs//', 'x/../defs'])('%j', async (root) => {
    const files = await listed(['defs/tools/x.json', 'defs/x/y'], root);
    expect(files.find('tools', 'x').map(({ file }) => file)).toEqual(['defs/tools/x.json']);
  });

  test.each(['.', './', ''])('%j is the package folder', async (root) => {
    const files = await listed(['tools/x.json', 'tools.json', 'package.json'], root);
    expect(files.find('tools', 'x').map(({ file }) => file)).toEqual(['tools/x.json', 'tools.json']);
  });

  test.each(['absent', 'file'])('%s: there are no definitions', async (root) => {
    const folder = writeFolder({ file: '' });
    const files = await listDefinitionFiles(folder, root);
    expect(files.rootExists).toBe(false);
    expect(files.find('tools', 'x')).toEqual([]);
    expect(files.items('tools')).toEqual([]);
  });

  test('a file where a folder of definitions should be holds none', async () => {
    const folder = writeFolder({ 'agenttools/tools': 'not a folder' });
    expect((await listDefinitionFiles(folder, 'agenttools')).items('tools')).toEqual([]);
    expect(path.isAbsolute(folder)).toBe(true);
  });
});
