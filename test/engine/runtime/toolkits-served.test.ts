import { describe, expect, test } from 'vitest';
import { callTool } from '../../../src/engine/runtime/call-tool.js';
import { composeServer, type ServerSpec } from '../../../src/engine/runtime/compose-server.js';
import { addFiles, type Files, openWorkspace, packageJson, writeFolder } from '../../support/packages.js';

/** A toolkit without an import of ours. */
const files = `
export default {
  category: 'Files',
  tools: [
    { handler: function read({ path }) { return path; }, input: { path: 'string' } },
    { name: 'files.write', category: 'Writing', handler: () => 'written' },
    { name: 'files.drop', hidden: true, category: null, handler: () => 'dropped' },
  ],
};`;

async function compose(
  manifest: object,
  { server, more = {}, files: kit = files }: { server?: unknown; more?: Files; files?: string } = {},
): Promise<ServerSpec> {
  const directory = writeFolder({
    'package.json': packageJson({ ...manifest, ...(server !== undefined && { servers: ['main'] }) }),
    'agenttools/tools/files.js': kit,
    ...(typeof server === 'string'
      ? { 'agenttools/servers/main.js': server }
      : server !== undefined && { 'agenttools/servers/main.json': server }),
    ...more,
  });
  const workspace = openWorkspace();
  const extension = await workspace.open(directory);
  return await composeServer({ extension, ...(server !== undefined && { server: 'main' }) }, workspace);
}

const shown = ({ registry }: ServerSpec) =>
  registry.all('tools').map(({ name, item, hidden, wire }) => {
    const { category } = (wire._meta ?? {}) as { category?: string };
    return [name, item, category ?? null, hidden];
  });
const names = ({ registry }: ServerSpec) => registry.all('tools').map(({ name }) => name);
const lost = ({ leftOut }: ServerSpec) => leftOut.map(({ item, code, message }) => [item, code, message]);

const all = [
  ['read', '@acme/kit/read', 'Files', false],
  ['files.write', '@acme/kit/files.write', 'Writing', false],
  ['files.drop', '@acme/kit/files.drop', null, true],
];

describe('a toolkit of the manifest', () => {
  test('is served with everything, in its order', async () => {
    const spec = await compose({ tools: [{ toolkit: 'files' }] });
    expect([shown(spec), spec.leftOut]).toEqual([all, []]);
  });

  test('keeps the position of its entry among other tools', async () => {
    const more = {
      'agenttools/tools.js': `const handler = () => 1; export default { a: { handler }, b: { handler } };`,
    };
    const spec = await compose({ tools: ['a', { toolkit: 'files', tools: ['read'] }, 'b'] }, { more });
    expect(names(spec)).toEqual(['a', 'read', 'files.write', 'files.drop', 'b']);
  });

  test.for<[string, string]>([
    ['a list', `export default [{ name: 'read', handler: () => 1 }];`],
    [
      'CommonJS',
      `exports.default = { tools: [{ name: 'read', handler: () => 1 }] }; exports.__esModule = true;`,
    ],
  ])('may be %s', async ([kind, kit]) => {
    const spec =
      kind === 'CommonJS'
        ? await compose({ tools: [{ toolkit: 'other' }] }, { more: { 'agenttools/tools/other.cjs': kit } })
        : await compose({ tools: [{ toolkit: 'files' }] }, { files: kit });
    expect(names(spec)).toEqual(['read']);
  });

  test('may be data, whose tools are named by the exports that run them', async () => {
    const spec = await compose(
      { tools: [{ toolkit: 'data' }] },
      {
        more: {
          'agenttools/tools/data.json': {
            category: 'Data',
            tools: [
              { handler: './run.js#read', title: 'Read' },
              { name: 'write', handler: './run.js' },
            ],
          },
          'run.js': `export const read = () => 'r'; export default () => 'w';`,
        },
      },
    );
    expect(shown(spec)).toEqual([
      ['read', '@acme/kit/read', 'Data', false],
      ['write', '@acme/kit/write', 'Data', false],
    ]);
  });

  test('may be a combined file, whose tools are declared by their names', async () => {
    const more = {
      'agenttools/tools.js': `export default { category: 'All', tools: [{ handler: function one() {} }, { name: 'two', handler: () => 2 }] };`,
    };
    const spec = await compose({ tools: ['two', 'one'] }, { more });
    expect(shown(spec)).toEqual([
      ['two', '@acme/kit/two', 'All', false],
      ['one', '@acme/kit/one', 'All', false],
    ]);
  });

  test('runs its tools with (args, ctx)', async () => {
    const { registry } = await compose({ tools: [{ toolkit: 'files' }] });
    const handler = await registry.resolve('tools', 'read')!.handler();
    expect(handler({ path: '/x' }, {} as never)).toBe('/x');
    expect(typeof callTool).toBe('function');
  });

  test('skips invalid tools', async () => {
    const spec = await compose(
      { tools: [{ toolkit: 'files', tools: ['read', 'gone'] }] },
      {
        files: `export default [
          { name: 'read', handler: () => 1 },
          { name: 'read', handler: () => 2 },
          { name: 'bad', handler: 5 },
          { name: 'three', handler: (a, b, c) => c },
          { handler: () => 3 },
          'word',
        ];`,
      },
    );
    expect(names(spec)).toEqual(['read']);
    expect(lost(spec)).toEqual([
      [
        'files',
        'invalid-toolkit',
        'Toolkit "files" has several tools named "read". Give each a different "name".',
      ],
      [
        'files',
        'invalid-toolkit',
        'Toolkit "files" has a tool without a name as entry 5. Give it or its function a "name".',
      ],
      [
        'files',
        'invalid-toolkit',
        'Toolkit "files" has no tool as entry 6. Expected an object with "handler", such as tool() makes.',
      ],
      ['@acme/kit/bad', 'invalid-tool', expect.stringContaining('"bad" has an unusable "handler"')],
      [
        '@acme/kit/three',
        'invalid-tool',
        expect.stringContaining('at most (args, ctx); it has 3 parameters'),
      ],
    ]);
  });

  test.for<[string, object, string, string]>([
    [
      'there is no file',
      { toolkit: 'gone' },
      'missing-definition',
      'Toolkit "gone" has no definition. Expected agenttools/tools/gone.js.',
    ],
    [
      'its file throws',
      { toolkit: 'files' },
      'definition-failed',
      'Toolkit "files" could not be loaded from agenttools/tools/files.js: no luck',
    ],
  ])('is left out when %s', async ([, entry, code, message]) => {
    const more = { 'agenttools/tools.js': `export default { a: { handler: () => 1 } };` };
    const spec = await compose({ tools: ['a', entry] }, { more, files: `throw new Error('no luck');` });
    expect(names(spec)).toEqual(['a']);
    expect(lost(spec)).toEqual([[(entry as { toolkit: string }).toolkit, code, message]]);
  });

  test('is skipped if it is invalid', async () => {
    const spec = await compose(
      { tools: [{ toolkit: 'files' }] },
      { files: 'export default { handler() {} };' },
    );
    expect(lost(spec)).toEqual([
      [
        'files',
        'invalid-definition',
        'Toolkit "files" is not a toolkit in agenttools/tools/files.js. Expected a list of tools, an object of tools by name, or an object with "tools".',
      ],
    ]);
  });
});

