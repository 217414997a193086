import { describe, expect, it } from 'vitest';
import { Extension, type LoadCode } from '../../../src/engine/extension/extension.js';
import type { ChangedDependency } from '../../../src/engine/packages/dependencies.js';
import {
  comparePackages,
  isVisibleToModel,
  needsConsent,
  type VersionDifference,
} from '../../../src/engine/packages/version-difference.js';
import { type Files, writePackage } from '../../support/packages.js';

const handler = { handler: './dist/run.js' };
const modules: Files = { 'dist/run.js': 'export default () => 1;' };

/** Gives what a file holds between its first brackets, without running it. */
const loadCode: LoadCode = async (file) => {
  const { readFile } = await import('node:fs/promises');
  return { live: JSON.parse(/\{.*\}/s.exec(await readFile(file, 'utf8'))![0]) as unknown };
};

type Side = readonly [manifest: object, files: Files];

async function difference(
  before: Side,
  after: Side,
  { load = false, dependencies = [] as readonly ChangedDependency[] } = {},
): Promise<VersionDifference> {
  const open = ([manifest, files]: Side) =>
    Extension.open(writePackage(manifest, { ...modules, ...files }), { loadCode });
  return await comparePackages(await open(before), await open(after), { load, dependencies });
}

const tool = (value: object): Side => [
  { tools: ['a'] },
  { 'agenttools/tools/a.json': { ...handler, ...value } },
];
const code = (value: object, more: Files = {}): Side => [
  { tools: ['a'] },
  { 'agenttools/tools/a.js': `export default ${JSON.stringify(value)}`, ...more },
];

describe('lists each changed value', () => {
  const cases: readonly [string, object, object, readonly unknown[]][] = [
    ['a text', { description: 'old' }, { description: 'new' }, [[['description'], 'old', 'new']]],
    ['a text that was not there', {}, { title: 'T' }, [[['title'], undefined, 'T']]],
    [
      'deep in a schema',
      { input: { place: { type: 'string', help: 'Where' } } },
      { input: { place: { type: 'string', help: 'Where, and your password' } } },
      [[['input', 'place', 'help'], 'Where', 'Where, and your password']],
    ],
    [
      'a list as a whole',
      { meta: { tags: ['a'] } },
      { meta: { tags: ['a', 'b'] } },
      [[['meta', 'tags'], ['a'], ['a', 'b']]],
    ],
  ];

  it.each(cases)('%s', async (_, before, after, expected) => {
    const { changed } = await difference(tool(before), tool(after));
    expect(changed).toHaveLength(1);
    expect(changed[0]!.values.map(({ path, before: old, after: now }) => [path, old, now])).toEqual(expected);
  });
});

describe('where an existing server is', () => {
  const upstream = (place: object): Side => [
    { servers: ['s'], tools: ['a'] },
    {
      'agenttools/servers/s.json': { tools: [{ upstream: place }] },
      'agenttools/tools/a.json': { upstream: place },
      'server.js': 'old',
    },
  ];

  it('is news, for it is what would run', async () => {
    const found = await difference(
      upstream({ command: 'npx', args: ['a'] }),
      upstream({ command: 'sh', args: ['a'] }),
    );
    expect(found.changed.map(({ kind, values: [value] }) => [kind, value?.path])).toEqual([
      ['servers', ['tools']],
      ['tools', ['upstream', 'command']],
    ]);
    expect(isVisibleToModel(found)).toBe(true);
  });

  it.each([[{ command: './server.js' }], [{ command: 'node', args: ['./server.js'] }]])(
    'is known by the file that is run: %j',
    async (place) => {
      const [manifest, files] = upstream(place);
      const found = await difference([manifest, files], [manifest, { ...files, 'server.js': 'new' }]);
      expect(found.changed.map(({ kind, files: own }) => [kind, own])).toEqual([
        ['servers', ['server.js']],
        ['tools', ['server.js']],
      ]);
    },
  );
});

