import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { beforeEach, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { bareEnvironment, root } from '../support/program.js';

/** A folder of global packages with its own Node, as a version manager makes for each version. */
function installGlobally(prefix: string): void {
  const folder = path.join(prefix, 'lib/node_modules/agenttools');
  for (const part of ['bin', 'dist', 'package.json', 'src/builtin'])
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  mkdirSync(path.join(prefix, 'bin'));
  try {
    linkSync(process.execPath, path.join(prefix, 'bin/node'));
  } catch {
    cpSync(process.execPath, path.join(prefix, 'bin/node'));
  }
  symlinkSync('../lib/node_modules/agenttools/bin/agenttools.js', path.join(prefix, 'bin/agenttools'));
}

let home: string;
beforeEach(() => {
  home = writeFolder();
});

const run = (prefix: string, ...words: readonly string[]) =>
  execFileSync(path.join(prefix, 'bin/node'), [path.join(prefix, 'bin/agenttools'), ...words], {
    env: bareEnvironment({ HOME: home, PATH: path.join(prefix, 'bin') }),
    cwd: home,
    stdio: 'pipe',
  }).toString();

/** Starts the entry as Cursor does, and returns the name of the server. */
function start(): string | undefined {
  const { mcpServers } = JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8'));
  const { command, args, env } = mcpServers.agenttools;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const { stdout } = spawnSync(command, args, {
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
    env: bareEnvironment({ HOME: home, ...env }),
  });
  return stdout?.toString().trim() ? JSON.parse(stdout.toString()).result.serverInfo.name : undefined;
}

test.skipIf(process.platform === 'win32').each([
  ['a command that writes', ['prune']],
  ['doctor --fix', ['doctor', '--offline', '--no-start', '--fix']],
] as const)('after Node and AgentTools have moved, %s lets entries work again', (_, command) => {
  const prefixes = ['v20', 'v22'].map((name) => path.join(home, '.nvm/versions/node', name));
  for (const prefix of prefixes) installGlobally(prefix);
  const [before = '', after = ''] = prefixes;
  run(before, 'install', 'cursor', 'agenttools', '--no-verify');
  expect(start()).toBe('agenttools');
  rmSync(before, { recursive: true });
  expect(run(after, 'list-installed')).toContain('agenttools doctor --fix');
  expect(start()).toBeUndefined();
  run(after, ...command);
  expect(start()).toBe('agenttools');
});