describe('a server lists', () => {
  const manifest = { tools: [{ toolkit: 'files' }] };

  test('tools of a toolkit one by one', async () => {
    const spec = await compose(manifest, { server: { tools: ['files.drop', { use: 'read', name: 'cat' }] } });
    expect(shown(spec)).toEqual([all[2], ['cat', '@acme/kit/read', 'Files', false]]);
  });

  test.for<[object, (string | null)[], boolean[]]>([
    [{}, ['Files', 'Writing', null], [false, false, true]],
    [{ category: 'Admin' }, ['Admin', 'Admin', 'Admin'], [false, false, true]],
    [{ category: null }, [null, null, null], [false, false, true]],
    [{ hidden: true }, ['Files', 'Writing', null], [true, true, true]],
    [{ hidden: false }, ['Files', 'Writing', null], [false, false, false]],
    [{ visible: true }, ['Files', 'Writing', null], [false, false, false]],
    [{ visible: true, hidden: true }, ['Files', 'Writing', null], [true, true, true]],
  ])('a toolkit with %j', async ([said, categories, hidden]) => {
    const seen = shown(await compose(manifest, { server: { tools: [{ toolkit: 'files', ...said }] } }));
    expect([seen.map((one) => one[2]), seen.map((one) => one[3])]).toEqual([categories, hidden]);
  });

  test('a tool beside its toolkit: the entry of the tool wins', async () => {
    const spec = await compose(manifest, {
      server: {
        tools: [
          { toolkit: 'files', category: 'All', hidden: true },
          { use: 'read', hidden: false },
          { use: 'read', name: 'cat', category: 'Own' },
        ],
      },
    });
    expect(shown(spec)).toEqual([
      ['files.write', '@acme/kit/files.write', 'All', true],
      ['files.drop', '@acme/kit/files.drop', 'All', true],
      ['read', '@acme/kit/read', 'All', false],
      ['cat', '@acme/kit/read', 'Own', false],
    ]);
  });

  test('one tool twice: with numbers, or as an alias', async () => {
    expect(names(await compose(manifest, { server: { tools: ['read', 'read'] } }))).toEqual([
      'read1',
      'read2',
    ]);
    expect(
      names(await compose(manifest, { server: { tools: [{ toolkit: 'files' }, { toolkit: 'files' }] } })),
    ).toEqual([...['read1', 'files.write1', 'files.drop1'], ...['read2', 'files.write2', 'files.drop2']]);
  });

  test('toolkits and items themselves, in code', async () => {
    const spec = await compose(manifest, {
      server: `
        import kit from '../tools/files.js';
        const one = { name: 'one', category: 'One', handler: () => 1 };
        export default {
          tools: [
            { use: kit, category: 'Used' },
            { use: { use: one, category: 'Inner', hidden: true }, hidden: false },
            { category: 'Here', tools: [{ name: 'here', handler: () => 2 }] },
            { use: [{ name: 'listed', handler: () => 3 }], name: 'renamed', description: 'Only one.' },
            one,
            { use: 'files.write', category: null },
          ],
          prompts: [{ use: { name: 'p', content: 'x' }, hidden: true }],
          resources: [{ use: { uri: 'app://r', text: 'r' }, name: 'R' }],
        };`,
    });
    expect(lost(spec)).toEqual([]);
    expect(shown(spec)).toEqual([
      ['read', '@acme/kit/read', 'Used', false],
      ['files.drop', '@acme/kit/files.drop', 'Used', true],
      ['one1', '@acme/kit/one', 'Inner', false],
      ['here', '@acme/kit/here', 'Here', false],
      ['renamed', '@acme/kit/listed', null, false],
      ['one2', '@acme/kit/one', 'One', false],
      ['files.write', '@acme/kit/files.write', null, false],
    ]);
    expect(spec.registry.all('prompts').map(({ name, hidden }) => [name, hidden])).toEqual([['p', true]]);
    expect(spec.registry.all('resources').map(({ name, uri }) => [name, uri])).toEqual([['R', 'app://r']]);
  });

  test.for<[string, object, string, string]>([
    [
      'a name of several tools',
      { toolkit: 'files', name: 'x' },
      'invalid-server',
      'ambiguous for a toolkit of 3 tools',
    ],
    [
      'what is not for all tools',
      { toolkit: 'files', timeoutMs: 5 },
      'invalid-server',
      'unknown key "timeoutMs"',
    ],
    ['a toolkit that is not declared', { toolkit: 'fiels' }, 'unknown-tool', 'Did you mean "files"?'],
    [
      'a toolkit of a package that is not here',
      { toolkit: '@other/kit/files' },
      'unresolved-reference',
      'not installed',
    ],
    ['nothing to use', { use: 5 }, 'invalid-server', 'unusable "use"'],
    ['a toolkit in place of a prompt', { use: { tools: 5 } }, 'invalid-tool', '"handler"'],
  ])('skips %s', async ([, entry, code, message]) => {
    const spec = await compose(manifest, { server: { tools: ['read', entry] } });
    expect(names(spec)).toEqual(['read']);
    expect(lost(spec)).toEqual([[expect.any(String), code, expect.stringContaining(message)]]);
  });

  test('lists toolkit items of other packages by qualified name', async () => {
    const directory = writeFolder({
      'package.json': packageJson({ servers: ['main'] }, { name: 'user' }),
      'agenttools/servers/main.json': {
        tools: ['@acme/kit/read', { toolkit: '@acme/kit/files', hidden: true }, '@acme/kit/nothing'],
      },
      'node_modules/@acme/kit/package.json': packageJson(manifest),
      'node_modules/@acme/kit/agenttools/tools/files.js': files,
    });
    const workspace = openWorkspace();
    const spec = await composeServer(
      { extension: await workspace.open(directory), server: 'main' },
      workspace,
    );
    expect(shown(spec)).toEqual([
      ['read', '@acme/kit/read', 'Files', true],
      ['files.write', '@acme/kit/files.write', 'Writing', true],
      ['files.drop', '@acme/kit/files.drop', null, true],
    ]);
    expect(lost(spec).map(([item]) => item)).toEqual(['@acme/kit/nothing']);
  });

  test('a built-in tool although a toolkit that might have it cannot be read', async () => {
    const builtinFolder = writeFolder({});
    addFiles(builtinFolder, {
      'bundle/package.json': packageJson({ tools: ['catalog'] }, { name: 'bundle' }),
      'bundle/agenttools/tools/catalog.js': `export default { handler: () => 1 };`,
    });
    const directory = writeFolder({
      'package.json': packageJson({ ...manifest, servers: ['main'] }),
      'agenttools/tools/files.js': `throw new Error('no luck');`,
      'agenttools/servers/main.json': { tools: ['catalog', 'read'] },
    });
    const workspace = openWorkspace({ builtinFolder });
    const spec = await composeServer(
      { extension: await workspace.open(directory), server: 'main' },
      workspace,
    );
    expect(names(spec)).toEqual(['catalog']);
    expect(lost(spec)).toEqual([['read', 'definition-failed', expect.stringContaining('no luck')]]);
  });
});