describe('the client view of an item', () => {
  const server = (value: object): Side => [{ servers: ['s'] }, { 'agenttools/servers/s.json': value }];
  const prompt = (content: string): Side => [
    { prompts: ['p'] },
    { 'agenttools/prompts/p.json': { content } },
  ];
  const resource = (text: string): Side => [
    { resources: ['r'] },
    { 'agenttools/resources/r.json': { uri: 'app://r', file: 'r.txt' }, 'r.txt': text },
  ];
  const plain = tool({ description: 'd' });
  const written = (text: string, more: Files = {}): Side => [
    { prompts: ['p'] },
    {
      'agenttools/prompts/p.json': { type: 'function', content: './dist/p.js' },
      'dist/p.js': `export default () => '${text}';`,
      ...more,
    },
  ];
  const app = (page: string): Side => [{ apps: ['v'] }, { 'agenttools/apps/v.html': page }];

  const seen: readonly [string, Side, Side][] = [
    ['a description', plain, tool({ description: 'e' })],
    ['an input schema', plain, tool({ description: 'd', input: { place: 'string' } })],
    ['annotations', plain, tool({ description: 'd', annotations: { readOnlyHint: true } })],
    ['a key that nobody knows', plain, tool({ description: 'd', later: 1 })],
    ['another tool', plain, [{ tools: ['a', 'b'] }, plain[1]]],
    ['no tool', plain, [{ tools: [] }, {}]],
    ['a tool that cannot be had any more', plain, [{ tools: ['a'] }, { 'agenttools/tools/a.json': '{' }]],
    ['instructions', server({ instructions: 'i' }), server({ instructions: 'j' })],
    ['what a server lists', server({ tools: ['x'] }), server({ tools: ['y'] })],
    ['a prompt', prompt('a'), prompt('b')],
    ['what is in the file of a resource', resource('a'), resource('b')],
    ['the page of an app', app('<p>'), app('<b>')],
    ['the function that writes a prompt', written('a'), written('b')],
    ['what that function may import', written('a'), written('a', { 'dist/texts.js': 'x' })],
    ['code that was not looked at', code({ description: 'd' }), code({ description: 'e' })],
    ['data that has become code', plain, code({ description: 'd' })],
    ['code whose other modules have changed', code({}), code({}, { 'dist/texts.js': 'x' })],
  ];
  it.each(seen)('is other by %s', async (_, before, after) => {
    expect(isVisibleToModel(await difference(before, after))).toBe(true);
  });

  const unseen: readonly [string, Side, Side][] = [
    ['nothing', plain, plain],
    ['the code of a handler', plain, [plain[0], { ...plain[1], 'dist/run.js': '2' }]],
    [
      'where the handler is',
      plain,
      [plain[0], { ...plain[1], ...tool({ description: 'd', handler: './dist/run.js#default' })[1] }],
    ],
    ['how long it may run', plain, tool({ description: 'd', timeoutMs: 5 })],
    ['a key for others', plain, tool({ description: 'd', 'x-note': 1 })],
    ['a file that nothing names', plain, [plain[0], { ...plain[1], 'README.md': 'Hello' }]],
    ['a word to people beside code', code({}), code({}, { 'README.md': 'Hello' })],
    ['a word to people beside a prompt', written('a'), written('a', { 'README.md': 'Hello' })],
  ];
  it.each(unseen)('is the same with %s', async (_, before, after) => {
    expect(isVisibleToModel(await difference(before, after))).toBe(false);
  });
});

describe('another dependency', () => {
  const print = { version: '1.0.0', digest: 'a', isExtension: false };
  const dependencies = [{ name: 'left', before: print, after: { ...print, digest: 'b' } }];
  const plain = tool({ description: 'd' });

  it('is reported, but invisible to the model if only handlers use it', async () => {
    const found = await difference(plain, plain, { dependencies });
    expect(found.dependencies).toEqual(dependencies);
    expect(isVisibleToModel(found)).toBe(false);
  });

  it('is seen where code defines an item', async () => {
    expect(isVisibleToModel(await difference(code({}), code({}), { dependencies }))).toBe(true);
  });

  it.each(['before', 'after'])('is seen where it is an extension %s', async (side) => {
    const extension = { name: 'left', [side]: { ...print, isExtension: true } };
    expect(isVisibleToModel(await difference(plain, plain, { dependencies: [extension] }))).toBe(true);
  });
});

