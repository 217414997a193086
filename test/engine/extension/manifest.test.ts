import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import { kinds } from '../../../src/engine/extension/item-kinds.js';
import { ManifestError, readManifest } from '../../../src/engine/extension/manifest.js';
import { writeFolder, writePackage } from '../../support/packages.js';

const read = (manifest: unknown, files = {}, fields = {}) =>
  readManifest(writePackage(manifest, files, fields));

async function fault(directory: string): Promise<ManifestError> {
  const error = await readManifest(directory).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(ManifestError);
  return error;
}

test('reads a manifest in package.json', async () => {
  const manifest = await read({ tools: ['a'] });
  expect(manifest.packageName).toBe('@acme/kit');
  expect(manifest.packageVersion).toBe('1.2.3');
  expect(manifest.root).toBe('agenttools');
  expect(manifest.document).toBe(manifest.packageJson);
  expect(manifest.base).toEqual(['agenttools']);
  expect(manifest.declarations.tools).toEqual([
    { kind: 'tools', name: 'a', metadata: {}, path: ['agenttools', 'tools', 0] },
  ]);
});

test('a package.json may begin with a BOM', async () => {
  const directory = writeFolder({ 'package.json': '\uFEFF{"name":"kit","agenttools":{"tools":["a"]}}' });
  expect((await readManifest(directory)).declarations.tools).toHaveLength(1);
});

test.each(['./agenttools.jsonc', 'config/agenttools.jsonc', 'config/../agenttools.jsonc'])(
  'reads a manifest in a separate file with comments: %s',
  async (field) => {
    const text = '\uFEFF// ours\n{ "tools": ["a",], /* no more */ }';
    const files = { 'agenttools.jsonc': text, 'config/agenttools.jsonc': text };
    const manifest = await read(field, files);
    expect(manifest.document.file).toBe(path.posix.normalize(field));
    expect(manifest.base).toEqual([]);
    expect(manifest.declarations.tools).toEqual([
      { kind: 'tools', name: 'a', metadata: {}, path: ['tools', 0] },
    ]);
  },
);

test('three forms of declaration mix', async () => {
  const { declarations } = await read({
    tools: [
      'one',
      ['two', 'Two'],
      { name: 'three', description: 'Three', parameters: ['x'] },
      { Name: 'four' },
    ],
    MCPServers: [{ Name: 'main', Tools: ['one'], MCPServerName: 'key' }],
  });
  expect(declarations.tools.map(({ name, description, metadata }) => [name, description, metadata])).toEqual([
    ['one', undefined, {}],
    ['two', 'Two', {}],
    ['three', 'Three', { parameters: ['x'] }],
    ['four', undefined, {}],
  ]);
  expect(declarations.servers[0]).toEqual({
    kind: 'servers',
    name: 'main',
    metadata: { tools: ['one'], configKey: 'key' },
    path: ['agenttools', 'MCPServers', 0],
  });
});

describe('skips entries of no known form', () => {
  const bad = [5, null, true, [], ['x'], ['x', 1], ['x', 'y', 'z'], {}, { name: 5 }, { description: 'x' }];
  const badNames = ['', '../x', 'a/b', '.', '..', 'a b', 'x'.repeat(129)];

  test.each([
    ...bad,
    ...badNames,
    ...badNames.map((name) => [name, 'd']),
    ...badNames.map((name) => ({ name })),
  ])('%j', async (entry) => {
    const { declarations } = await read({ tools: ['before', entry, 'after'] });
    expect(declarations.tools.map(({ name, path: at }) => [name, at[2]])).toEqual([
      ['before', 0],
      ['after', 2],
    ]);
  });

  test.each(['tools', 5, null, { a: 1 }])('a list that is %j holds nothing', async (tools) => {
    expect((await read({ tools })).declarations.tools).toEqual([]);
  });
});

test('keeps the first of two declarations with one name and kind', async () => {
  const { declarations } = await read({ tools: [['a', 'first'], ['a', 'second'], 'b'], prompts: ['a'] });
  expect(declarations.tools.map(({ name, description }) => [name, description])).toEqual([
    ['a', 'first'],
    ['b', undefined],
  ]);
  expect(declarations.prompts).toHaveLength(1);
});

test('names of object properties are names like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const { declarations } = await read({ tools: [...names, { name: 'x', constructor: 1 }] });
  expect(declarations.tools.map(({ name }) => name)).toEqual([...names, 'x']);
});

test('a manifest whose keys are hostile declares nothing by them', async () => {
  const directory = writeFolder({
    'package.json': '{"name":"kit","agenttools":"m.jsonc"}',
    'm.jsonc': '{"__proto__":{"tools":["x"],"root":"../.."}}',
  });
  const manifest = await readManifest(directory);
  expect(kinds.flatMap((kind) => manifest.declarations[kind])).toEqual([]);
  expect(manifest.root).toBe('agenttools');
});

