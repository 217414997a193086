import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { registryEntry, type StandInEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { npmInProcess } from '../support/npm-in-process.js';
import { writeFolder } from '../support/packages.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;
let home: string;
let env: Record<string, string>;
const cache = writeFolder();

const publish = async (version: string) =>
  await registry.publish({
    'package.json': { name: '@acme/mcp', version, type: 'module', bin: 'server.js' },
    'server.js': ticketsServer.replace('inputSchema', `description: 'Version ${version}', inputSchema`),
  });

beforeAll(async () => {
  registry = await startRegistry();
  await publish('1.0.0');
  await publish('1.1.0');
});

beforeEach(() => {
  home = writeFolder({ '.npmrc': registry.settings(), 'bin/uvx': '', 'bin/docker': '', 'bin/dnx': '' });
  for (const name of ['uvx', 'docker', 'dnx']) chmodSync(path.join(home, 'bin', name), 0o755);
  env = {};
});

const run = async (...words: readonly string[]) =>
  await runCli(words, {
    home,
    cwd: home,
    env: {
      ...npmInProcess,
      PATH: [path.join(home, 'bin'), process.env.PATH].join(path.delimiter),
      npm_config_cache: cache,
      HOME: home,
      ...env,
    },
  });

const outdated = async () => JSON.parse((await run('outdated', '--json')).stdout);
const entryOf = (key: string) =>
  JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers[key];

/** Serves on 127.0.0.1 until the test ends. Returns the origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Opens an MCP Registry with io.github.acme/tickets 1.0.0, which is `first`, and returns the function that adds 1.1.0. */
async function openRegistry(versionOf: (version: string) => object): Promise<() => void> {
  const entry = (version: string) =>
    registryEntry({ name: 'io.github.acme/tickets', version, ...versionOf(version) });
  const entries: StandInEntry[] = [entry('1.0.0')];
  const { url } = await startMcpRegistry(entries);
  env.AGENTTOOLS_MCP_REGISTRY = url;
  return () => void entries.push(entry('1.1.0'));
}

const packaged =
  (registryType: string, identifier: string, more: object = {}) =>
  (version: string) => ({ packages: [{ registryType, identifier, version, ...more }] });

const inputs = {
  packageArguments: [{ type: 'named', name: '--region', value: 'eu' }],
  environmentVariables: [{ name: 'TOKEN', isSecret: true }],
};

describe('an entry of the MCP Registry', () => {
  test.for([
    ['npm', packaged('npm', '@acme/mcp', inputs), [], /@acme\+mcp@VERSION.*server\.js --region eu$/],
    ['npm by npx', packaged('npm', '@acme/mcp'), ['--command', 'npx'], /^-y @acme\/mcp@VERSION$/],
    ['PyPI', packaged('pypi', 'acme-tickets', inputs), [], /^acme-tickets==VERSION --region eu$/],
    [
      'an image',
      packaged('oci', 'ghcr.io/acme/tickets'),
      [],
      /^run -i --rm -e TOKEN ghcr.io\/acme\/tickets:VERSION$/,
    ],
    ['NuGet', packaged('nuget', 'Acme.Tickets'), [], /^Acme\.Tickets@VERSION --yes --$/],
    [
      'AgentTools',
      packaged('pypi', 'acme-tickets'),
      ['--prefix', 'a_'],
      / io\.github\.acme\/tickets@VERSION$/,
    ],
  ] as const)('by %s is found, and its entry keeps its inputs', async ([, versionOf, words, args]) => {
    const release = await openRegistry(versionOf);
    const target = ['install', 'cursor', 'io.github.acme/tickets', '--env', 'TOKEN=abc', '--no-verify'];
    expect(await run(...target, ...words)).toMatchObject({ code: 0 });
    const matches = (version: string) => new RegExp(args.source.replace('VERSION', version));
    expect(entryOf('tickets').args.join(' ')).toMatch(matches('1.0.0'));
    expect(await outdated()).toMatchObject([{ kind: 'registry', state: 'current', current: '1.0.0' }]);
    release();
    expect(await outdated()).toMatchObject([
      { state: 'outdated', current: '1.0.0', wanted: '1.1.0', latest: '1.1.0' },
    ]);
    const held = await run('update', 'tickets');
    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining('Compare with --load') });
    expect(entryOf('tickets').args.join(' ')).toMatch(matches('1.0.0'));
    const updated = await run('update', 'tickets', '--yes', '--json');
    expect(updated).toMatchObject({ code: 0 });
    expect(JSON.parse(updated.stdout)).toMatchObject([
      { state: 'updated', previous: '1.0.0', version: '1.1.0' },
    ]);
    expect(entryOf('tickets').args.join(' ')).toMatch(matches('1.1.0'));
    expect(entryOf('tickets').env).toMatchObject({ TOKEN: 'abc' });
    expect(JSON.parse((await run('list-installed', '--json')).stdout)).toMatchObject([
      { server: 'io.github.acme/tickets@1.1.0', serverVersion: '1.1.0', state: 'intact' },
    ]);
    expect((await run('update')).stderr).toContain('is the newest version');
  });

  test('with another address is written', async () => {
    const release = await openRegistry((version) => ({
      remotes: [{ type: 'streamable-http', url: `https://mcp.example.com/${version}` }],
    }));
    await run('install', 'cursor', 'io.github.acme/tickets', '--no-verify');
    release();
    const updated = await run('update', '--yes');
    expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining('Restart Cursor') });
    expect(entryOf('tickets').url).toBe('https://mcp.example.com/1.1.0');
  });

  test('at another host needs consent, also through AgentTools', async () => {
    const release = await openRegistry((version) => ({
      remotes: [
        { type: 'streamable-http', url: `https://${version === '1.0.0' ? 'mcp' : 'other'}.example.com/` },
      ],
    }));
    await run('install', 'cursor', 'io.github.acme/tickets', '--no-verify');
    await run('install', 'codex', 'io.github.acme/tickets', '--no-verify', '--prefix', 'a_');
    release();
    const held = await run('update');
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('It comes from other.example.com now, not from mcp.example.com.');
    expect(held.stderr).toContain('its origin is not as before');
    expect(entryOf('tickets').url).toBe('https://mcp.example.com/');
  });

  test('with other inputs is refused with the command that installs it', async () => {
    const release = await openRegistry((version) => {
      const more = version === '1.0.0' ? {} : { environmentVariables: [{ name: 'KEY', isRequired: true }] };
      return packaged('pypi', 'acme-tickets', more)(version);
    });
    await run('install', 'cursor', 'io.github.acme/tickets', '--no-verify');
    release();
    const refused = await run('update', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Install it again: agenttools install cursor io.github.acme/tickets --env KEY=<value>',
    );
    expect(entryOf('tickets').args).toEqual(['acme-tickets==1.0.0']);
  });

  test('with other fixed arguments is refused', async () => {
    const release = await openRegistry((version) =>
      packaged('pypi', 'acme-tickets', {
        packageArguments: [{ type: 'positional', value: version === '1.0.0' ? 'serve' : 'start' }],
      })(version),
    );
    await run('install', 'cursor', 'io.github.acme/tickets', '--no-verify');
    release();
    expect((await run('update', '--yes')).stderr).toContain('starts in another way. Install it again');
  });
});

