import { chmodSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { withLock } from '../../../src/engine/base/files/lock.js';
import {
  installNpmServer,
  removeUnusedNpmServers,
} from '../../../src/engine/existing-servers/npm-servers.js';
import {
  type ExistingReference,
  type ResolveDeps,
  resolveExisting,
} from '../../../src/engine/existing-servers/resolve-existing.js';
import { imageName, shortServerName, siteName } from '../../../src/engine/existing-servers/server-name.js';
import {
  commandReference,
  readServerReference,
} from '../../../src/engine/existing-servers/server-reference.js';
import { openMcpRegistry } from '../../../src/engine/mcp-registry/open-registry.js';
import { registryEntry, startMcpRegistry } from '../../support/mcp-registry.js';
import { npmInProcess } from '../../support/npm-in-process.js';
import { writeFolder } from '../../support/packages.js';
import { type Registry, startRegistry } from '../../support/registry.js';

vi.mock('../../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;
let home: string;
const cache = writeFolder();

beforeAll(async () => {
  registry = await startRegistry();
  home = writeFolder({ '.npmrc': registry.settings() });
  const server = { 'server.js': 'process.stdin.resume();' };
  for (const version of ['1.0.0', '1.2.0']) {
    const json = {
      name: '@acme/mcp',
      version,
      bin: 'server.js',
      description: 'Tickets',
      dependencies: { scripted: '1.0.0' },
    };
    await registry.publish({ 'package.json': json, ...server });
  }
  const scripts = { postinstall: 'node mark.js' };
  const mark = "require('node:fs').writeFileSync(require('node:path').join(__dirname, 'ran'), '');";
  await registry.publish({
    'package.json': { name: 'scripted', version: '1.0.0', scripts },
    'mark.js': mark,
  });
  await registry.publish({ 'package.json': { name: 'library', version: '1.0.0' } });
  await registry.publish({
    'package.json': { name: 'several', version: '1.0.0', bin: { one: 'server.js', two: 'server.js' } },
    ...server,
  });
  await registry.publish({
    'package.json': { name: '@acme/kit', version: '1.0.0', bin: 'server.js', agenttools: {} },
    ...server,
  });
});

/** npm in this process; install scripts and ranges want the program. */
const npm = (isProgram = false) => ({
  env: { ...(isProgram ? {} : npmInProcess), PATH: process.env.PATH, HOME: home, npm_config_cache: cache },
  home,
  platform: process.platform,
  execPath: process.execPath,
  cwd: home,
});

const { signal } = new AbortController();

async function resolve(
  reference: string | readonly string[],
  more: { PATH?: string; cwd?: string; url?: string; isProgram?: boolean } = {},
) {
  const { PATH = process.env.PATH, cwd = home, url = 'http://127.0.0.1:9', isProgram = false } = more;
  const read = typeof reference === 'string' ? readServerReference(reference) : commandReference(reference);
  return await resolveExisting(read as ExistingReference, {
    npm: npm(isProgram),
    signal,
    cwd,
    env: { PATH },
    openRegistry: async () => await openMcpRegistry({ npm: npm(), url, cacheFolder: writeFolder() }),
    readFile: async () => {
      throw new Error('no file is read');
    },
  });
}

describe('an npm package', () => {
  test.for([
    ['npm:@acme/mcp', '1.2.0'],
    ['npm:@acme/mcp@1.0.0', '1.0.0'],
    ['npm:@acme/mcp@latest', '1.2.0'],
  ] as const)('%s is pinned to %s', async ([reference, version]) => {
    expect(await resolve(reference)).toMatchObject({
      source: 'npm',
      reference: `npm:@acme/mcp@${version}`,
      name: 'acme',
      version,
      description: 'Tickets',
      template: { kind: 'program', runner: { by: 'npm', name: '@acme/mcp', version } },
    });
  });

  test.for([
    ['npm:@acme/mcp@1', '1.2.0'],
    ['npm:@acme/mcp@~1.0', '1.0.0'],
  ] as const)('%s is a range, pinned to %s', async ([reference, version]) => {
    expect(await resolve(reference, { isProgram: true })).toMatchObject({ version });
  });

  test.for([
    ['npm:@acme/none', 'The registry does not have the npm package @acme/none.'],
    ['npm:@acme/mcp@9.9.9', 'The registry does not have the npm package @acme/mcp@9.9.9.'],
    ['npm:library', 'The npm package library has no program ("bin")'],
    ['npm:several', 'has several programs. Choose one: npm:several#one, npm:several#two'],
    ['npm:several#three', 'has no program "three". Choose one: npm:several#one'],
    ['npm:@acme/kit', 'is an AgentTools extension. Name it without "npm:"'],
  ] as const)('%s is refused', async ([reference, message]) => {
    await expect(resolve(reference)).rejects.toThrow(message);
  });

  test('is installed once, into a separate folder, without install scripts', async () => {
    const dataFolder = writeFolder();
    const deps = { dataFolder, npm: npm(), signal };
    const request = { name: '@acme/mcp', version: '1.2.0', allowScripts: [] };
    const [first, second] = await Promise.all([
      installNpmServer(request, deps),
      installNpmServer(request, deps),
    ]);
    expect(second).toEqual(first);
    expect(first.folder).toBe(path.join(dataFolder, 'npm-servers', '@acme+mcp@1.2.0'));
    expect(first.file).toBe(path.join(first.folder, 'node_modules/@acme/mcp/server.js'));
    expect(first.scripted).toEqual([
      { name: 'scripted', version: '1.0.0', scripts: ['postinstall: node mark.js'], isAllowed: false },
    ]);
    expect(existsSync(path.join(first.folder, 'package-lock.json'))).toBe(true);
    expect(existsSync(path.join(first.folder, 'node_modules/scripted/ran'))).toBe(false);
  });

  test('runs the install scripts of an allowed package, and keeps the consent', async () => {
    const deps = { dataFolder: writeFolder(), npm: npm(true), signal };
    const request = { name: '@acme/mcp', version: '1.0.0', allowScripts: [] };
    await installNpmServer(request, deps);
    const allowed = await installNpmServer({ ...request, allowScripts: ['scripted'] }, deps);
    expect(allowed.scripted).toMatchObject([{ name: 'scripted', isAllowed: true }]);
    expect(existsSync(path.join(allowed.folder, 'node_modules/scripted/ran'))).toBe(true);
    expect(await installNpmServer(request, deps)).toEqual(allowed);
  });

  test('refuses to allow scripts of a package that has none, and installs nothing', async () => {
    const deps = { dataFolder: writeFolder(), npm: npm(), signal };
    const request = { name: '@acme/mcp', version: '1.0.0', allowScripts: ['scriptde'] };
    await expect(installNpmServer(request, deps)).rejects.toThrow(
      '@acme/mcp@1.0.0 installs no package "scriptde" with install scripts. Only scripted has some.',
    );
    expect(readdirSync(path.join(deps.dataFolder, 'npm-servers'))).toEqual([]);
  });

  test('stays while a process installs it, and is removed once no entry starts it', async () => {
    const dataFolder = writeFolder();
    const deps = { dataFolder, npm: npm(), signal };
    const [old, current] = [
      await installNpmServer({ name: '@acme/mcp', version: '1.0.0', allowScripts: [] }, deps),
      await installNpmServer({ name: '@acme/mcp', version: '1.2.0', allowScripts: [] }, deps),
    ];
    await withLock(`${old.folder}.lock`, async () => {
      expect(await removeUnusedNpmServers(dataFolder, [current.file])).toEqual([]);
    });
    expect(existsSync(old.file)).toBe(true);
    expect(await removeUnusedNpmServers(dataFolder, [current.file])).toEqual(['@acme+mcp@1.0.0']);
    expect(readdirSync(path.join(dataFolder, 'npm-servers'))).toEqual(['@acme+mcp@1.2.0']);
  });
});

describe('a command', () => {
  test('by npx becomes the package, so that nothing is fetched at the start', async () => {
    expect(await resolve(['npx', '-y', '@acme/mcp@1.0.0', '/data', '--flag'])).toMatchObject({
      reference: 'npm:@acme/mcp@1.0.0',
      template: {
        runner: { by: 'npm', version: '1.0.0' },
        args: [{ words: [['/data']] }, { words: [['--flag']] }],
      },
    });
    expect(await resolve(['uvx', 'mcp-server-fetch==1.0', '--x'])).toMatchObject({
      reference: 'pypi:mcp-server-fetch@1.0',
      name: 'fetch',
    });
    expect(await resolve(['uvx', '--from', 'fetch-mcp[all]==1.0', 'serve'])).toMatchObject({
      reference: 'pypi:fetch-mcp[all]@1.0#serve',
      name: 'fetch',
      template: { runner: { by: 'uvx', name: 'fetch-mcp[all]', version: '1.0', script: 'serve' } },
    });
  });

  test('by npx has absolute paths', async () => {
    const cwd = writeFolder({ 'data.d/x': '' });
    const { template, notes } = await resolve(['npx', '@acme/mcp', '.', './data.d', './none'], { cwd });
    expect(template).toMatchObject({
      args: [{ words: [[cwd]] }, { words: [[path.join(cwd, 'data.d')]] }, { words: [['./none']] }],
    });
    expect(notes).toContain(
      `./data.d is written as ${path.join(cwd, 'data.d')}, since clients start servers in other folders.`,
    );
  });

  test('notes that packages or images may change between starts', async () => {
    const PATH = writeFolder({ npx: '#!/bin/sh\n', docker: '#!/bin/sh\n' });
    for (const name of ['npx', 'docker']) chmodSync(path.join(PATH, name), 0o755);
    expect(await resolve(['npx', '-c', 'acme'], { PATH })).toMatchObject({
      template: { runner: { by: 'command', command: path.join(PATH, 'npx') } },
      notes: ['npx may fetch packages at each start, since its options are not understood.'],
    });
    expect(await resolve(['docker', 'run', '-i', '-v', '/a:/b', 'mcp/git'], { PATH })).toMatchObject({
      name: 'git',
      notes: [expect.stringContaining('Name a version, such as docker:mcp/git:1.2.3.')],
    });
    expect((await resolve(['docker', 'run', '-i', 'mcp/git:1'], { PATH })).notes).toEqual([]);
  });

  test('has an absolute program and absolute paths', async () => {
    const folder = writeFolder({ python: '#!/bin/sh\n', 'tickets/server.py': '', 'data.d/x': '' });
    chmodSync(path.join(folder, 'python'), 0o755);
    const words = ['python', 'tickets/server.py', '--port', '1.5', './data.d', 'https://x.example/data.d'];
    expect(await resolve(words, { PATH: folder, cwd: folder })).toMatchObject({
      source: 'command',
      name: 'tickets',
      template: {
        runner: { by: 'command', command: path.join(folder, 'python') },
        args: [
          { words: [[path.join(folder, 'tickets/server.py')]] },
          { words: [['--port']] },
          { words: [['1.5']] },
          { words: [[path.join(folder, 'data.d')]] },
          { words: [['https://x.example/data.d']] },
        ],
      },
    });
    await expect(resolve(['ruby', 'x.rb'], { PATH: folder })).rejects.toThrow(
      'The program ruby is not on the PATH.',
    );
    await expect(resolve(['./none'], { cwd: folder })).rejects.toThrow('The program ./none does not exist.');
    await expect(resolve(['./tickets/server.py'], { cwd: folder })).rejects.toThrow('is not executable.');
  });
});

test('an entry of the MCP Registry runs by a runner that is there', async () => {
  const entry = registryEntry({
    name: 'io.github.acme/mcp-tickets',
    packages: [
      { registryType: 'pypi', identifier: 'tickets', version: '1.0.0' },
      { registryType: 'npm', identifier: '@acme/mcp', version: '1.0.0' },
    ],
  });
  const { url } = await startMcpRegistry([entry]);
  const folder = writeFolder({ uvx: '#!/bin/sh\n' });
  chmodSync(path.join(folder, 'uvx'), 0o755);
  const without = await resolve('io.github.acme/mcp-tickets', { url, PATH: '' });
  expect(without).toMatchObject({
    name: 'tickets',
    publisher: 'io.github.acme',
    template: { runner: { by: 'npm' } },
  });
  const withRunner = await resolve('io.github.acme/mcp-tickets@1.0.0', { url, PATH: folder });
  expect(withRunner).toMatchObject({
    reference: 'io.github.acme/mcp-tickets@1.0.0',
    template: { runner: { by: 'uvx' } },
  });
});

test('an entry of the MCP Registry without a version of its npm package is pinned', async () => {
  const packages = [{ registryType: 'npm', identifier: '@acme/mcp', version: 'latest' }];
  const { url } = await startMcpRegistry([registryEntry({ name: 'io.github.acme/tickets', packages })]);
  expect(await resolve('io.github.acme/tickets', { url })).toMatchObject({
    source: 'registry',
    template: { runner: { by: 'npm', name: '@acme/mcp', version: '1.2.0' } },
  });
});

test.for([
  [
    'docker:mcp/postgres',
    [
      'mcp/postgres has no version here, so each start may run another one. Name a version, such as docker:mcp/postgres:1.2.3.',
    ],
  ],
  ['docker:mcp/postgres:16', []],
  ['nuget:Acme.Mcp@1.0.0', []],
  [
    'pypi:mcp-server-fetch',
    [expect.stringContaining('Name a version, such as pypi:mcp-server-fetch@1.2.3.')],
  ],
] as const)('%s without a version is noted', async ([reference, notes]) => {
  expect((await resolve(reference)).notes).toEqual(notes);
});

test.for([
  ['@modelcontextprotocol/server-filesystem', 'filesystem'],
  ['@playwright/mcp', 'playwright'],
  ['mcp-server-fetch', 'fetch'],
  ['kubernetes-mcp-server', 'kubernetes'],
  ['chrome-devtools-mcp', 'chrome-devtools'],
  ['@upstash/context7-mcp', 'context7'],
  ['io.github.acme/tickets', 'tickets'],
  ['mcp', 'mcp'],
] as const)('the short name of %s is %s', ([name, short]) => {
  expect(shortServerName(name)).toBe(short);
});

test('sites and images have short names', () => {
  expect(siteName('https://mcp.example.com/mcp')).toBe('example');
  expect(siteName('https://tickets.acme.co.uk/')).toBe('acme');
  expect(siteName('http://127.0.0.1:3000/mcp')).toBe('localhost-3000');
  expect(siteName('http://[::1]:3001/mcp')).toBe('localhost-3001');
  expect(siteName('http://10.0.0.7:8080/mcp')).toBe('server-10-0-0-7-8080');
  expect(siteName('https://10.0.0.8/mcp')).toBe('server-10-0-0-8');
  expect(siteName('https://[2001:db8::7]:8080/mcp')).toBe('server-2001-db8-7-8080');
  expect(siteName('http://intranet:81/mcp')).toBe('intranet-81');
  expect(siteName('http://localhost/mcp')).toBe('localhost');
  expect(imageName('ghcr.io/acme/mcp-server-git:1.2@sha256:00')).toBe('git');
});

test('an entry with a bundle has the start of the bundle, with the expected hash', async () => {
  const url = 'https://acme.example/mcp/tickets.mcpb';
  const entry = registryEntry({
    name: 'io.github.acme/tickets',
    packages: [
      { registryType: 'mcpb', identifier: url, fileSha256: 'A'.repeat(64), transport: { type: 'stdio' } },
    ],
  });
  const standIn = await startMcpRegistry([entry]);
  const template = {
    kind: 'program',
    runner: { by: 'command', command: '/bundle/run' },
    args: [],
    env: {},
  } as const;
  const content = { file: '/cache/x.mcpb', sha256: 'a'.repeat(64), folder: '/bundle', executables: [] };
  const readFile = vi.fn<ResolveDeps['readFile']>(async () => ({
    source: 'bundle',
    reference: url,
    name: 'manifest-name',
    title: 'Title',
    inputs: [],
    template,
    content,
    notes: ['From the bundle.'],
  }));
  const server = await resolveExisting(
    { kind: 'registry', name: 'io.github.acme/tickets' },
    {
      npm: npm(),
      signal,
      cwd: home,
      env: {},
      openRegistry: async () =>
        await openMcpRegistry({ npm: npm(), url: standIn.url, cacheFolder: writeFolder() }),
      readFile,
    },
  );
  expect(readFile.mock.calls[0]![0]).toEqual({
    kind: 'bundle',
    place: url,
    isRemote: true,
    sha256: 'a'.repeat(64),
  });
  expect(server).toMatchObject({
    source: 'registry',
    reference: 'io.github.acme/tickets@1.0.0',
    name: 'tickets',
    title: 'Title',
    template,
    content,
    notes: ['From the bundle.'],
  });
});
