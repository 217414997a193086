import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkSandbox } from '../../src/engine/extension/check-sandbox.js';
import { writeFolder, writePackage } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

let home: string;

beforeEach(() => {
  home = writeFolder();
});

const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  await runCli(words, { home, cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } });
const entry = (key: string) =>
  JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers[key];
const afterStart = ({ args }: { readonly args: readonly string[] }) => args.slice(args.indexOf('start') + 1);

describe('install --sandbox', () => {
  const options = ['--sandbox', '--allow-read', 'notes', '--allow-net', 'api.acme.example', '--env', 'KEY=1'];
  const expected = (folder: string) => [
    '--sandbox',
    '--allow-read',
    path.join(folder, 'notes'),
    '--allow-net',
    'api.acme.example',
    '--allow-env',
    'KEY',
  ];

  test('writes the permissions into the entry of an extension', async () => {
    const kit = writePackage(
      { tools: [], servers: ['desk'] },
      { 'agenttools/servers/desk.json': { instructions: 'x' } },
    );
    const { code, stderr } = await run([
      'install',
      'cursor',
      kit,
      '--name',
      'kit',
      '--no-verify',
      ...options,
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(afterStart(entry('kit'))).toEqual([...expected(home), path.join(kit, 'desk')]);
  });

  test('starts an existing server through AgentTools', async () => {
    const { code, stderr } = await run(
      ['install', 'cursor', '--name', 'own', '--no-verify', ...options, '--', 'node', 'server.js'],
      { AGENTTOOLS_MCP_REGISTRY: 'none' },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(afterStart(entry('own'))).toEqual([
      ...expected(home),
      '--',
      process.execPath,
      expect.stringMatching(/server\.js$/),
    ]);
  });

  test('writes the level into the entry', async () => {
    const kit = writePackage(
      { servers: ['desk'] },
      { 'agenttools/servers/desk.json': { instructions: 'x' } },
    );
    const { code } = await run(['install', 'cursor', kit, '--name', 'kit', '--no-verify', '--sandbox=node']);
    expect(code).toBe(0);
    expect(afterStart(entry('kit'))).toEqual(['--sandbox=node', path.join(kit, 'desk')]);
    const odd = await run(['install', 'cursor', kit, '--no-verify', '--sandbox=docker']);
    expect(odd).toMatchObject({ code: 2 });
    expect(odd.stderr).toMatch(/bubblewrap.*node/);
  });

  test('names the permissions that a server declares', async () => {
    const sandbox = { files: { read: ['~/notes'] }, network: ['api.acme.example'], env: ['KEY'] };
    const kit = writePackage(
      { servers: ['desk'] },
      { 'agenttools/servers/desk.json': { instructions: 'x', sandbox } },
    );
    const { stderr } = await run(['install', 'cursor', kit, '--no-verify']);
    expect(stderr).toContain('In its sandbox, the server desk can read ~/notes.');
    expect(stderr).toContain('In its sandbox, the server desk can connect to api.acme.example.');
    expect(stderr).toContain('In its sandbox, the server desk can read the variable KEY.');
  });
});

describe('show', () => {
  const read = { files: { read: ['~/notes'] } };
  const shown = async (server: object, options: readonly string[]) => {
    const kit = writePackage(
      { servers: ['desk'] },
      { 'agenttools/servers/desk.json': { instructions: 'x', ...server } },
    );
    const installed = await run(['install', 'cursor', kit, '--name', 'kit', '--no-verify', ...options]);
    expect(installed, installed.stderr).toMatchObject({ code: 0 });
    const text = await run(['show', path.join(kit, 'desk')]);
    const { stdout } = await run(['show', path.join(kit, 'desk'), '--json']);
    const { sandbox, installations } = JSON.parse(stdout);
    return { sandbox, level: installations[0].sandbox, text: text.stdout };
  };

  test.each<[string, object, readonly string[], string | null]>([
    ['no sandbox', {}, [], null],
    ['the level of an option', {}, ['--sandbox=node'], 'node'],
    ['the strongest level for an option without one', {}, ['--sandbox'], 'bubblewrap'],
    ['the strongest level for a permission', {}, ['--allow-read', 'notes'], 'bubblewrap'],
    ['the strongest level for declared permissions', { sandbox: read }, [], 'bubblewrap'],
    ['no sandbox where an option turns it off', { sandbox: read }, ['--no-sandbox'], null],
  ])('prints %s', async (_, server, options, level) => {
    const { text, ...facts } = await shown(server, options);
    expect(facts).toEqual({ level, sandbox: 'sandbox' in server ? read : undefined });
    const line = text.split('\n').find((row) => row.includes('mcp.json'));
    expect(line?.split('sandbox: ')[1]).toBe(level ?? undefined);
  });
});

describe('start', () => {
  const kit = writePackage({ servers: ['desk'] }, { 'agenttools/servers/desk.json': { instructions: 'x' } });

  test.each([
    [['--allow-net', 'https://a.example'], '--allow-net "https://a.example" is not a host without scheme'],
    [['--allow-env', 'A=B'], '--allow-env "A=B" is not the name of a variable'],
    [['--allow-run', './git'], '--allow-run "./git" is not a name on the PATH'],
    [['--no-sandbox', '--allow-run', 'git'], '--no-sandbox leaves it out'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await run(['start', kit, ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test('refuses a sandbox for code in its own process, and for remote servers', async () => {
    const inProcess = await run(['start', kit, '--sandbox', '--in-process']);
    expect(inProcess).toMatchObject({ code: 2 });
    expect(inProcess.stderr).toContain('which no sandbox limits. Leave it out, or add --no-sandbox.');
    const remote = await run(['start', 'http://127.0.0.1:9/mcp', '--transport', 'http', '--sandbox'], {
      AGENTTOOLS_MCP_REGISTRY: 'none',
    });
    expect(remote.stderr).toContain('so no sandbox here limits it.');
  });

  test('refuses a sandbox that code declares, or that is malformed', async () => {
    const coded = writePackage(
      { servers: ['desk'] },
      { 'agenttools/servers/desk.js': 'export default { instructions: "x", sandbox: {} };' },
    );
    const { stderr } = await run(['start', coded, '--in-process']);
    expect(stderr).toContain('Server "desk" declares its "sandbox" in code. Declare it in package.json');
    const bad = writePackage(
      { servers: [{ name: 'desk', sandbox: { network: 'all' } }] },
      { 'agenttools/servers/desk.json': { instructions: 'x' } },
    );
    expect((await run(['start', bad])).stderr).toContain('"sandbox.network"');
  });
});

test('a sandbox has known keys, and well-formed hosts, programs and names', () => {
  const faults = (value: unknown) => [...checkSandbox(value)].map(({ path: at }) => at.join('.'));
  expect(
    faults({ files: { read: ['~'], write: [] }, network: ['a.example:80', '*.b'], run: ['git'], env: ['A'] }),
  ).toEqual([]);
  expect(faults('all')).toEqual(['']);
  expect(faults({ files: { delete: [] }, net: [] })).toEqual(['net', 'files.delete']);
  expect(faults({ network: ['http://a'], run: ['../git'], env: ['A-B'] })).toEqual([
    'network.0',
    'run.0',
    'env.0',
  ]);
});