describe('a package', () => {
  test('by npx in a command follows its name without a version', async () => {
    await publish('1.2.0');
    const words = ['--no-verify', '--', 'npx', '-y', '@acme/mcp', '/data'];
    expect(await run('install', 'cursor', '--name', 'files', ...words)).toMatchObject({ code: 0 });
    await publish('1.3.0');
    expect(await outdated()).toMatchObject([{ name: 'npm:@acme/mcp', state: 'outdated', wanted: '1.3.0' }]);
    expect(await run('update', 'files', '--load', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Version 1.3.0'),
    });
    expect(entryOf('files').args).toEqual([expect.stringContaining('@acme+mcp@1.3.0'), '/data']);
  });

  test('from PyPI is pinned and compared at the index of the user', async () => {
    let version = '2.0.0';
    const asked: string[] = [];
    const origin = await serve((request, response) => {
      asked.push(`${request.url} ${request.headers.authorization ?? ''}`);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ info: { version } }));
    });
    env.UV_DEFAULT_INDEX = `${origin.replace('//', '//ada:rose@')}/simple/`;
    expect(await run('install', 'cursor', 'pypi:acme-fetch', '--no-verify')).toMatchObject({ code: 0 });
    expect(entryOf('acme-fetch').args).toEqual(['acme-fetch==2.0.0']);
    version = '2.1.0';
    expect(await outdated()).toMatchObject([
      { kind: 'pypi', state: 'outdated', current: '2.0.0', wanted: '2.1.0' },
    ]);
    expect(await run('update', '--yes')).toMatchObject({ code: 0 });
    expect(entryOf('acme-fetch').args).toEqual(['acme-fetch==2.1.0']);
    expect(new Set(asked)).toEqual(new Set([`/pypi/acme-fetch/json Basic ${btoa('ada:rose')}`]));
  });

  test.for([
    ['pypi:acme-fetch', 'uvx chooses one. Name one: agenttools install cursor pypi:acme-fetch@<version>'],
    ['pypi:acme-fetch==1.0', 'set UV_DEFAULT_INDEX'],
    ['nuget:Acme.Mcp', 'dnx chooses one'],
    ['nuget:Acme.Mcp@1.0.0', 'Look with: dotnet package search Acme.Mcp --exact-match'],
    ['docker:mcp/fetch', 'docker chooses one'],
    ['docker:mcp/fetch:1.2', 'names no registry'],
  ] as const)('%s without a source is unknown, with the reason', async ([reference, reason]) => {
    await run('install', 'cursor', reference, '--no-verify');
    expect(await outdated()).toMatchObject([{ state: 'unknown', reason: expect.stringContaining(reason) }]);
    expect(await run('update', '--yes')).toMatchObject({ code: 0 });
  });
});

