import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

/** A server that adds a line to a file at each start. */
const serverCode = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
appendFileSync(process.argv[2], 'started\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'counted', version: '1.0.0' } }
    : { tools: [] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const plugin = writeFolder({
  'package.json': packageJson({ tools: ['greet'] }),
  'agenttools/tools/greet.json': { handler: './greet.js' },
  'greet.js': 'export default () => "hello";',
});

let home: string;
const file = (name: string) => path.join(home, name);
const run = async (...words: readonly string[]) =>
  await runCli(words, { home, cwd: home, env: { PATH: path.dirname(process.execPath), HOME: home } });

beforeEach(() => {
  home = writeFolder();
});

describe('install into a list of clients', () => {
  it('writes the installed ones, starts the server once, and names the skipped ones', async () => {
    for (const folder of ['.cursor', '.codex']) mkdirSync(file(folder));
    addFiles(home, { 'server.mjs': serverCode });
    const command = ['--', 'node', 'server.mjs', file('starts')];
    const { code, stderr } = await run('install', 'cursor,Codex,windsurf', '--name', 'mine', ...command);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(
      'Skipped, because not found on this machine: Windsurf. To write the file of one anyway, name it alone.',
    );
    expect(JSON.parse(readFileSync(file('.cursor/mcp.json'), 'utf8')).mcpServers).toHaveProperty('mine');
    expect(readFileSync(file('.codex/config.toml'), 'utf8')).toContain('[mcp_servers.mine]');
    expect(existsSync(file('.codeium'))).toBe(false);
    expect(readFileSync(file('starts'), 'utf8')).toBe('started\n');

    expect(await run('uninstall', 'cursor,codex', 'mine')).toMatchObject({ code: 0 });
    expect([file('.cursor/mcp.json'), file('.codex/config.toml')].map(existsSync)).toEqual([false, false]);
  });

  it('takes servers of extensions, and continues after the failure of one client', async () => {
    addFiles(home, { '.cursor/mcp.json': '{ broken' });
    mkdirSync(file('.codex'));
    const { code, stdout, stderr } = await run('install', 'cursor,codex', plugin, '--no-verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { client: 'cursor', error: { message: expect.stringContaining('.cursor/mcp.json') } },
      { client: 'codex', changed: true },
    ]);
    expect(stderr).toMatch(/error: Cursor: .*\n1 of 2 clients failed\.\n$/);
  });

  it('prints a failure of the server once, with all clients', async () => {
    for (const folder of ['.cursor', '.codex']) mkdirSync(file(folder));
    addFiles(home, { 'server.mjs': 'console.error("no database"); process.exit(1);' });
    const { code, stderr } = await run('install', 'cursor,codex', '--', 'node', 'server.mjs');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Cursor, Codex: The server did not answer/m);
    expect(stderr.match(/no database/g)).toHaveLength(1);
    expect(stderr).toMatch(/2 of 2 clients failed\.\n$/);
  });

  it('writes the project file of a client that is not installed if the project has one', async () => {
    addFiles(home, { '.vscode/mcp.json': '{}' });
    const { code, stderr } = await run(
      'install',
      'vscode,windsurf,claude-code',
      plugin,
      '--no-verify',
      '--project',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('Skipped, because not found on this machine: Windsurf, Claude Code.');
    expect(readFileSync(file('.vscode/mcp.json'), 'utf8')).toContain('start');
  });

  it('prints a list of data, also if one client is left', async () => {
    mkdirSync(file('.cursor'));
    const words = ['install', 'cursor,codex', plugin, '--no-verify', '--json', '--dry-run'];
    expect(JSON.parse((await run(...words)).stdout)).toMatchObject([{ client: 'cursor' }]);
  });

  it('counts a client once, and prints the text of clients without a config file', async () => {
    mkdirSync(file('.cursor'));
    const { stdout, stderr } = await run('install', 'cursor, Cursor,cherry-studio', plugin, '--no-verify');
    expect(stderr.match(/Installed /g)).toHaveLength(1);
    expect(JSON.parse(stdout)).toHaveProperty('mcpServers');
  });

  it('fails if no client of the list is installed, and writes nothing', async () => {
    const { code, stderr } = await run('install', 'cursor,windsurf', plugin, '--no-verify');
    expect(code).toBe(1);
    expect(stderr).toContain('None of these clients was found on this machine: Cursor, Windsurf.');
    expect(existsSync(file('.cursor'))).toBe(false);
  });

  it('refuses an unknown client before any file is written', async () => {
    mkdirSync(file('.cursor'));
    const { code, stderr } = await run('install', 'cursor,cursr', plugin, '--no-verify');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no client "cursr".');
    expect(existsSync(file('.cursor/mcp.json'))).toBe(false);
  });

  it('refuses a list of owners of one file', async () => {
    const { code, stderr } = await run('install', plugin, '--config', 'x.json', '--client', 'cursor,codex');
    expect(code).toBe(2);
    expect(stderr).toContain('--client names one client');
  });
});

describe('clients that are not installed', () => {
  it('are written if they are named alone, with a notice', async () => {
    const { code, stderr } = await run('install', 'cursor', plugin, '--no-verify');
    expect(code).toBe(0);
    expect(stderr).toContain(
      '  Cursor was not found on this machine. It reads the entry when it is installed.',
    );
    const again = await run('install', 'cursor', plugin, '--no-verify');
    expect(again.stderr).not.toContain('was not found');
  });

  it('are counted with --all', async () => {
    mkdirSync(file('.cursor'));
    const { code, stderr } = await run('install', '--all', plugin, '--no-verify');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Skipped \d\d clients that were not found on this machine\./);
  });
});
