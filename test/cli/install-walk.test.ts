import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { runCli } from '../support/run-cli.js';
import { down, type Keys, runAtTerminal } from '../support/terminal.js';

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
  for (const folder of ['.cursor', '.codex']) mkdirSync(path.join(home, folder));
});

const walk = async (
  keys: Keys,
  {
    command = 'install',
    words = ['--no-verify'],
    env = {},
    width = 100,
  }: {
    command?: string;
    words?: readonly string[];
    env?: Record<string, string>;
    width?: number;
  } = {},
) => await runAtTerminal([command, ...words], keys, { home, cwd, env, width });

const written = () =>
  ['.cursor/mcp.json', '.codex/config.toml', 'agenttools'].filter((file) =>
    existsSync(path.join(home, file)),
  );

describe('install at a terminal', () => {
  it('asks for the server, the clients and the scope, and shows the changes first', async () => {
    const { code, stdout, stderr } = await walk([
      ['Which server?', 'kit', '\r'],
      ['Into which clients?', ' ', down, ' ', '\r'],
      ['For which projects?', '\r'],
      ['Write this?', '\r'],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^\+ .*"kit": \{$/m);
    expect(stderr.indexOf('Would install')).toBeLessThan(stderr.indexOf('Write this?'));
    expect(stderr).toContain(
      `The same without questions: agenttools install codex,cursor ${path.join(cwd, 'kit')}\n`,
    );
    expect(
      Object.keys(JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers),
    ).toEqual(['kit']);
    expect(readFileSync(path.join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.kit]');
  });

  it('searches registries, and takes what was typed', async () => {
    const { url } = await startMcpRegistry([
      registryEntry({ name: 'io.github.acme/tickets', description: 'Tickets of Acme' }),
    ]);
    const { code, stderr } = await walk(
      [
        ['Which server?', 'ticket', '\r'],
        ['1 servers for "ticket"', '\u0003'],
      ],
      { env: { AGENTTOOLS_MCP_REGISTRY: url } },
    );
    expect(code).toBe(130);
    expect(stderr).toContain('io.github.acme/tickets');
  });

  it.each([
    ['server', [['Which server?', '\u0003']]],
    [
      'client',
      [
        ['Which server?', 'kit', '\r'],
        ['Into which clients?', '\u0003'],
      ],
    ],
    [
      'scope',
      [
        ['Which server?', 'kit', '\r'],
        ['Into which clients?', ' ', '\r'],
        ['For which projects?', '\u0003'],
      ],
    ],
    [
      'consent',
      [
        ['Which server?', 'kit', '\r'],
        ['Into which clients?', ' ', '\r'],
        ['For which projects?', '\r'],
        ['Write this?', 'n'],
      ],
    ],
  ] as const)('leaves nothing behind without an answer to the question for the %s', async (_, keys) => {
    const { code, stderr } = await walk(keys);
    expect(code).toBe(130);
    expect(stderr).toMatch(/error: Interrupted\. Nothing was written\.\n$/);
    expect(written()).toEqual([]);
  });

  it('takes the command after -- as the server', async () => {
    const { code } = await walk(
      [
        ['Into which clients?', down, ' ', '\r'],
        ['For which projects?', down, '\r'],
        ['Write this?', '\r'],
      ],
      { words: ['--no-verify', '--name', 'own', '--', process.execPath, 'server.mjs'] },
    );
    expect(code).toBe(0);
    expect(readFileSync(path.join(cwd, '.cursor/mcp.json'), 'utf8')).toContain('"own"');
  });

  it('asks for no consent if nothing would change, also on a terminal of zero columns', async () => {
    const place = [
      ['Which server?', 'kit', '\r'],
      ['Into which clients?', down, ' ', '\r'],
      ['For which projects?', '\r'],
    ] as const;
    await walk([...place, ['Write this?', '\r']]);
    const { code, stderr } = await walk(place, { width: 0 });
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing to change: ');
    expect(stderr).not.toContain('Write this?');
    expect(stderr).toContain('Into which clients? Space selects, Enter goes on');
  });
});

describe('uninstall at a terminal', () => {
  const texts = () =>
    ['.cursor/mcp.json', '.codex/config.toml'].map((file) => {
      const place = path.join(home, file);
      return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
    });

  beforeEach(async () => {
    await runCli(['install', 'cursor,codex', '.', '--no-verify'], { home, cwd });
    await runCli(['install', 'cursor', '.', '--no-verify', '--name', 'two'], { home, cwd });
  });

  it('asks which entries to remove, shows the changes, and removes the chosen ones', async () => {
    const keys = [
      ['Which entries?', ' ', down, ' ', '\r'],
      ['Remove this?', '\r'],
    ] as const;
    const { code, stdout, stderr } = await walk(keys, { command: 'uninstall', words: [] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.indexOf('Would remove')).toBeLessThan(stderr.indexOf('Remove this?'));
    expect(stderr).toMatch(/^- /m);
    const [cursor, codex] = texts();
    expect(codex).toBeUndefined();
    expect(Object.keys(JSON.parse(cursor!).mcpServers)).toEqual(['two']);
    expect(stderr).toContain('The same without questions:\n  agenttools uninstall codex kit\n');
  });

  it.each([
    ['the choice', [['Which entries?', '\u0003']]],
    [
      'the consent',
      [
        ['Which entries?', ' ', '\r'],
        ['Remove this?', '\u0003'],
      ],
    ],
  ] as const)('changes nothing at Ctrl+C in %s', async (_, keys) => {
    const before = texts();
    const { code, stderr } = await walk(keys, { command: 'uninstall', words: [] });
    expect({ code, after: texts() }).toEqual({ code: 130, after: before });
    expect(stderr).toMatch(/error: Interrupted\. Nothing was written\.\n$/);
  });

  it('prints the diff of the chosen entries with --dry-run', async () => {
    const before = texts();
    const keys = [['Which entries?', ' ', '\r']] as const;
    const { code, stdout } = await walk(keys, { command: 'uninstall', words: ['--dry-run'] });
    expect({ code, after: texts() }).toEqual({ code: 0, after: before });
    expect(stdout).toMatch(/^-.*kit/m);
  });

  it.each([[[]], [['--json']]])(
    'names the entries and their commands without a terminal: %j',
    async (words) => {
      const { code, stdout, stderr } = await runCli(['uninstall', ...words], { home, cwd });
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('agenttools uninstall cursor two');
    },
  );
});

describe('install without a terminal', () => {
  it.each([['install'], ['uninstall']])('lists the clients that were found: %s', async (command) => {
    const { code, stdout, stderr } = await runCli([command], { home, cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Which client? Found on this machine: codex, cursor. Name one of list-clients');
  });
});
