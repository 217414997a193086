import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { parseStartArguments } from '../../src/cli/commands/start/arguments.js';
import { preparation } from '../../src/cli/commands/start/run.js';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { npmUser } from '../support/npm-user.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { fakeHost } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let home: string;
const programs = writeFolder({ uvx: '', docker: '', dnx: '' });
const server = { type: 'node', entry_point: 'server.mjs' };
const bundle = writeBundle(
  { manifest_version: '0.3', name: 'tickets', version: '2.0.0', server },
  { 'server.mjs': ticketsServer },
);

const npm = npmUser(async (registry) => {
  for (const name of readdirSync(programs)) chmodSync(path.join(programs, name), 0o755);
  await registry.publish({
    'package.json': { name: '@acme/mcp', version: '1.2.0', type: 'module', bin: 'server.js' },
    'server.js': ticketsServer,
  });
});

beforeEach(() => {
  const mcpServers = { a: { command: 'node', args: ['a.js'] } };
  home = npm.newHome({ 'mcp.json': { mcpServers } });
  writeFileSync(path.join(home, 'tickets.mcpb'), bundle);
  addFiles(home, { '.cursor/mcp.json': original });
});

const original = '{\n\t"mcpServers": {\n\t}\n}';
const cursorFile = () => path.join(home, '.cursor/mcp.json');
const entries = () => JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers;
const edit = (from: string, to: string) =>
  writeFileSync(cursorFile(), readFileSync(cursorFile(), 'utf8').replace(from, to));
const leftFolders = () =>
  ['npm-servers', 'bundles'].flatMap((folder) => {
    const place = path.join(home, 'agenttools', folder);
    return existsSync(place) ? readdirSync(place) : [];
  });

const recordCount = () => readdirSync(path.join(home, 'agenttools', 'existing-servers')).length;

const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  await npm.run(words, {
    home,
    env: { PATH: [programs, path.dirname(process.execPath)].join(path.delimiter), ...env },
  });
const listed = async () => JSON.parse((await run(['list-installed', '--json'])).stdout);

interface Kind {
  readonly kind: string;
  readonly words: readonly string[];
  readonly server: string;
  readonly version: string | null;
  /** Other spellings for `uninstall`. */
  readonly spellings: readonly (readonly string[])[];
}

/** Every kind of existing server. */
const kinds: readonly Kind[] = [
  {
    kind: 'npm',
    words: ['@acme/mcp'],
    server: 'npm:@acme/mcp@1.2.0',
    version: '1.2.0',
    spellings: [['@acme/mcp'], ['npm:@acme/mcp'], ['npm:@acme/mcp@1.2.0'], ['@acme/mcp@1.2.0'], ['acme']],
  },
  {
    kind: 'npm',
    words: ['--', 'npx', '-y', '@acme/mcp'],
    server: 'npm:@acme/mcp@1.2.0',
    version: '1.2.0',
    spellings: [['npm:@acme/mcp'], ['--', 'npx', '-y', '@acme/mcp']],
  },
  {
    kind: 'url',
    words: ['https://mcp.example.com/mcp', '--header', 'A: b'],
    server: 'https://mcp.example.com/mcp',
    version: null,
    spellings: [['https://MCP.example.com/mcp'], ['example']],
  },
  {
    kind: 'registry',
    words: ['io.github.acme/tickets'],
    server: 'io.github.acme/tickets@3.0.0',
    version: '3.0.0',
    spellings: [['io.github.acme/tickets'], ['io.github.acme/tickets@3.0.0'], ['tickets']],
  },
  {
    kind: 'bundle',
    words: ['tickets.mcpb'],
    server: 'mcpb:HOME/tickets.mcpb',
    version: '2.0.0',
    spellings: [['./tickets.mcpb'], ['HOME/tickets.mcpb'], ['tickets']],
  },
  {
    kind: 'client-config',
    words: ['./mcp.json#a'],
    server: 'HOME/mcp.json#a',
    version: null,
    spellings: [['./mcp.json'], ['HOME/mcp.json#a'], ['a']],
  },
  {
    kind: 'pypi',
    words: ['pypi:acme==1.0'],
    server: 'pypi:acme@1.0',
    version: '1.0',
    spellings: [['pypi:acme'], ['uvx:acme@1.0'], ['pypi:acme==1.0']],
  },
  {
    kind: 'docker',
    words: ['docker:mcp/postgres:16'],
    server: 'docker:mcp/postgres:16',
    version: null,
    spellings: [['docker:mcp/postgres'], ['oci:mcp/postgres:16'], ['postgres']],
  },
  {
    kind: 'nuget',
    words: ['nuget:Acme.Mcp@1.0.0'],
    server: 'nuget:Acme.Mcp@1.0.0',
    version: '1.0.0',
    spellings: [['nuget:Acme.Mcp']],
  },
  {
    kind: 'command',
    words: ['--', 'node', 'server.mjs'],
    server: 'node server.mjs',
    version: null,
    spellings: [['--', 'node', 'server.mjs'], ['node server.mjs']],
  },
];

