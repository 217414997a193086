import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { declaredServers, outlinePackage } from '../../../src/engine/discovery/package-outline.js';
import { show } from '../../../src/engine/discovery/show-reference.js';
import { Extension } from '../../../src/engine/extension/extension.js';
import { kinds } from '../../../src/engine/extension/item-kinds.js';
import { readItems } from '../../../src/engine/packages/items.js';
import { callOnce } from '../../../src/engine/serve/call-once.js';
import { createUserServer } from '../../../src/engine/user-servers/create.js';
import { openWorkspace, packageJson, writeFolder } from '../../support/packages.js';

const tools = `export default {
  category: 'Files',
  tools: [
    { name: 'read', description: 'Reads.', handler: () => 'read' },
    { name: 'write', description: 'Writes.', category: null, handler: () => 'written' },
  ],
};`;
const notes = { tools: [{ description: 'Adds a note.', handler: './run.js#add' }] };
const entries = [
  { toolkit: 'files', tools: [['read', 'Reads a file.'], 'write'] },
  { toolkit: 'more' },
  { toolkit: 'notes' },
];

function writeKit(manifest: object = { tools: entries }, kit = tools): string {
  return writeFolder({
    'package.json': packageJson(manifest),
    'agenttools/tools/files.js': kit,
    'agenttools/tools/more.js': `export default [{ name: 'more', handler: () => 'more' }];`,
    'agenttools/tools/notes.json': notes,
    'run.js': `export const add = ({ text }) => text;`,
  });
}

/** Loads no code, and says so loudly. */
const refuse = async (): Promise<never> => {
  throw new Error('code was run');
};

describe('show', () => {
  const place = (cwd: string) => ({ workspace: openWorkspace({ cwd }), cwd, homeDirectory: cwd });

  test('knows a package with the tools of its toolkits', async () => {
    const cwd = writeKit({ tools: entries, servers: ['a', 'b'] });
    expect(await show('.', place(cwd))).toMatchObject({
      tools: [
        { name: 'read', item: '@acme/kit/read', description: 'Reads a file.' },
        { name: 'write', item: '@acme/kit/write' },
        { name: 'more', item: '@acme/kit/more', description: null },
        { name: 'add', item: '@acme/kit/add', description: 'Adds a note.' },
      ],
    });
  });

  test.for([
    ['read', { category: 'Files', file: 'agenttools/tools/files.js' }],
    ['write', { category: null }],
    ['more', { category: null, file: 'agenttools/tools/more.js' }],
    ['add', { handler: './run.js#add', file: 'agenttools/tools/notes.json' }],
  ] as const)('shows the tool %s, declared or not', async ([name, facts]) => {
    const cwd = writeKit({ tools: entries, servers: ['a', 'b'] });
    expect(await show(`./${name}`, place(cwd))).toMatchObject({ kind: 'tool', name, ...facts });
  });

  test('suggests existing tools', async () => {
    const cwd = writeKit({ tools: entries, servers: ['a', 'b'] });
    await expect(show('./reed', place(cwd))).rejects.toThrow(
      /Did you mean "read"\?.*more \(tool\), add \(tool\)/,
    );
  });
});

test('a tool of a toolkit is called by its name', async () => {
  const workspace = openWorkspace();
  const found = await workspace.findServer(writeKit());
  const request = { args: { text: 'x' }, env: {}, report: () => {}, signal: AbortSignal.timeout(10_000) };
  for (const [tool, text] of [
    ['read', 'read'],
    ['more', 'more'],
    ['add', 'x'],
  ] as const) {
    const { content } = await callOnce(found, workspace, { tool, ...request });
    expect(content).toEqual([{ type: 'text', text }]);
  }
});

describe('without running code', () => {
  test('lists servers with the tools of the declarations', async () => {
    const extension = await Extension.open(writeKit(), { loadCode: refuse });
    const [server] = declaredServers(outlinePackage('@acme/kit', extension.manifest));
    expect(server?.tools).toEqual(['@acme/kit/read', '@acme/kit/write']);
  });

  test('a package of nothing but a toolkit has a server', async () => {
    const extension = await Extension.open(writeKit({ tools: [{ toolkit: 'more' }] }), { loadCode: refuse });
    expect(declaredServers(outlinePackage('@acme/kit', extension.manifest)).map(({ name }) => name)).toEqual([
      '@acme/kit/kit',
    ]);
  });

  test('packages are looked at: code for its files, data for its tools', async () => {
    const extension = await Extension.open(writeKit(), { loadCode: refuse });
    const items = await readItems(extension, kinds);
    expect(items.map(({ name, file, isCode }) => [name, file, isCode])).toEqual([
      ['read', 'agenttools/tools/files.js', true],
      ['write', 'agenttools/tools/files.js', true],
      ['more', 'agenttools/tools/more.js', true],
      ['add', 'agenttools/tools/notes.json', false],
    ]);
    expect(items.at(-1)).toMatchObject({ uses: ['run.js'], documents: ['agenttools/tools/notes.json'] });
  });

  test('reads all of them if code may run', async () => {
    const items = await readItems(await Extension.open(writeKit()), kinds, { load: true });
    expect(items.map(({ name, value }) => [name, value?.description ?? null])).toEqual([
      ['read', 'Reads.'],
      ['write', 'Writes.'],
      ['more', null],
      ['add', 'Adds a note.'],
    ]);
  });

  test('servers of the user list tools and toolkits of packages', async () => {
    const home = writeFolder();
    const packagesFolder = path.join(home, 'node_modules');
    const { symlinkSync, mkdirSync } = await import('node:fs');
    mkdirSync(path.join(packagesFolder, '@acme'), { recursive: true });
    symlinkSync(
      writeKit({ tools: entries }, `throw new Error('code was run');`),
      path.join(packagesFolder, '@acme/kit'),
    );
    const nowhere = writeFolder();
    const place = {
      cwd: nowhere,
      homeDirectory: nowhere,
      builtinFolder: nowhere,
      packagesFolder,
      globalFolder: nowhere,
      userServersFolder: path.join(home, 'servers'),
    };
    const made = await createUserServer(
      {
        name: 'mine',
        tools: ['@acme/kit/read', '@acme/kit/add'],
        definition: { tools: [{ toolkit: '@acme/kit/notes', hidden: true }, { toolkit: '@acme/kit/files' }] },
      },
      place,
    );
    expect(made).toMatchObject({
      tools: ['@acme/kit/notes', '@acme/kit/files', '@acme/kit/read', '@acme/kit/add'],
      notes: [],
    });
    await expect(
      createUserServer({ name: 'other', definition: { tools: [{ toolkit: '@acme/kit/nots' }] } }, place),
    ).rejects.toThrow(/@acme\/kit\/nots/);
  });
});
