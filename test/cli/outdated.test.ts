import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { npmUser } from '../support/npm-user.js';
import { writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let home: string;

/** An MCP server, or with `fields` an extension. */
const publish = async (name: string, version: string, fields: object = {}) =>
  await npm.registry.publish({
    'package.json': { name, version, type: 'module', bin: 'server.js', ...fields },
    'server.js': ticketsServer.replace('inputSchema', `description: 'Version ${version}', inputSchema`),
  });

const npm = npmUser(async () => {
  await publish('@acme/mcp', '1.0.0');
  await publish('@acme/kit', '1.0.0', { agenttools: { tools: [] } });
});

beforeEach(() => {
  home = npm.newHome();
});

const run = async (...words: readonly string[]) => await npm.run(words, { home });

const entry = () => JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.acme;
const data = (...parts: readonly string[]) => path.join(home, 'agenttools', ...parts);

describe('packages and servers with newer versions', () => {
  test('are listed, updated with their changes, and freed', async () => {
    expect((await run('install', 'cursor', 'npm:@acme/mcp', '--no-verify')).code).toBe(0);
    expect(
      (await run('install', 'codex', 'npm:@acme/mcp@1.0.0', '--name', 'pinned', '--no-verify')).code,
    ).toBe(0);
    expect((await run('add', '@acme/kit')).code).toBe(0);
    const before = await run('outdated', '--check');
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is outdated.') });

    await publish('@acme/mcp', '1.2.0');
    await publish('@acme/kit', '1.1.0', { agenttools: { tools: [] } });
    const text = readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8');
    const { code, stdout } = await run('outdated', '--check', '--json');
    expect({ code, states: JSON.parse(stdout) }).toEqual({
      code: 1,
      states: [
        {
          kind: 'extension',
          name: '@acme/kit',
          current: '1.0.0',
          wanted: '1.1.0',
          latest: '1.1.0',
          state: 'outdated',
          clients: [],
        },
        {
          kind: 'npm',
          name: 'npm:@acme/mcp',
          current: '1.0.0',
          wanted: '1.2.0',
          latest: '1.2.0',
          state: 'outdated',
          clients: ['cursor'],
        },
        {
          kind: 'npm',
          name: 'npm:@acme/mcp@1.0.0',
          current: '1.0.0',
          wanted: '1.0.0',
          latest: '1.2.0',
          state: 'pinned',
          clients: ['codex'],
        },
      ],
    });
    expect((await run('outdated')).code).toBe(0);

    const held = await run('update', 'acme');
    expect(held).toMatchObject({ code: 1, stdout: '' });
    expect(held.stderr).toContain('Compare the items that the model sees with --load.');
    expect(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).toBe(text);
    expect(readdirSync(data('npm-servers')).filter((name) => /@[\d.]+$/.test(name))).toEqual([
      '@acme+mcp@1.0.0',
    ]);

    const updated = await run('update', 'acme', '--load', '--yes', '--json');
    expect(updated.code).toBe(0);
    expect(updated.stderr).toMatch(/ {2}~ .*tool.* has another description\n.*Version 1\.2\.0/);
    expect(JSON.parse(updated.stdout)).toMatchObject([
      { name: 'npm:@acme/mcp', previous: '1.0.0', version: '1.2.0', state: 'updated', clients: ['cursor'] },
    ]);
    expect(entry().args[0]).toContain('@acme+mcp@1.2.0');
    expect(existsSync(entry().args[0])).toBe(true);
    expect(JSON.parse((await run('list-installed', '--json')).stdout)).toMatchObject([
      { server: 'npm:@acme/mcp@1.0.0', state: 'intact' },
      { server: 'npm:@acme/mcp@1.2.0', state: 'intact' },
    ]);
    expect((await run('update', 'acme')).stderr).toContain('is the newest version');

    // The pinned entry uses the old version until it goes.
    expect((await run('prune', '--dry-run')).stderr).toBe('Nothing to remove.\n');
    await run('uninstall', 'cursor', 'acme');
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
  }, 60_000);

  test('are unknown if a registry does not answer', async () => {
    expect((await run('install', 'cursor', 'npm:@acme/mcp', '--no-verify')).code).toBe(0);
    const { code, stdout } = await runCli(['outdated', '--json'], {
      home,
      cwd: home,
      env: { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', HOME: home },
    });
    expect({ code, states: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      states: [{ name: 'npm:@acme/mcp', state: 'unknown', reason: expect.stringContaining('cannot be') }],
    });
  }, 30_000);
});

describe('prune', () => {
  test('shows and removes servers that nothing starts', async () => {
    mkdirSync(data('npm-servers', 'other@1.0.0'), { recursive: true });
    mkdirSync(data('bundles', `kit-${'0'.repeat(32)}`), { recursive: true });
    mkdirSync(data('npm-servers', 'notes'));
    const shown = await run('prune', '--dry-run', '--json');
    expect(JSON.parse(shown.stdout)).toEqual([
      { kind: 'server', folder: data('npm-servers', 'other@1.0.0'), bytes: 0, kept: false },
      { kind: 'server', folder: data('bundles', `kit-${'0'.repeat(32)}`), bytes: 0, kept: false },
    ]);
    expect(existsSync(data('npm-servers', 'other@1.0.0'))).toBe(true);
    const { code, stderr } = await run('prune');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Freed 0.0 MB in 2 folders.'),
    });
    expect(readdirSync(data('npm-servers')).filter((name) => !name.endsWith('.lock'))).toEqual(['notes']);
    expect(readdirSync(data('bundles'))).toEqual([]);
  });

  test('removes nothing if a record cannot be read', async () => {
    home = writeFolder({
      'agenttools/npm-servers/other@1.0.0/x': '',
      'agenttools/receipts/broken.json': '{',
    });
    expect(await run('prune')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was removed'),
    });
    expect(existsSync(data('npm-servers', 'other@1.0.0'))).toBe(true);
  });
});

