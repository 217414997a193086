import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { boardServer } from '../support/board-server.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { recordedServers, serveRecordings } from '../support/recorded-servers.js';
import { runCli } from '../support/run-cli.js';

let recordings: Awaited<ReturnType<typeof serveRecordings>>;
let home: string;
beforeAll(async () => {
  recordings = await serveRecordings();
});
afterAll(async () => await recordings.close());
beforeEach(() => {
  home = writeFolder();
});

const run = async (...words: readonly string[]) =>
  await runCli(words, { home, cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home } });

test('call runs a tool of a remote server', async () => {
  const { exchanges } = recordedServers.everything!;
  const { params, result } = exchanges.find(({ method }) => method === 'tools/call')!;
  const words = ['call', recordings.urlOf('everything'), String(params.name), '{}', '--json'];
  const { code, stdout } = await run(...words);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual(result);
  const unknown = await run('call', recordings.urlOf('everything'), 'no-such-tool', '{}');
  expect(unknown.stderr).toContain('no-such-tool');
});

test('call runs a tool of a command, with its arguments and variables', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const words = ['call', 'show', '{}', '--arg', 'x', '--env', 'TOKEN=rose'];
  expect(await run(...words, '--', 'node', server, 'a')).toMatchObject({ code: 0, stdout: 'a x rose\n' });
  const listed = await run('call', '--', 'node', server);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}show/) });
  const broken = await run('call', '--', 'node', '-e', '0');
  const stderr = 'error: The upstream server "node" is unavailable: it exited with code 0.\n';
  expect(broken).toMatchObject({ code: 1, stdout: '', stderr });
});

test('call takes the inputs of an entry, and options replace them', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const install = ['install', 'cursor', '--name', 'board', '--no-verify'];
  expect(await run(...install, '--env', 'TOKEN=rose', '--', 'node', server, 'a')).toMatchObject({ code: 0 });
  const called = await run('call', 'board', 'show', '{}');
  expect(called).toMatchObject({ code: 0, stdout: 'a rose\n' });
  expect(called.stderr).toMatch(/^board is the installed server .*, with the inputs of its entry\.\n$/);
  const words = ['call', 'board', 'show', '{}', '--env', 'TOKEN=lily', '--arg', 'x'];
  expect(await run(...words)).toMatchObject({ code: 0, stdout: 'a x lily\n' });
});

test('call takes secrets of an entry from the store and from variables', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  await runCli(['secret', 'set', 'FLOWER'], { home, cwd: home, stdin: 'tulip' });
  const install = ['install', 'cursor', '--no-verify', '--name'];
  await run(...install, 'stored', '--env', 'TOKEN=secret:FLOWER', '--arg', 'b', '--', 'node', server, 'a');
  expect(await run('call', 'stored', 'show', '{}')).toMatchObject({ code: 0, stdout: 'a b tulip\n' });
  const project = [...install, 'locked', '--project', '--env', 'TOKEN=rose'];
  await run(...project, '--', 'node', server, '--key', 's3cret-value');
  const env = { MCP_KEY: 'k3y', TOKEN: 'rose' };
  const called = await runCli(['call', 'locked', 'show', '{}'], {
    home,
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
  });
  expect(called).toMatchObject({ code: 0, stdout: '--key k3y rose\n' });
  expect((await run('call', 'locked', 'show', '{}')).stderr).toContain('which is not set here');
});

test('completion knows the keys of installed servers and the tools of their last start', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  await run('install', 'cursor', '--name', 'board', '--', 'node', server);
  writeFileSync(server, 'process.exit(1)');
  expect((await run('completion', 'suggest', '--word=boa', '--', 'call')).stdout).toMatch(/^board\t/m);
  expect((await run('completion', 'suggest', '--', 'call', 'board')).stdout).toBe('show\t\n');
});

test('list-installed lists the entries of one project', async () => {
  const place = ['--no-verify', '--', 'node', 'server.mjs'];
  await run('install', 'cursor', '--name', 'mine', ...place);
  await run('install', 'cursor', '--project', '--name', 'shared', ...place);
  const keys = async (...words: readonly string[]) =>
    JSON.parse((await run('list-installed', '--json', ...words)).stdout).map(
      ({ key }: { key: string }) => key,
    );
  expect(await keys('--project')).toEqual(['shared']);
  expect(await keys(`--project=${path.dirname(home)}`)).toEqual([]);
  expect((await keys()).sort()).toEqual(['mine', 'shared']);
});

test('show describes a command with the items of its last call', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  expect((await run('show', 'tools', '--json', '--', 'node', server)).stdout).toBe('null\n');
  expect(await run('call', 'show', '--', 'node', server)).toMatchObject({ code: 0 });
  const shown = JSON.parse((await run('show', '--json', '--', 'node', server)).stdout);
  expect(shown).toMatchObject({ kind: 'existing server', source: 'command', tools: ['show'] });
  const both = await run('show', 'npm:x', 'tools', '--', 'node', server);
  expect(both).toMatchObject({ code: 2 });
});

test('call records the items of a server, and show prints them', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const file = path.join(
    writeFolder({ 'mcp.json': { mcpServers: { board: { command: 'node', args: [server] } } } }),
    'mcp.json',
  );
  expect((await run('show', file, '--json')).stdout).toContain('"tools": null');
  expect(await run('call', file, 'show', '{}')).toMatchObject({ code: 0 });
  expect(JSON.parse((await run('show', file, '--json')).stdout)).toMatchObject({
    tools: ['show'],
    prompts: [],
  });
  expect((await run('show', file)).stdout).toContain('\ntools\n  show\n');
});

