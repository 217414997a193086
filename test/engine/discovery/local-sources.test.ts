import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/engine/base/folders.js';
import { listServers } from '../../../src/engine/discovery/list-servers.js';
import { Extension } from '../../../src/engine/extension/extension.js';
import { UpstreamRecords } from '../../../src/engine/runtime/upstream-records.js';
import { upstreamSpec } from '../../../src/engine/runtime/upstream-spec.js';
import { type Files, packageJson, writeFolder } from '../../support/packages.js';

/** A machine with files below its folders. */
function machine(files: Files) {
  const root = writeFolder(files);
  const folder = (name: string) => path.join(root, name);
  const folders = {
    cwd: folder('project/src'),
    userServersFolder: folder('servers'),
    builtinFolder: path.join(packageRoot(), 'src/builtin'),
    packagesFolder: folder('added/node_modules'),
    globalFolder: folder('global'),
    siblingsFolder: folder('siblings'),
    cacheFolder: folder('cache'),
  };
  return { root, folders };
}

const list = async (files: Files, options = {}) => await listServers({ ...machine(files), ...options });

const names = async (files: Files, options = {}) =>
  (await list(files, options)).servers.map(({ name, source }) => `${source} ${name}`);

const extension = (name: string, manifest: unknown = { tools: ['x'] }, version = '1.0.0') =>
  packageJson(manifest, { name, version });

describe('existing MCP servers in a list', () => {
  const upstream = { command: 'archive-mcp' };
  const files = {
    'servers/package.json': extension('user-made servers', { servers: ['mine'] }),
    'servers/agenttools/servers/mine.json': {
      tools: ['diagnostics', { upstream, except: ['drop'], prefix: 'old_' }, 'catalog'],
      prompts: ['help'],
    },
  };
  const outline = ({ servers: [server] }: Awaited<ReturnType<typeof list>>) => ({
    tools: server?.tools,
    prompts: server?.prompts,
    upstreams: server?.upstreams,
  });

  test('are named before their first start, and listed with their items after it', async () => {
    const { root, folders } = machine(files);
    const before = { tools: ['diagnostics', 'catalog'], prompts: ['help'], upstreams: ['archive-mcp'] };
    expect(outline(await listServers({ folders }))).toEqual(before);

    const servers = await Extension.open(path.join(root, 'servers'), { origin: 'user' });
    const names = { tools: ['find', 'drop'], prompts: ['sum'], resources: [] };
    await new UpstreamRecords(root).write(upstreamSpec(upstream, servers).key, { title: 'Archive', names });
    expect(outline(await listServers({ folders }))).toEqual({
      ...before,
      tools: ['diagnostics', 'old_find', 'catalog'],
      prompts: ['help', 'sum'],
    });
  });
});

