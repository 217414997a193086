import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { fakeHost, runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
  for (const folder of ['.cursor', '.codex']) mkdirSync(path.join(home, folder));
});

const down = '\u001b[B';

/** Runs `install` at a terminal. The user presses the keys at each question. */
async function walk(
  keys: readonly (readonly [question: string, ...keys: readonly string[]])[],
  {
    words = ['--no-verify'],
    env = {},
    columns = 100,
  }: { words?: readonly string[]; env?: Record<string, string>; columns?: number } = {},
) {
  const { host, stdout, stderr } = fakeHost({ cwd, home, env: { PATH: process.env.PATH ?? '', ...env } });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  Object.assign(stderr, { columns, rows: columns });
  const done = main(['install', ...words], { ...host, stdin });
  let seen = 0;
  for (const [question, ...pressed] of keys) {
    await expect.poll(() => stderr.text.indexOf(question, seen), { timeout: 15_000 }).toBeGreaterThan(-1);
    seen = stderr.text.indexOf(question, seen) + question.length;
    for (const key of pressed) stdin.write(key);
  }
  return { code: await done, stdout: stdout.text, stderr: stderr.text };
}

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
    const { code, stderr } = await walk(place, { columns: 0 });
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing to change: ');
    expect(stderr).not.toContain('Write this?');
    expect(stderr).toContain('Into which clients? Space selects, Enter goes on');
  });
});

describe('install without a terminal', () => {
  it.each([['install'], ['uninstall']])('lists the clients that were found: %s', async (command) => {
    const { code, stdout, stderr } = await runCli([command], { home, cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Which client? Found on this machine: codex, cursor. Name one of list-clients');
  });
});