test('an image is compared with the tags of its registry in the same form', async () => {
  const origin = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin);
    if (pathname === '/token') return void response.end(JSON.stringify({ token: searchParams.get('scope') }));
    if (request.headers.authorization !== 'Bearer pull')
      return void response
        .writeHead(401, { 'www-authenticate': `Bearer realm="${origin}/token",service="x",scope="pull"` })
        .end();
    const tags = ['1.9.0-alpine', '1.10.0-alpine', '2.0.0', '1.11-alpine', 'latest'];
    response.end(JSON.stringify({ name: 'acme/tickets', tags }));
  });
  await run('install', 'cursor', `docker:${new URL(origin).host}/acme/tickets:1.9.0-alpine`, '--no-verify');
  expect(await outdated()).toMatchObject([
    { kind: 'docker', state: 'pinned', current: '1.9.0-alpine', latest: '1.10.0-alpine' },
  ]);
});

test.for(['file', 'URL'])('a bundle is updated from the same %s with another content', async (place) => {
  const bundle = (version: string, code: string) =>
    writeBundle(
      { manifest_version: '0.3', name: 'kit', version, server: { type: 'node', entry_point: 'server.mjs' } },
      { 'server.mjs': code },
    );
  let bytes = bundle('1.0.0', ticketsServer);
  const origin = await serve((_, response) => void response.end(bytes));
  const release = (version: string, code: string) => {
    bytes = bundle(version, code);
    writeFileSync(path.join(home, 'kit.mcpb'), bytes);
  };
  release('1.0.0', ticketsServer);
  const reference = place === 'URL' ? `${origin}/kit.mcpb` : './kit.mcpb';
  expect(await run('install', 'cursor', reference, '--no-verify')).toMatchObject({ code: 0 });
  const [before] = entryOf('kit').args;
  expect(await outdated()).toMatchObject([{ state: 'current', current: '1.0.0' }]);
  release('1.0.0', `${ticketsServer}//`);
  expect(await outdated()).toMatchObject([{ state: 'outdated', reason: 'The file has changed.' }]);
  release('1.1.0', ticketsServer.replaceAll("'tool'", "'other'"));
  expect(await outdated()).toMatchObject([{ state: 'outdated', current: '1.0.0', wanted: '1.1.0' }]);
  const updated = await run('update', '--load', '--yes');
  expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining('tool "other" is new') });
  const [after] = entryOf('kit').args;
  expect([after === before, existsSync(after)]).toEqual([false, true]);
  expect(await outdated()).toMatchObject([{ state: 'current', current: '1.1.0' }]);
});

test('a remote server is compared with its answers at the last look', async () => {
  let version = '1.0.0';
  const origin = await serve(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const serverInfo = { name: 'tickets', version };
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
        : { tools: [{ name: `tool-${version}`, inputSchema: { type: 'object' } }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  expect(await run('install', 'cursor', `${origin}/mcp`)).toMatchObject({ code: 0 });
  expect(await outdated()).toMatchObject([{ kind: 'url', state: 'current', current: '1.0.0' }]);
  version = '1.1.0';
  expect(await outdated()).toMatchObject([{ state: 'outdated', current: '1.0.0', wanted: '1.1.0' }]);
  const held = await run('update');
  expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining('tool "tool-1.1.0" is new') });
  expect(await run('update', '--yes', '--json')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"version": "1.1.0"'),
    stderr: expect.stringContaining('Recorded the items of'),
  });
  expect(await outdated()).toMatchObject([{ state: 'current', current: '1.1.0' }]);
});