describe('where servers are', () => {
  test('every source is looked in', async () => {
    expect(
      await names({
        'servers/package.json': extension('user-made servers', { servers: ['mine'] }),
        'servers/agenttools/servers/mine.json': { tools: ['diagnostics', '@acme/there/x'] },
        'project/package.json': extension('@acme/here'),
        'project/node_modules/@acme/there/package.json': extension('@acme/there'),
        'node_modules/above/package.json': extension('above'),
        'added/node_modules/added/package.json': extension('added'),
        'global/everywhere/package.json': extension('everywhere'),
        'siblings/beside/package.json': extension('beside'),
      }),
    ).toEqual([
      'user-made mine',
      'project @acme/here/here',
      'project @acme/there/there',
      'project above/above',
      'added added/added',
      'global beside/beside',
      'global everywhere/everywhere',
    ]);
  });

  test('a package of nothing but skills is a server', async () => {
    const text = '---\nname: tea\ndescription: About tea.\n---\n';
    const files = {
      'added/node_modules/tea/package.json': extension('tea', {}),
      'added/node_modules/tea/skills/tea/SKILL.md': text,
      'added/node_modules/bare/package.json': extension('bare', {}),
    };
    expect(await names(files)).toEqual(['added tea/tea']);
  });

  test('the nearer package of a name is listed, also where it is broken', async () => {
    const { servers, notes } = await list({
      'project/node_modules/kit/package.json': extension('kit', { servers: ['near'] }, '2.0.0'),
      'project/node_modules/kit/agenttools/servers.json': { near: {} },
      'project/node_modules/bad/package.json': extension('bad', 3),
      'node_modules/kit/package.json': extension('kit', { servers: ['far'] }),
      'global/bad/package.json': extension('bad'),
      'global/kit/package.json': extension('kit'),
    });
    expect(servers.map(({ name, version }) => `${name} ${version}`)).toEqual(['kit/near 2.0.0']);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/^bad is left out: .*package\.json: "agenttools" in package\.json must be/);
  });

  test('a package goes by the name of its folder, so that none takes the place of another', async () => {
    const { servers } = await list({
      'project/node_modules/alias/package.json': extension('@acme/real', { servers: ['s'], tools: ['x'] }),
      'project/node_modules/alias/agenttools/servers/s.json': { tools: ['x', '@acme/real/y'] },
      'global/@acme/real/package.json': extension('@acme/real'),
    });
    expect(servers.map(({ name, tools }) => [name, tools])).toEqual([
      ['alias/s', ['alias/x', '@acme/real/y']],
      ['@acme/real/real', ['@acme/real/x']],
    ]);
  });

  test('linked packages count, other things in node_modules do not', async () => {
    const { root, folders } = machine({
      'elsewhere/package.json': extension('linked'),
      'global/.bin/package.json': extension('bin'),
      'global/plain/package.json': { name: 'plain', agenttoolz: {} },
      'global/user-of/package.json': { name: 'user-of', devDependencies: { agenttools: '1' } },
      'global/text': 'a file',
      'global/empty/readme': '',
      'global/@scope/text': '',
    });
    symlinkSync(path.join(root, 'elsewhere'), path.join(root, 'global/linked'));
    symlinkSync(path.join(root, 'nowhere'), path.join(root, 'global/dangling'));
    const { servers, notes } = await listServers({ folders });
    expect(notes).toEqual([]);
    expect(servers.map(({ name, location }) => [name, location])).toEqual([
      ['linked/linked', path.join(root, 'elsewhere')],
    ]);
  });

  test.runIf(process.platform === 'linux')('does not wait for the writer of a pipe', async () => {
    const { root, folders } = machine({ 'global/good/package.json': extension('good') });
    mkdirSync(path.join(root, 'global/pipe'));
    execFileSync('mkfifo', [path.join(root, 'global/pipe/package.json')]);
    const { servers } = await listServers({ folders });
    expect(servers.map(({ name }) => name)).toEqual(['good/good']);
  });

  test.each([
    ['is cut off', '{ "agenttools": { "servers": ["mine"'],
    ['lost the word', '{ "name": "user-made servers" '],
    ['says nothing of servers', '{ "name": "user-made servers" }'],
    ['is empty', ''],
    ['is a folder', undefined],
  ])("reports the user's package.json that %s", async (_, text) => {
    const { servers, notes } = await list({
      'servers/agenttools/servers/mine.json': { tools: ['diagnostics'] },
      [text === undefined ? 'servers/package.json/x' : 'servers/package.json']: text ?? '',
      'global/good/package.json': extension('good'),
    });
    expect(servers.map(({ name }) => name)).toEqual(['good/good']);
    expect(notes).toEqual([expect.stringMatching(/servers is left out: .*package\.json/)]);
  });

  test('reports an unreadable package and the reason', async () => {
    const { root, folders } = machine({
      'added/node_modules/cut/package.json': '{ "name": "cut", ',
      'added/node_modules/plain/package.json': { name: 'plain' },
      'added/node_modules/@acme/here/package.json': extension('@acme/here', { tools: [] }),
      'global/word/package.json': '{ "name": "word", "agenttools": { "tools": ["x"] ',
      'global/large/package.json': `{ "agenttools": {}, "x": "${'x'.repeat(5 * 1024 * 1024)}" }`,
      'global/ordinary/package.json': '{ "name": "ordinary", ',
    });
    symlinkSync(path.join(root, 'nowhere'), path.join(root, 'added/node_modules/@acme/gone'));
    const { servers, notes } = await listServers({ folders });
    expect(servers).toEqual([]);
    expect(notes.map((note) => note.replaceAll(root, ''))).toEqual([
      expect.stringMatching(/^@acme\/gone is left out: There is no package\.json in .* any more\.$/),
      expect.stringMatching(/^cut is left out: .*package\.json:1:\d+: /),
      expect.stringMatching(/^plain is left out: .*plain is not an extension/),
      expect.stringMatching(/^large is left out: .* is larger than 5 MB\.$/),
      expect.stringMatching(/^word is left out: .*package\.json:1:\d+: /),
    ]);
  });

  test('a bundled extension without servers has none to start', async () => {
    const { folders } = machine({ 'builtin/viewers/package.json': extension('viewers') });
    const builtinFolder = path.join(folders.cwd, '../../builtin');
    const { servers } = await listServers({ folders: { ...folders, builtinFolder }, builtIn: true });
    expect(servers).toEqual([]);
  });

  test('reports declarations that are not a list', async () => {
    const { servers, notes } = await list({
      'global/kit/package.json': extension('kit', { tools: 'greet', prompts: ['p'] }),
      'global/other/package.json': extension('other', { tools: {} }),
    });
    expect(servers.map(({ name }) => name)).toEqual(['kit/kit']);
    expect(notes).toEqual([
      expect.stringMatching(/^kit: "tools" of the manifest is not a list\. Expected/),
      expect.stringMatching(/^other: "tools" of the manifest is not a list\. Expected/),
    ]);
  });

  test('reports only packages that the pattern could match', async () => {
    const files = { 'global/kit/package.json': extension('kit', 3) };
    expect((await list(files, { pattern: 'other' })).notes).toEqual([]);
    expect((await list(files, { pattern: 'kit/*' })).notes).toHaveLength(1);
  });

  test('an empty machine has built-in servers only', async () => {
    expect(await names({})).toEqual([]);
    expect(await names({}, { builtIn: true })).toContain('built-in agenttools');
  });
});