describe('another package.json', () => {
  const saying = async ([manifest, files]: Side, fields: object, more: object = {}) =>
    await comparePackages(
      ...(await Promise.all([
        Extension.open(writePackage(manifest, { ...modules, ...files })),
        Extension.open(writePackage({ ...manifest, ...more }, { ...modules, ...files }, fields)),
      ])),
      { load: false, dependencies: [] },
    );
  const plain = tool({ description: 'd' });
  const where = { '#definition': './b.js' };

  const fields: readonly object[] = [
    { imports: where },
    { exports: './b.js' },
    { main: 'b.js' },
    { type: 'commonjs' },
  ];
  it.each(fields)('is seen where code defines an item: %o', async (value) => {
    const found = await saying(code({}), value);
    expect(found.changed.map(({ unread }) => unread)).toEqual(['definition']);
    expect(isVisibleToModel(found)).toBe(true);
  });

  it('is reported by value, but invisible to the model if only handlers use it', async () => {
    const found = await saying(plain, { version: '2.0.0', imports: where, dependencies: { left: '1.0.0' } });
    expect(found.packageJson).toEqual([
      { path: ['imports'], before: undefined, after: where },
      { path: ['dependencies'], before: undefined, after: { left: '1.0.0' } },
    ]);
    expect(isVisibleToModel(found)).toBe(false);
  });

  it('is not reported for another version or other declarations', async () => {
    const found = await saying(code({}), { version: '2.0.0' }, { prompts: [] });
    expect(found.packageJson).toEqual([]);
    expect(isVisibleToModel(found)).toBe(false);
  });
});

describe('code that is loaded', () => {
  it('is compared by its definition', async () => {
    const { changed } = await difference(code({ description: 'd' }), code({ description: 'e' }), {
      load: true,
    });
    expect(changed).toEqual([
      {
        kind: 'tools',
        name: 'a',
        values: [{ path: ['description'], before: 'd', after: 'e' }],
        files: ['agenttools/tools/a.js'],
        unread: false,
      },
    ]);
  });

  it('is unchanged if its definition is equal', async () => {
    const before = code({ description: 'd' });
    const after: Side = [
      before[0],
      { 'agenttools/tools/a.js': 'export default /* so */ {"description":"d"}' },
    ];
    const found = await difference(before, after, { load: true });
    expect(found.changed.map(({ files }) => files)).toEqual([['agenttools/tools/a.js']]);
    expect(isVisibleToModel(found)).toBe(false);
  });

  it('reports a failure to load', async () => {
    const after: Side = [{ tools: ['a'] }, { 'agenttools/tools/a.js': 'export default {1}' }];
    const { changed } = await difference(code({}), after, { load: true });
    expect(changed[0]?.problem).toMatch(/could not be loaded/);
  });
});

it('lists every item as new if the old package is unreadable', async () => {
  const after = await Extension.open(writePackage(...tool({ description: 'd' })));
  const { added, changed } = await comparePackages(undefined, after, { load: false, dependencies: [] });
  expect(added.map(({ name, value }) => [name, value?.description])).toEqual([['a', 'd']]);
  expect(changed).toEqual([]);
});

describe('permissions of a sandbox', () => {
  const server = (sandbox: unknown): Side => [
    { servers: ['notes'] },
    { 'agenttools/servers/notes.json': { tools: [], ...(sandbox !== undefined && { sandbox }) } },
  ];
  const declared = (sandbox: unknown): Side => [
    { servers: [{ name: 'notes', sandbox }] },
    { 'agenttools/servers/notes.json': { tools: [] } },
  ];
  const narrow = { network: ['a.example'], env: ['KEY'] };

  it.each([
    ['more of them', server(narrow), server({ ...narrow, run: ['git'] }), ['start git']],
    ['another one', server(narrow), server({ network: ['*'], env: ['KEY'] }), ['connect to *']],
    [
      'more in the manifest',
      declared(narrow),
      declared({ ...narrow, files: { write: ['~'] } }),
      ['write to ~'],
    ],
  ])('need consent for %s', async (_, before, after, can) => {
    const found = await difference(before, after);
    expect(found.permissions).toEqual(can.map((one) => `In its sandbox, the server notes can ${one}.`));
    expect(needsConsent(found)).toBe(true);
  });

  it('need consent for the loss of the sandbox', async () => {
    const found = await difference(server(narrow), server(undefined));
    expect(found.permissions).toEqual([
      'The server notes declares no sandbox any more: its code can use everything.',
    ]);
    expect(needsConsent(found)).toBe(true);
  });

  it('need no consent for fewer of them, or for a new sandbox', async () => {
    expect(needsConsent(await difference(server(narrow), server({ network: ['a.example'] })))).toBe(false);
    expect(needsConsent(await difference(server(undefined), server(narrow)))).toBe(false);
  });
});