describe('list-installed and uninstall', () => {
  test.for(kinds.map((one) => [`${one.kind}: ${one.words.join(' ')}`, one] as const))(
    'know a server of %s by all its names',
    async ([, { kind, words, server: name, version, spellings }]) => {
      const packages = [{ registryType: 'npm', identifier: '@acme/mcp', version: '1.2.0' }];
      const entry = registryEntry({ name: 'io.github.acme/tickets', version: '3.0.0', packages });
      const { url } = await startMcpRegistry([entry]);
      const here = (text: string) => text.replace('HOME', home);
      for (const spelling of spellings) {
        const target = ['install', 'cursor', '--no-verify'];
        const env = { AGENTTOOLS_MCP_REGISTRY: url };
        const installed = await run([...target, ...words], env);
        expect(installed).toMatchObject({ code: 0 });
        const [data, ...others] = await listed();
        expect(others).toEqual([]);
        const serverVersion = version;
        expect(data).toMatchObject({ kind, server: here(name), serverVersion, state: 'intact' });
        const gone = await run(['uninstall', 'cursor', ...spelling.map(here)]);
        expect({ spelling, ...gone }).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed') });
        expect(readFileSync(cursorFile(), 'utf8')).toBe(original);
        expect(leftFolders()).toEqual([]);
      }
    },
  );

  test('appear in list-servers until they are uninstalled', async () => {
    const names = async (...words: readonly string[]) => {
      const servers = JSON.parse((await run(['list-servers', '--json', ...words])).stdout);
      return servers.map(({ name, source }: { name: string; source: string }) => `${source} ${name}`);
    };
    await run(['install', 'cursor', '@acme/mcp', '--no-verify']);
    await run(['install', 'cursor', '--no-verify', '--', 'node', 'server.mjs', '--token', 's3cr3t']);
    expect(await names()).toEqual(['installed npm:@acme/mcp@1.2.0', 'installed server']);
    for (const pattern of ['*acme/mcp*', '@acme/mcp', 'acme', 'ac*', '@acme/*'])
      expect(await names(pattern)).toEqual(['installed npm:@acme/mcp@1.2.0']);
    expect(await names('server')).toEqual(['installed server']);
    expect(await names('mcp')).toEqual([]);
    expect((await run(['list-servers'])).stdout).toContain('existing MCP servers in your clients');
    expect(recordCount()).toBe(2);
    await run(['uninstall', 'cursor', '@acme/mcp']);
    expect(recordCount()).toBe(1);
    expect(await names()).toEqual(['installed server']);
  });

  test('are found by the key of a command, unless the entry has secrets of it', async () => {
    writeFileSync(path.join(home, 'server.mjs'), ticketsServer);
    const install = async (...words: readonly string[]) =>
      await run(['install', 'cursor', '--no-verify', ...words]);
    await install('--name', 'desk', '--', 'node', 'server.mjs', 'a b');
    await install('--name', 'chosen', '--except', 'none', '--', 'node', 'server.mjs');
    await install('--name', 'own', '--', 'node', 'server.mjs', '--token', 's3cr3t');
    expect((await run(['show', 'own'])).stdout).not.toContain('s3cr3t');
    await install('--name', 'locked', '--project', '--', 'node', 'server.mjs', '--token', 's3cr3t');
    for (const key of ['desk', 'chosen']) {
      const { code, stdout, stderr } = await run(['show', key, '--json']);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining(`${key} is the installed server`),
      });
      expect(JSON.parse(stdout).launch).toMatch(/node \S*server\.mjs/);
      expect((await run(['call', key])).stdout).toContain('tool');
    }
    const { code, stderr } = await run(['show', 'locked']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no server "locked"')]);
  });

  test('show the kind, the version and the given reference to people', async () => {
    await run(['install', 'cursor', '@acme/mcp', '--no-verify']);
    const { stdout } = await run(['list-installed']);
    expect(stdout).toContain(
      'npm:@acme/mcp@1.2.0 in Cursor as "acme": intact\n  npm package, version 1.2.0, installed as @acme/mcp\n',
    );
  });

  test('do not take another version, file or package for the installed one', async () => {
    await run(['install', 'cursor', '@acme/mcp', '--no-verify']);
    await run(['install', 'cursor', './tickets.mcpb', '--no-verify']);
    for (const other of ['npm:@acme/mcp@1.0.0', '@acme/other', './other.mcpb', '.', 'pypi:acme'])
      expect((await run(['uninstall', 'cursor', other])).stderr).not.toContain('Removed');
    expect(Object.keys(entries())).toEqual(['acme', 'tickets']);
  });
});

describe('the state of an existing server', () => {
  const stateOf = async () => (await listed())[0].state;

  test('is edited after a change of the address or a header', async () => {
    await run(['install', 'cursor', 'https://mcp.example.com/mcp', '--header', 'A: b', '--no-verify']);
    edit('/mcp"', '/other"');
    expect(await stateOf()).toBe('edited');
    edit('/other"', '/mcp"');
    edit('"b"', '"c"');
    expect(await stateOf()).toBe('edited');
    expect((await run(['uninstall', 'cursor', 'example'])).code).toBe(1);
    edit('"c"', '"b"');
    expect(await stateOf()).toBe('intact');
  });

  test('is gone without the entry, and a missing server without its folder', async () => {
    await run(['install', 'cursor', './tickets.mcpb', '--no-verify']);
    const [folder = ''] = leftFolders();
    rmSync(path.join(home, 'agenttools/bundles', folder), { recursive: true });
    expect(await stateOf()).toBe('server missing');
    writeFileSync(cursorFile(), '{}');
    expect(await stateOf()).toBe('gone');
  });
});