describe('listed facts of a server', () => {
  const project = (manifest: unknown, files: Files = {}, fields: object = {}): Files => ({
    'project/package.json': packageJson(manifest, fields),
    ...Object.fromEntries(Object.entries(files).map(([name, held]) => [`project/${name}`, held])),
  });

  const only = async (files: Files) => {
    const { servers, notes } = await list(files);
    expect(notes).toEqual([]);
    expect(servers).toHaveLength(1);
    return servers[0]!;
  };

  test('come from a data definition', async () => {
    const { location, ...server } = await only(
      project(
        {
          servers: [{ name: 'main', description: 'Declared.', tools: ['b'] }],
          tools: ['a', 'b'],
          prompts: ['p'],
        },
        {
          'agenttools/servers/main.jsonc': `// ours
            { "description": "Defined.", "version": "7.0.0", "prompts": "*",
              "tools": ["a", "diagnostics", { "use": "acme/other/c", "name": "d" }, { "name": "e", "handler": "./x.js" }, 3, "no name"] }`,
        },
      ),
    );
    expect(server).toEqual({
      name: '@acme/kit/main',
      source: 'project',
      description: 'Defined.',
      version: '7.0.0',
      tools: ['@acme/kit/a', 'diagnostics', '@acme/other/c', '@acme/kit/e'],
      prompts: ['@acme/kit/p'],
    });
    expect(path.basename(location!)).toBe('project');
  });

  test.each([
    ['js', 'throw new Error("It was loaded.")'],
    ['mts', 'throw new Error("It was loaded.")'],
  ])('a definition in .%s leaves it to the declaration', async (ending, code) => {
    const declared = { name: 'main', description: 'Declared.', tools: ['b', 'other/x'] };
    expect(
      await only(
        project(
          { servers: [declared], tools: ['a', 'b'], prompts: ['p'] },
          { [`agenttools/servers/main.${ending}`]: code },
        ),
      ),
    ).toMatchObject({
      description: 'Declared.',
      version: '1.2.3',
      tools: ['@acme/kit/b', 'other/x'],
      prompts: ['@acme/kit/p'],
    });
  });

  test('a package without servers has one with all it declares, and its own description', async () => {
    expect(
      await only(project({ tools: ['a'], prompts: ['p'] }, {}, { description: 'What the kit is for.' })),
    ).toMatchObject({
      name: '@acme/kit/kit',
      description: 'What the kit is for.',
      tools: ['@acme/kit/a'],
      prompts: ['@acme/kit/p'],
    });
  });

  test('reports unreadable definitions, and lists the others', async () => {
    const { servers, notes } = await list(
      project(
        { servers: ['good', 'missing', 'torn', 'wrong'] },
        {
          'agenttools/servers/good.json': {},
          'agenttools/servers/torn.json': '{ "tools": [',
          'agenttools/servers/wrong.json': { tools: 3 },
        },
      ),
    );
    expect(servers.map(({ name }) => name)).toEqual(['@acme/kit/good']);
    expect(notes.map((note) => note.replace(/\(.*[\\/]project[\\/]/, '('))).toEqual([
      expect.stringMatching(/^@acme\/kit\/missing is left out: .*has no definition.*\(package\.json\)$/),
      expect.stringMatching(/^@acme\/kit\/torn is left out: .*torn\.json/),
      expect.stringMatching(/^@acme\/kit\/wrong is left out: Server "wrong" has an unusable "tools"/),
    ]);
  });

  test('reports a package with too many declarations', async () => {
    const many = Array.from({ length: 600 }, (_, index) => `item-${index}`);
    const { servers, notes } = await list({
      ...project({ servers: many, tools: many }),
      'global/good/package.json': extension('good'),
    });
    expect(servers.map(({ name }) => name)).toEqual(['good/good']);
    expect(notes).toEqual([expect.stringContaining('declares more than can be listed')]);
  });

  test('long descriptions are cut', async () => {
    const { description } = await only(project({ tools: ['a'] }, {}, { description: '😀'.repeat(100_000) }));
    expect([...description!]).toHaveLength(1000);
    expect(description).toMatch(/^(?:😀)+…$/u);
  });
});

test('no module of any package is run', async () => {
  const trace = writeFolder();
  const file = path.join(trace, 'trace');
  const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, ''); export default {};`;
  const modules = Object.fromEntries(
    [
      'index.js',
      'agenttools/servers/coded.js',
      'agenttools/servers.js',
      'agenttools/tools/t.js',
      'agenttools/tools.mjs',
      'agenttools/prompts/p.js',
    ].map((name) => [name, code]),
  );
  const manifest = {
    servers: ['coded', 'combined', 'data'],
    tools: ['t', 'u'],
    prompts: ['p'],
    initialize: './index.js',
  };
  const files = {
    'package.json': packageJson(manifest, {
      name: 'kit',
      main: 'index.js',
      scripts: { install: 'node index.js' },
    }),
    'agenttools/servers/data.json': { tools: '*', prompts: '*', initialize: './index.js' },
    ...modules,
  };
  const places = ['project', 'project/node_modules/one', 'added/node_modules/two', 'global/three'];
  const all = places.flatMap((place) =>
    Object.entries(files).map(([name, held]) => [`${place}/${name}`, held] as const),
  );
  const { servers } = await list(Object.fromEntries(all), { builtIn: true });
  expect(servers.filter(({ source }) => source !== 'built-in')).toHaveLength(12);
  expect(existsSync(file)).toBe(false);
});