describe.skipIf(process.platform === 'win32')('the link to Node', () => {
  test('follows the Node in use, and commands that only read leave it alone', async () => {
    mkdirSync(data('bin'), { recursive: true });
    symlinkSync('/nowhere/node', data('bin/node'));
    await run('list-installed');
    expect(readlinkSync(data('bin/node'))).toBe('/nowhere/node');
    await run('prune');
    expect(readlinkSync(data('bin/node'))).toBe(process.execPath);
    unlinkSync(data('bin/node'));
    await run('prune');
    expect(existsSync(data('bin/node'))).toBe(false);
  });
});

describe('uninstall --everything', () => {
  test('removes entries of users and projects, and all data', async () => {
    const project = writeFolder();
    const original = '{\n  "mcpServers": {}\n}\n';
    writeFileSync(path.join(project, '.mcp.json'), original);
    for (const words of [['cursor'], ['claude-code', `--project=${project}`], ['codex']]) {
      const [client = '', ...rest] = words;
      expect((await run('install', client, 'agenttools', ...rest, '--no-verify')).code).toBe(0);
    }
    writeFileSync(data('agenttools.json'), '{ "servers": {} }');
    const all = await run('uninstall', '--all', '--dry-run');
    expect(all.stderr).toContain(`  agenttools uninstall claude-code agenttools --project=${project}`);
    const asked = await run('uninstall', '--everything');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const shown = await run('uninstall', '--everything', '--dry-run');
    expect(shown.stderr).toContain(`Would remove ${data()}.`);
    expect(existsSync(data())).toBe(true);
    const { code, stderr } = await run('uninstall', '--everything', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`Removed ${data()}.`) });
    expect(existsSync(data())).toBe(false);
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
    expect(readFileSync(path.join(project, '.mcp.json'), 'utf8')).toBe(original);
  });

  test('keeps the data if an entry stays, and never deletes a folder with other files', async () => {
    expect((await run('install', 'cursor', 'agenttools', '--no-verify')).code).toBe(0);
    const file = path.join(home, '.cursor/mcp.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"start"', '"begin"'));
    expect((await run('uninstall', '--everything', '--yes')).code).toBe(1);
    expect(existsSync(data())).toBe(true);
    writeFileSync(data('letters.txt'), 'mine');
    const refused = await run('uninstall', '--everything', '--yes', '--force');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('AgentTools: letters.txt.') });
    expect(refused.stderr).toContain('delete the data by hand');
    expect(existsSync(data('letters.txt')) && existsSync(file)).toBe(true);
  });
});