test('install records the items of a program, also for list-servers', async () => {
  const files = {
    'board.mjs': boardServer,
    'mcp.json': { mcpServers: { board: { command: 'node', args: ['board.mjs'] } } },
  };
  const file = path.join(writeFolder(files), 'mcp.json');
  const dry = await run('install', 'cursor', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0 });
  expect(await run('install', 'cursor', file)).toMatchObject({ code: 0 });
  const [listed] = JSON.parse((await run('list-servers', '--json')).stdout);
  expect(listed).toMatchObject({ source: 'installed', tools: ['show'], prompts: [] });
});

test('a changed config file is read again', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const entry = (word: string) => ({ mcpServers: { board: { command: 'node', args: [server, word] } } });
  const folder = writeFolder({ 'mcp.json': entry('old') });
  const words = ['call', path.join(folder, 'mcp.json#board'), 'show', '{}'];
  expect((await run(...words)).stdout).toContain('old');
  addFiles(folder, { 'mcp.json': entry('new') });
  expect((await run(...words)).stdout).toContain('new');
});

test('a relative path never leads to the file of another folder', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const file = { mcpServers: { board: { command: 'node', args: [server] } } };
  addFiles(home, { 'mcp.json': file });
  expect((await run('call', './mcp.json', 'show', '{}')).code).toBe(0);
  const elsewhere = await runCli(['call', './mcp.json', 'show', '{}'], { home, cwd: writeFolder() });
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, '']);
});

test('call sends headers to a remote server', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-key'] as string | undefined);
    response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const { code } = await run('call', url, 'show', '{}', '--header', 'X-Key: rose', '--transport', 'http');
  server.close();
  expect(code).toBe(1);
  expect(new Set(seen)).toEqual(new Set(['rose']));
});

test('show describes a server without starting it', async () => {
  const { code, stdout } = await run('show', 'docker:ghcr.io/acme/tickets:1.2.0', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'existing server',
    name: 'tickets',
    source: 'docker',
    reference: 'docker:ghcr.io/acme/tickets:1.2.0',
    tools: null,
  });
  const file = path.join(
    writeFolder({ 'mcp.json': { mcpServers: { far: { url: 'https://far.test/mcp' } } } }),
    'mcp.json',
  );
  expect((await run('show', file)).stdout).toContain('https://far.test/mcp');
});

test.each([
  [
    ['call', 'agenttools', 'catalog', '--arg', 'a'],
    '--arg is for existing MCP servers, and call gets "agenttools"',
  ],
  [
    ['start', 'agenttools', '--rename', 'a=b'],
    '--rename is for existing MCP servers, and start gets "agenttools"',
  ],
  [
    ['start', '--arg-env', 'a=B'],
    '--arg-env is for existing MCP servers, and start gets the server of an extension',
  ],
  [['preview', 'agenttools', '--header', 'A: b'], '--header is for existing MCP servers, and preview gets'],
  [['validate', '.', '--env', 'A=b'], '--env is for existing MCP servers, and validate gets "."'],
  [
    ['create', 'new', '--transport', 'sse'],
    '--transport is for existing MCP servers. Leave it out, or name one',
  ],
  [
    ['create-server', 'mine', '--only', 'a', '--catalog'],
    '--only and --catalog are for existing MCP servers.',
  ],
  [
    ['create-server', 'mine', '--from', 'mine.json', '--prefix', 'a'],
    '--prefix is for existing MCP servers.',
  ],
  [
    ['install', 'cursor', 'agenttools', '--arg', 'a', '--sha256', 'b'],
    '--arg and --sha256 are for existing MCP servers, and agenttools is',
  ],
])('%j is refused', async (words, message) => {
  const definition = { tools: ['catalog'] };
  const result = await runCli(words, {
    home,
    cwd: writeFolder({ 'mine.json': definition, 'package.json': {} }),
  });
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('create-server takes a command', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  const words = ['create-server', 'board', '--prefix', 'b_'];
  const created = await run(...words, '--', 'node', server, 'a');
  expect({ code: created.code, stderr: created.stderr }).toMatchObject({ code: 0 });
  const called = await run('call', 'board', 'b_show');
  expect([called.code, called.stdout + called.stderr]).toEqual([0, expect.stringMatching(/^a /)]);
  const both = await run('create-server', 'other', '--from', 'npm:x', '--', 'node', server);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('The server is the command after')]);
});

test.each([
  ['localhost:3000', 'A remote server is named by its URL: http://localhost:3000\n'],
  ['tickets', 'npm:tickets for an npm package, pypi:tickets for a PyPI package.\n'],
  ['javascript:alert(1)', 'or the name of a built-in or user server.\n'],
  ['file:///etc/passwd', 'or the name of a built-in or user server.\n'],
])('an unknown server %j has a hint that fits', async (text, hint) => {
  const { code, stderr } = await run('install', 'cursor', text);
  expect({ code, end: stderr.endsWith(hint), stderr }).toMatchObject({ code: 1, end: true });
});

test('a program that is given as the server is a command after --', async () => {
  const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
  for (const words of [
    ['install', 'cursor', server],
    ['call', server],
    ['start', server],
  ]) {
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`write it after "--": -- ${server}`)]);
  }
});

test.each([
  [1, ['call', 'acme/tickets', 'tool']],
  [1, ['show', 'acme/tickets']],
  [1, ['preview', 'acme/tickets']],
  [2, ['validate', 'acme/tickets']],
  [1, ['create-server', 'mine', '--from', 'acme/tickets']],
  [1, ['install', 'cursor', 'acme/tickets']],
  [1, ['install', 'cursor', 'acme/tickets', '--dry-run']],
])('exits %d and names the ways to name an existing server: %j', async (code, words) => {
  const result = await run(...words);
  expect([result.code, result.stderr]).toEqual([
    code,
    expect.stringContaining('docker:acme/tickets for a container image; clone github:acme/tickets'),
  ]);
});