test.each([
  [{ root: 'defs' }, 'defs'],
  [{ Root: 'defs' }, 'defs'],
  [{ root: '.' }, '.'],
  [{ root: 5 }, 'agenttools'],
  [{}, 'agenttools'],
])('the root of %j is %s', async (manifest, root) => {
  expect((await read(manifest)).root).toBe(root);
});

test('a package without name or version goes by its folder, at 0.0.0', async () => {
  const directory = writeFolder({ 'kit/package.json': { agenttools: {} } });
  const manifest = await readManifest(path.join(directory, 'kit'));
  expect([manifest.packageName, manifest.packageVersion]).toEqual(['kit', '0.0.0']);
});

describe('missing and invalid manifests', () => {
  test('no package.json', async () => {
    const error = await readManifest(writeFolder()).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AgentToolsError);
    expect(error).not.toBeInstanceOf(ManifestError);
    expect(error.code).toBe('not-found');
  });

  const rows: readonly [string, string, object, string, RegExp][] = [
    ['no field', '{"name":"kit"}', {}, 'no-extension', /kit is not an extension/],
    ['no object', '[]', {}, 'malformed-manifest', /does not hold an object/],
    ['a number', '{"agenttools":5}', {}, 'malformed-manifest', /must be an object or the path/],
    ['null', '{"agenttools":null}', {}, 'malformed-manifest', /must be an object or the path/],
    ['a list', '{"agenttools":[]}', {}, 'malformed-manifest', /must be an object or the path/],
    ['bad JSON', '{"agenttools":{}\n,}', {}, 'malformed-manifest', /package\.json:2:2: Not valid JSON/],
    ['an absent file', '{"agenttools":"m.json"}', {}, 'malformed-manifest', /"m\.json" does not exist/],
    [
      'an absent folder',
      '{"agenttools":"a/m.json"}',
      {},
      'malformed-manifest',
      /"a\/m\.json" does not exist/,
    ],
    [
      'a folder',
      '{"agenttools":"a"}',
      { 'a/b': '' },
      'malformed-manifest',
      /"a" does not exist or cannot be used/,
    ],
    [
      'a file that is a list',
      '{"agenttools":"m.json"}',
      { 'm.json': '[]' },
      'malformed-manifest',
      /m\.json does not hold/,
    ],
    [
      'a strict file with comments',
      '{"agenttools":"m.json"}',
      { 'm.json': '{} // x' },
      'malformed-manifest',
      /\.jsonc/,
    ],
    ['a path above', '{"agenttools":"../m.json"}', {}, 'path-outside-package', /leaves the package/],
    ['a path through', '{"agenttools":"a/../../m.json"}', {}, 'path-outside-package', /leaves the package/],
    ['an absolute path', '{"agenttools":"/etc/hosts"}', {}, 'path-outside-package', /leaves the package/],
  ];

  test.each(rows)('%s', async (_, packageJson, files, code, message) => {
    const error = await fault(writeFolder({ 'package.json': packageJson, ...files }));
    expect(error.diagnostic).toBe(code);
    expect(error.message).toMatch(message);
  });

  test('where the text is not well formed', async () => {
    const directory = writePackage('m.jsonc', { 'm.jsonc': '{\n  "tools" ["a"]\n}' });
    expect((await fault(directory)).location).toEqual({ file: 'm.jsonc', position: { line: 2, column: 11 } });
  });

  test.each(['m.json', 'folder/m.json'])(
    'a link that leads out of the package, unread: %s',
    async (field) => {
      const outside = writeFolder({ 'm.json': 'not JSON at all' });
      const directory = writePackage(field);
      symlinkSync(path.join(outside, 'm.json'), path.join(directory, 'm.json'));
      symlinkSync(outside, path.join(directory, 'folder'));
      const error = await fault(directory);
      expect(error.diagnostic).toBe('path-outside-package');
      expect(error.message).toContain('a link that leads out of the package');
    },
  );

  test('a link inside the package is fine', async () => {
    const directory = writePackage('m.json', { 'real.json': { tools: ['a'] } });
    symlinkSync('real.json', path.join(directory, 'm.json'));
    expect((await readManifest(directory)).declarations.tools).toHaveLength(1);
  });
});

test('reading a manifest never runs code', async () => {
  const code = `import { writeFileSync } from 'node:fs';
    writeFileSync(new URL('../ran', import.meta.url), '');
    export default { tools: ['a'] };`;
  const files = { 'agenttools/tools/a.js': code, 'agenttools/tools.js': code, 'agenttools/main.js': code };
  const inline = writePackage({ tools: ['a'] }, files, { main: 'agenttools/main.js' });
  await readManifest(inline);
  const byPath = writePackage('./agenttools/main.js', files);
  expect((await fault(byPath)).diagnostic).toBe('malformed-manifest');
  expect([inline, byPath].some((directory) => existsSync(path.join(directory, 'ran')))).toBe(false);
});