describe('folders of servers', () => {
  test('go if no client could be written', async () => {
    writeFileSync(
      path.join(home, 'tickets.mcpb'),
      writeBundle(
        {
          manifest_version: '0.3',
          name: 'tickets',
          version: '2.0.0',
          server,
        },
        { 'server.mjs': 'process.exit(1);' },
      ),
    );
    expect((await run(['install', 'cursor', './tickets.mcpb'])).code).toBe(1);
    expect(leftFolders()).toEqual([]);
  });

  test('stay for other entries, and for clients that have no config file', async () => {
    await run(['install', 'cherry-studio', '@acme/mcp']);
    await run(['install', 'cursor', '@acme/mcp', '--no-verify']);
    await run(['install', 'cursor', './tickets.mcpb', '--no-verify']);
    await run(['uninstall', 'cursor', '@acme/mcp']);
    expect(leftFolders()).toEqual(['@acme+mcp@1.2.0', expect.stringMatching(/^tickets-/)]);
  });
});

describe('the folder of a package', () => {
  test('stays while an entry through AgentTools starts it, and goes with the last one', async () => {
    const install = [
      'install',
      'npm:@acme/mcp',
      '--config',
      path.join(home, 'own.json'),
      '--client',
      'cursor',
    ];
    expect((await run([...install, '--only', 'tool'])).code).toBe(0);
    expect((await run(['install', 'cursor', 'npm:@acme/mcp', '--no-verify'])).code).toBe(0);
    expect((await run(['uninstall', 'cursor', 'npm:@acme/mcp'])).code).toBe(0);
    expect(leftFolders()).toEqual(['@acme+mcp@1.2.0']);
    const own = ['--config', path.join(home, 'own.json'), '--client', 'cursor'];
    expect((await run(['uninstall', ...own])).code).toBe(0);
    expect(leftFolders()).toEqual([]);
  });

  test('stays for a user-made server', async () => {
    const { code, stdout, stderr } = await run([
      'create-server',
      'desk',
      '--from',
      'npm:@acme/mcp',
      '--json',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { tools } = JSON.parse(readFileSync(JSON.parse(stdout).file, 'utf8'));
    expect(tools[0].upstream).toMatchObject({
      name: 'acme',
      args: [path.join(home, 'agenttools/npm-servers/@acme+mcp@1.2.0/node_modules/@acme/mcp/server.js')],
    });
    await run(['install', 'cursor', 'npm:@acme/mcp', '--no-verify']);
    await run(['uninstall', 'cursor', 'npm:@acme/mcp']);
    expect(leftFolders()).toEqual(['@acme+mcp@1.2.0']);
    expect(await run(['delete-server', 'desk'])).toMatchObject({ code: 0 });
    expect(leftFolders()).toEqual([]);
  });
});

describe('a scoped package', () => {
  test('is an existing server in call, show and create-server', async () => {
    const called = await run(['call', '@acme/mcp', 'tool']);
    expect(called.stderr).toBe('@acme/mcp is the npm package @acme/mcp, version 1.2.0.\n');
    const pinned = await run(['show', '@acme/mcp@1.2.0']);
    expect(pinned.stderr).toBe('note: @acme/mcp@1.2.0 is the npm package @acme/mcp@1.2.0.\n');
    expect(JSON.parse((await run(['show', '@acme/mcp', '--json'])).stdout)).toMatchObject({
      reference: 'npm:@acme/mcp@1.2.0',
      tools: ['tool'],
    });
    expect((await run(['create-server', 'desk', '--from', '@acme/mcp'])).code).toBe(0);
    expect((await run(['call', '@acme/none', 'tool'])).stderr).toContain('There is no server "@acme/none"');
  });

  test('is an existing server in start if it is not installed and may be', async () => {
    const { host } = fakeHost({ cwd: home, home, env: { npm_config_cache: npm.cache, HOME: home } });
    const input = parseStartArguments(['@acme/mcp'])!;
    expect((await preparation(input, host)).openServer).toBeDefined();
    expect((await preparation({ ...input, autoInstall: false }, host)).openServer).toBeUndefined();
    const named = { ...host, env: { ...host.env, MCP_SERVER_NAME: 'https://acme.example/mcp' } };
    expect((await preparation({ ...input, server: undefined }, named)).openServer).toBeDefined();
    expect((await preparation({ ...input, server: 'agenttools' }, named)).openServer).toBeUndefined();
    addFiles(home, {
      'node_modules/@acme/mcp/package.json': {
        name: '@acme/mcp',
        version: '1.0.0',
        agenttools: { servers: ['mcp'] },
      },
    });
    expect((await preparation(input, host)).openServer).toBeUndefined();
  });
});
