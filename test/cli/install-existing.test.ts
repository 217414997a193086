// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references in manifests and config files.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { applyPatch } from 'diff';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { npmInProcess } from '../support/npm-in-process.js';
import { npmUser } from '../support/npm-user.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { fixture, programFile } from '../support/program.js';
import { runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let home: string;

const npm = npmUser(async (registry) => {
  const fields = { type: 'module', bin: 'server.js' };
  for (const version of ['1.0.0', '1.2.0'])
    await registry.publish({
      'package.json': { name: '@acme/mcp', version, ...fields },
      'server.js': ticketsServer,
    });
  const scripts = { postinstall: 'node build.js' };
  const broken = 'import "./built.js";';
  await registry.publish({
    'package.json': { name: 'builder', version: '1.0.0', scripts, ...fields },
    'build.js': 'import { writeFileSync } from "node:fs"; writeFileSync("built.js", "");',
    'server.js': broken + ticketsServer,
  });
});

beforeEach(() => {
  home = npm.newHome();
});

const run = async (
  words: readonly string[],
  { cwd = home, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) => await npm.run(words, { home, cwd, env });

const cursorFile = () => path.join(home, '.cursor/mcp.json');
const entries = () => JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers;
/** The link to Node that entries start. */
const nodeLink = () => path.join(home, 'agenttools/bin/node');
const npmServer = (version: string) =>
  path.join(home, 'agenttools/npm-servers', `@acme+mcp@${version}`, 'node_modules/@acme/mcp/server.js');

describe('install of an npm package', () => {
  test('writes a direct entry, pinned and absolute, and uninstall gives the bytes back', async () => {
    const original = '{\n\t"mcpServers": {}\n}';
    addFiles(path.dirname(cursorFile()), { 'mcp.json': original });
    const { code, stdout, stderr } = await run(['install', 'cursor', '@acme/mcp']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('@acme/mcp is the npm package @acme/mcp, version 1.2.0.');
    expect(stderr).toContain('Installed npm:@acme/mcp@1.2.0 in Cursor as "acme"');
    expect(readlinkSync(nodeLink())).toBe(process.execPath);
    expect(entries()).toEqual({ acme: { command: nodeLink(), args: [npmServer('1.2.0')] } });
    const { stdout: listed } = await run(['list-installed', '--json']);
    expect(JSON.parse(listed)).toMatchObject([{ server: 'npm:@acme/mcp@1.2.0', state: 'intact' }]);
    expect((await run(['uninstall', 'cursor', '@acme/mcp'])).code).toBe(0);
    expect(readFileSync(cursorFile(), 'utf8')).toBe(original);
    expect(existsSync(npmServer('1.2.0'))).toBe(false);
  });

  test('takes arguments and variables, and updates the entry to another version', async () => {
    await run([
      'install',
      'cursor',
      'npm:@acme/mcp@1.0.0',
      '--arg',
      '/data',
      '--env',
      'TOKEN=abc',
      '--name',
      'fs',
    ]);
    expect(entries().fs).toEqual({
      command: nodeLink(),
      args: [npmServer('1.0.0'), '/data'],
      env: { TOKEN: 'abc' },
    });
    const { code, stderr } = await run(['install', 'cursor', 'npm:@acme/mcp', '--name', 'fs']);
    expect(code).toBe(0);
    expect(stderr).toContain('npm:@acme/mcp@1.2.0 took the place of npm:@acme/mcp@1.0.0.');
    expect(entries().fs).toEqual({ command: nodeLink(), args: [npmServer('1.2.0')] });
    await run(['install', 'vscode', 'npm:@acme/mcp@1.0.0']);
    await run(['uninstall', 'cursor', 'fs']);
    expect([npmServer('1.0.0'), npmServer('1.2.0')].map(existsSync)).toEqual([true, false]);
  });

  test('writes npx with the exact version for shared files, and no secret into a project', async () => {
    const project = writeFolder();
    const words = [
      'install',
      'cursor',
      '@acme/mcp',
      `--project=${project}`,
      '--command',
      'npx',
      '--no-verify',
    ];
    await run([...words, '--env', 'API_TOKEN=s3cret']);
    const text = readFileSync(path.join(project, '.cursor/mcp.json'), 'utf8');
    expect(text).not.toContain('s3cret');
    expect(JSON.parse(text).mcpServers.acme).toMatchObject({
      command: 'npx',
      args: ['-y', '@acme/mcp@1.2.0'],
    });
    expect(existsSync(path.join(home, 'agenttools/npm-servers'))).toBe(false);
  });

  test('names install scripts that a failed start may need, and runs them with consent', async () => {
    const failed = await run(['install', 'cursor', 'npm:builder']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('did not answer');
    expect(failed.stderr).toContain(
      'builder@1.0.0 has install scripts that were not run: postinstall: node build.js.',
    );
    expect(failed.stderr).toMatch(
      /For lack of the scripts of builder, this is missing: .*\/node_modules\/builder\/built\.js$/m,
    );
    expect(existsSync(cursorFile())).toBe(false);
    const { AGENTTOOLS_TEST_NPM: _, ...program } = { AGENTTOOLS_TEST_NPM: '', ...npmInProcess };
    const allowed = await runCli(['install', 'cursor', 'npm:builder', '--allow-scripts', 'builder'], {
      home,
      cwd: home,
      env: { ...program, PATH: process.env.PATH ?? '', npm_config_cache: npm.cache, HOME: home },
    });
    expect(allowed).toMatchObject({ code: 0 });
    const records = path.join(home, 'agenttools');
    const names = readdirSync(records, { recursive: true, encoding: 'utf8' });
    const texts = names
      .filter((name) => /^receipts.*\.json$/.test(name))
      .map((name) => readFileSync(path.join(records, name), 'utf8'));
    expect(texts.join('')).toMatch(/"allowedScripts":\s*\[\s*"builder"\s*\]/);
  });

  test('refuses a bare word, which could be anything', async () => {
    const { code, stderr } = await run(['install', 'cursor', 'builder']);
    expect(code).toBe(1);
    expect(stderr).toContain('npm:builder');
  });
});

describe('install of an MCP Registry entry', () => {
  test('lists the missing inputs, then writes the entry with them', async () => {
    const { url } = await startMcpRegistry([
      registryEntry({
        name: 'io.github.acme/tickets',
        version: '1.2.0',
        packages: [
          {
            registryType: 'npm',
            identifier: '@acme/mcp',
            version: '1.2.0',
            packageArguments: [{ type: 'named', name: '--region', choices: ['eu', 'us'], isRequired: true }],
            environmentVariables: [{ name: 'TOKEN', isRequired: true, isSecret: true }],
          },
        ],
      }),
    ]);
    const env = { AGENTTOOLS_MCP_REGISTRY: url };
    const missing = await run(['install', 'cursor', 'io.github.acme/tickets'], { env });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('--arg --region=<eu|us> is missing.');
    expect(missing.stderr).toContain('--env TOKEN=<value> is missing.');
    const words = ['install', 'cursor', 'io.github.acme/tickets', '--arg', 'region=eu', '--env', 'TOKEN=abc'];
    const { code, stderr } = await run(words, { env });
    expect(code).toBe(0);
    expect(stderr).toContain('Installed io.github.acme/tickets@1.2.0 in Cursor as "tickets"');
    expect(entries().tickets).toEqual({
      command: nodeLink(),
      args: [npmServer('1.2.0'), '--region', 'eu'],
      env: { TOKEN: 'abc' },
    });
  });
});

describe('install of a command', () => {
  test('writes absolute paths', async () => {
    const cwd = writeFolder({ 'server.mjs': ticketsServer });
    const { code } = await run(
      ['install', 'cursor', '--name', 'mine', '--', 'node', 'server.mjs', '--flag'],
      { cwd },
    );
    expect(code).toBe(0);
    const { command, args } = entries().mine;
    expect(path.isAbsolute(command)).toBe(true);
    expect(args).toEqual([path.join(cwd, 'server.mjs'), '--flag']);
    expect((await run(['uninstall', 'cursor', 'mine'])).code).toBe(0);
    expect(existsSync(cursorFile())).toBe(false);
  });

  test('keeps the words of a command that is AgentTools', async () => {
    const place = fixture('weather/weather');
    const words = ['--no-verify', '--name', 'mine', '--', process.execPath, programFile, 'start', place];
    expect((await run(['install', 'cursor', ...words])).code).toBe(0);
    expect(entries().mine.args).toEqual([programFile, 'start', place]);
  });

  test('by npx installs the package', async () => {
    const words = ['--', 'npx', '-y', '@acme/mcp@1.0.0', '/data'];
    const { stderr } = await run(['install', 'cursor', '--name', 'fs', ...words]);
    expect(stderr).toContain('npx -y @acme/mcp@1.0.0 /data is npm:@acme/mcp@1.0.0.\n');
    expect(entries().fs.args).toEqual([npmServer('1.0.0'), '/data']);
  });

  test('excludes a reference', async () => {
    const { code, stderr } = await run(['install', 'cursor', '@acme/mcp', '--', 'node', 'x.js']);
    expect(code).toBe(2);
    expect(stderr).toContain('The server is the command after "--"');
  });
});

describe('install by another runner', () => {
  test.for([
    ['pypi:mcp-server-fetch==1.2', 'uvx', ['mcp-server-fetch==1.2'], 'fetch'],
    ['docker:mcp/postgres:16', 'docker', ['run', '-i', '--rm', '-e', 'TOKEN', 'mcp/postgres:16'], 'postgres'],
    ['nuget:Acme.Mcp@1.0.0', 'dnx', ['Acme.Mcp@1.0.0', '--yes', '--'], 'acme-mcp'],
  ] as const)('%s starts it by %s', async ([reference, runner, args, key]) => {
    const folder = writeFolder({
      [runner]: `#!${process.execPath}\n${ticketsServer.replace('import { createInterface } from', 'const { createInterface } = require(').replace("'node:readline';", "'node:readline');")}`,
    });
    chmodSync(path.join(folder, runner), 0o755);
    const { code, stderr } = await run(['install', 'cursor', reference, '--env', 'TOKEN=abc'], {
      env: { PATH: folder },
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(entries()[key]).toEqual({ command: path.join(folder, runner), args, env: { TOKEN: 'abc' } });
  });
});

test('a runner that fails is named with the variables of the network that it was started without', async () => {
  const folder = writeFolder({ uvx: '#!/bin/sh\nexit 1\n' });
  chmodSync(path.join(folder, 'uvx'), 0o755);
  const env = { PATH: folder, NODE_EXTRA_CA_CERTS: '/etc/acme.pem' };
  const { code, stderr } = await run(['install', 'cursor', 'pypi:acme==1.0'], { env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('started without NODE_EXTRA_CA_CERTS of your shell'),
  });
  expect(stderr).toContain('npm config set cafile "$NODE_EXTRA_CA_CERTS"');
  const given = await run(['install', 'cursor', 'pypi:acme==1.0', '--env', 'NODE_EXTRA_CA_CERTS'], { env });
  expect(given.stderr).not.toContain('of your shell');
});

test('an existing server with UI apps off goes through AgentTools', async () => {
  await run(['install', 'cursor', 'npm:@acme/mcp', '--no-enable-mcp-apps', '--no-verify']);
  expect(entries().acme).toMatchObject({
    args: expect.arrayContaining(['npm:@acme/mcp@1.2.0']),
    env: { MCP_APPS_ENABLED: 'false' },
  });
});

test.for([
  ['pypi:acme', 'uvx', 'https://docs.astral.sh/uv/'],
  ['docker:acme/mcp', 'docker', 'https://docs.docker.com'],
  ['nuget:Acme.Mcp', 'dnx', 'https://dotnet.microsoft.com/download'],
] as const)(
  'without its runner, %s is refused, with the name of the runner',
  async ([reference, runner, source]) => {
    const { code, stderr } = await run(['install', 'cursor', reference], { env: { PATH: writeFolder() } });
    expect(code).toBe(1);
    expect(stderr).toContain(`The server runs by ${runner}, which is not on the PATH.`);
    expect(stderr).toContain(source);
    expect(existsSync(cursorFile())).toBe(false);
  },
);

/** References to servers that fail at their start. */
const failing: readonly (readonly string[])[] = [
  ['npm:builder', '--arg', '/data'],
  ['npm:builder', '--command', 'npx'],
  ['./failing.mcpb'],
  ['pypi:acme==1.0'],
  ['docker:acme/mcp:1'],
  ['nuget:Acme.Mcp@1.0.0'],
  ['--name', 'own', '--', 'node', 'failing.mjs'],
  ['--name', 'fetched', '--', 'npx', '-y', 'builder@1.0.0'],
];

describe('--dry-run', () => {
  test.for(failing)('installs and starts nothing, and shows the real entry of %s', async (words) => {
    const code = 'process.exit(1);';
    const server = { type: 'node', entry_point: 'server.mjs' };
    const manifest = { manifest_version: '0.3', name: 'failing', version: '1.0.0', server };
    writeFileSync(path.join(home, 'failing.mcpb'), writeBundle(manifest, { 'server.mjs': code }));
    addFiles(home, { 'failing.mjs': code, '.cursor/mcp.json': '{}\n' });
    const folder = writeFolder(Object.fromEntries(['uvx', 'docker', 'dnx'].map((name) => [name, ''])));
    for (const name of readdirSync(folder)) chmodSync(path.join(folder, name), 0o755);
    const env = { PATH: [folder, process.env.PATH].join(path.delimiter) };
    const target = ['install', 'cursor', ...(words[0]!.startsWith('-') ? [] : [words[0]!])];
    const options = words.slice(target.length - 2);
    const dry = await run([...target, '--dry-run', ...options], { env });
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stderr).toContain('A dry run neither installs nor starts the server');
    expect(existsSync(path.join(home, 'agenttools'))).toBe(false);
    expect(readFileSync(cursorFile(), 'utf8')).toBe('{}\n');
    const real = await run([...target, '--no-verify', ...options], { env });
    expect(real).toMatchObject({ code: 0 });
    expect(applyPatch('{}\n', dry.stdout)).toBe(readFileSync(cursorFile(), 'utf8'));
  });

  test('names install scripts of the package, and finds out the entry of an installed one', async () => {
    const { stderr } = await run(['install', 'cursor', 'npm:builder', '--dry-run']);
    expect(stderr).toContain(
      'builder@1.0.0 has install scripts that were not run: postinstall: node build.js.',
    );
    await run(['install', 'cursor', '@acme/mcp', '--no-verify']);
    const again = await run(['install', 'cursor', '@acme/mcp', '--dry-run']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain('Nothing to change');
  });
});

test('the examples of the page install their servers', async () => {
  const page = readFileSync('docs/existing-servers.md', 'utf8');
  const [, code = ''] = page.match(/```sh\n([^`]*)```/) ?? [];
  const fields = { version: '1.0.0', type: 'module', bin: 'server.js' };
  for (const name of ['@playwright/mcp', '@modelcontextprotocol/server-filesystem'])
    await npm.registry.publish({ 'package.json': { name, ...fields }, 'server.js': ticketsServer });
  const packages = [{ registryType: 'npm', identifier: '@playwright/mcp', version: '1.0.0' }];
  const { url } = await startMcpRegistry([registryEntry({ name: 'io.github.acme/tickets', packages })]);
  const lines = code.trim().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    const [program, ...words] = line.split(' ');
    expect(program).toBe('agenttools');
    const { code: exit, stderr } = await run(words, {
      env: { AGENTTOOLS_MCP_REGISTRY: url, TICKETS_TOKEN: 'abc' },
    });
    expect({ line, exit, stderr }).toMatchObject({ exit: 0 });
  }
});

describe('install of a bundle', () => {
  const manifest = (version: string) => ({
    manifest_version: '0.3',
    name: 'acme-tickets',
    version,
    server: {
      type: 'node',
      entry_point: 'server.mjs',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server.mjs', '--region', '${user_config.region}'],
        env: { TOKEN: '${user_config.token}' },
      },
    },
    user_config: {
      region: { type: 'string', title: 'Region', description: 'Region' },
      token: { type: 'string', title: 'Token', description: 'API token', sensitive: true, required: true },
    },
  });
  const bundle = (version: string) => writeBundle(manifest(version), { 'server.mjs': ticketsServer });
  const folders = () => readdirSync(path.join(home, 'agenttools/bundles'));

  test('unpacks it, writes a direct entry, and uninstall removes the folder', async () => {
    writeFileSync(path.join(home, 'tickets.mcpb'), bundle('1.0.0'));
    const missing = await run(['install', 'cursor', './tickets.mcpb']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('--arg token=<value> is missing.  API token');
    expect(existsSync(path.join(home, 'agenttools/bundles'))).toBe(false);

    const words = ['install', 'cursor', './tickets.mcpb', '--arg', 'token=abc'];
    const { code, stderr } = await run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('./tickets.mcpb is the server "acme-tickets", version 1.0.0.');
    expect(stderr).toContain('then install again with --arg token=secret:TOKEN.');
    const [folder = ''] = folders();
    const file = path.join(home, 'agenttools/bundles', folder, 'server.mjs');
    expect(entries()).toEqual({
      'acme-tickets': { command: nodeLink(), args: [file], env: { TOKEN: 'abc' } },
    });

    writeFileSync(path.join(home, 'tickets.mcpb'), bundle('1.1.0'));
    expect((await run([...words, '--arg', 'region=eu'])).code).toBe(0);
    const [next = ''] = folders().filter((one) => one !== folder);
    expect(entries()['acme-tickets'].args).toEqual([
      path.join(home, 'agenttools/bundles', next, 'server.mjs'),
      '--region',
      'eu',
    ]);
    expect((await run(['uninstall', 'cursor', 'acme-tickets'])).code).toBe(0);
    expect(folders()).toEqual([]);
  });

  test('checks its hash, and takes none for other servers', async () => {
    const bytes = bundle('1.0.0');
    writeFileSync(path.join(home, 'tickets.mcpb'), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const words = ['install', 'cursor', './tickets.mcpb', '--arg', 'token=abc', '--sha256'];
    expect((await run([...words, sha256])).code).toBe(0);
    const other = await run([...words, '0'.repeat(64)]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`./tickets.mcpb is not the expected file: its SHA-256 is ${sha256}`);
    const npm = await run(['install', 'cursor', 'npm:@acme/mcp', '--sha256', sha256]);
    expect(npm.stderr).toContain('--sha256 is for bundles, and this is the npm package @acme/mcp.');
  });
});

describe('install from a config file', () => {
  test('resolves the package of one of its entries, and asks for its references', async () => {
    const mcpServers = {
      tickets: {
        command: 'npx',
        args: ['-y', '@acme/mcp@1.0.0', '/data'],
        env: { TOKEN: '${TICKETS_TOKEN}' },
      },
      other: { command: 'other' },
    };
    addFiles(home, { 'mcp.json': { mcpServers } });
    const { code, stderr } = await run([
      'install',
      'cursor',
      './mcp.json#tickets',
      '--env',
      'TICKETS_TOKEN=abc',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(entries()).toEqual({
      tickets: { command: nodeLink(), args: [npmServer('1.0.0'), '/data'], env: { TOKEN: 'abc' } },
    });
    const several = await run(['install', 'cursor', './mcp.json']);
    expect(several.stderr).toContain('Choose one: ./mcp.json#tickets, ./mcp.json#other');
  });

  test('takes the package of an entry that install wrote, whose folder goes with the entry', async () => {
    await run(['install', 'cursor', 'npm:@acme/mcp@1.0.0']);
    const copied = await run(['install', 'windsurf', `${cursorFile()}#acme`]);
    expect({ code: copied.code, stderr: copied.stderr }).toMatchObject({ code: 0 });
    const created = await run(['create', 'wrapped', '--from', cursorFile()]);
    expect(created).toMatchObject({ code: 0, stderr: expect.not.stringContaining('does not contain') });
    const file = path.join(home, 'wrapped/package.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ dependencies: { '@acme/mcp': '1.0.0' } });
    await run(['uninstall', 'cursor', 'acme']);
    expect(existsSync(npmServer('1.0.0'))).toBe(true);
    await run(['uninstall', 'windsurf', 'acme']);
    expect(existsSync(npmServer('1.0.0'))).toBe(false);
  });
});
