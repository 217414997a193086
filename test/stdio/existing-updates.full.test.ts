import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { registryEntry, type StandInEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { writeFolder } from '../support/packages.js';
import { eventually, openProgram, type Program, runProgram } from '../support/program.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

/** A runner of packages: serves the tools `wait`, which answers when the file `go` exists, and `only-<version>`. */
const runner = (go: string) => `#!${process.execPath}
const { existsSync } = require('node:fs');
const version = process.argv[2].split('==')[1];
if (version === '3.0.0') throw new Error('broken release');
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call')
    while (params.name === 'wait' && !existsSync(${JSON.stringify(go)})) await new Promise((end) => setTimeout(end, 10));
  const tool = (name) => ({ name, inputSchema: { type: 'object' } });
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tickets', version } },
    'tools/list': { tools: [tool('wait'), tool('only-' + version)] },
    'tools/call': { content: [{ type: 'text', text: version }] },
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`;

const entry = (version: string): StandInEntry =>
  registryEntry({
    name: 'io.github.acme/tickets',
    version,
    packages: [{ registryType: 'pypi', identifier: 'acme-tickets', version }],
  });

/** A user with the runner and the registry, which has version 1.0.0. `release`: adds another one. */
async function machine() {
  const home = writeFolder();
  const go = path.join(home, 'go');
  writeFileSync(path.join(home, 'uvx'), runner(go));
  chmodSync(path.join(home, 'uvx'), 0o755);
  const entries = [entry('1.0.0')];
  const { url } = await startMcpRegistry(entries);
  const env = {
    PATH: [home, path.dirname(process.execPath)].join(path.delimiter),
    AGENTTOOLS_MCP_REGISTRY: url,
    AGENTTOOLS_HOME: path.join(home, 'agenttools'),
    HOME: home,
  };
  const run = async (...words: readonly string[]) => await runProgram(words, { cwd: home, env });
  /** Opens a session by the entry of Cursor. */
  const open = async () => {
    const { mcpServers } = JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8'));
    const { command, args } = mcpServers.tickets;
    return await openProgram(undefined, { command: [command, ...args], env });
  };
  return { go, run, open, release: (version: string) => void entries.push(entry(version)) };
}

async function names(program: Program): Promise<readonly string[]> {
  const { tools } = await program.request('tools/list');
  return tools.map(({ name }: { name: string }) => name);
}

test('open sessions through AgentTools follow an update', { timeout: 60_000 }, async () => {
  const { go, run, open, release } = await machine();
  await run('install', 'cursor', 'io.github.acme/tickets', '--prefix', 'a_', '--no-verify');
  const program = await open();
  expect(await names(program)).toEqual(['a_wait', 'a_only-1.0.0']);
  const waiting = program.call('a_wait');

  release('2.0.0');
  const updated = await run('update', '--yes');
  expect(updated.stderr).toContain('Open sessions of Cursor switch to it.');
  await eventually(() => program.stderr.includes('Updated while served'), 'the swap');
  expect(await names(program)).toEqual(['a_wait', 'a_only-2.0.0']);
  const changes = program.messages.filter(({ method }) => method === 'notifications/tools/list_changed');
  expect(changes).toHaveLength(1);
  const [{ text }] = (await program.call('a_only-2.0.0')).content;
  expect(text).toBe('2.0.0');
  writeFileSync(go, '');
  expect((await waiting).content).toEqual([{ type: 'text', text: '1.0.0' }]);

  release('3.0.0');
  await run('update', '--yes');
  await eventually(() => program.stderr.includes('The version before is served on.'), 'the refusal');
  expect(await names(program)).toEqual(['a_wait', 'a_only-2.0.0']);
  await program.end();
});

test('an entry with --frozen serves the items of an accepted update', { timeout: 60_000 }, async () => {
  const { run, open, release } = await machine();
  // Clients that start from the desktop have a short PATH.
  const installed = await run('install', 'cursor', 'io.github.acme/tickets', '--frozen', '--env', 'PATH');
  expect(installed).toMatchObject({ code: 0 });
  release('2.0.0');
  const held = await run('update');
  expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining('tool "only-2.0.0" is new') });
  const updated = await run('update', '--yes');
  expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining('Restart Cursor') });
  const program = await open();
  expect(await names(program)).toEqual(['wait', 'only-2.0.0']);
  await program.end();
  expect(program.stderr).toBe('');
});

test('open sessions follow a bundle that changed at its place', { timeout: 60_000 }, async () => {
  const home = writeFolder();
  const release = (version: string) =>
    writeFileSync(
      path.join(home, 'kit.mcpb'),
      writeBundle(
        {
          manifest_version: '0.3',
          name: 'kit',
          version,
          server: { type: 'node', entry_point: 'server.mjs' },
        },
        { 'server.mjs': ticketsServer.replace("'tool'", `'${version}'`) },
      ),
    );
  const env = { HOME: home, AGENTTOOLS_HOME: path.join(home, 'agenttools') };
  const run = async (...words: readonly string[]) => await runProgram(words, { cwd: home, env });
  release('1.0.0');
  await run('install', 'cursor', './kit.mcpb', '--prefix', 'a_', '--no-verify');
  const written = JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.kit;
  const command = [written.command, ...written.args] as const;
  const program = await openProgram(undefined, { command, env });
  expect(await names(program)).toEqual(['a_1.0.0']);
  release('1.1.0');
  await run('update', '--yes');
  await program.take(({ method }) => method === 'notifications/tools/list_changed', 'a changed list');
  expect(await names(program)).toEqual(['a_1.1.0']);
  await program.end();
});
