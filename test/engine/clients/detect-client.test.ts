import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClientEnvironment } from '../../../src/engine/clients/client.js';
import { isDetected } from '../../../src/engine/clients/detect-client.js';
import { userFile } from '../../../src/engine/clients/locate-config.js';
import { clients, writableClients } from '../../../src/engine/clients/table/index.js';
import { addFiles, writeFolder } from '../../support/packages.js';
import { writable } from './support/rows.js';
import { type Machine, type System, surroundingsOf } from './support/surroundings.js';

const systems = ['linux', 'darwin', 'win32'] as const;

test.each(systems)('nothing is found on an empty machine: %s', (system) => {
  expect(clients.filter((client) => isDetected(client, surroundingsOf(system)))).toEqual([]);
});

describe.each(systems)('its config file shows a client: %s', (system) => {
  const there = writableClients.filter((client) => userFile(client, surroundingsOf(system), 'weather').file);

  test.each(there.map((client) => [client.id, client] as const))('%s', (_id, client) => {
    const file = userFile(client, surroundingsOf(system), 'weather').file!;
    expect(isDetected(client, surroundingsOf(system, { files: [file] }))).toBe(true);
  });
});

describe('other traces of a client', () => {
  test.each<[id: string, system: System, machine: Machine]>([
    ['claude-desktop', 'darwin', { files: ['/Applications/Claude.app'] }],
    ['claude-desktop', 'win32', { files: ['~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/Settings'] }],
    ['claude-desktop', 'linux', { files: ['~/.config/Claude/logs'] }],
    ['claude-code', 'linux', { files: ['~/.claude/settings.json'] }],
    ['claude-code', 'linux', { files: ['/claude/settings.json'], env: { CLAUDE_CONFIG_DIR: '/claude' } }],
    ['codex', 'linux', { files: ['~/.codex/auth.json'] }],
    ['codex', 'linux', { files: ['/codex/auth.json'], env: { CODEX_HOME: '/codex' } }],
    [
      'continue',
      'darwin',
      { files: ['~/Library/Application Support/Code/User/globalStorage/continue.continue/x'] },
    ],
    ['continue', 'linux', { files: ['~/.continue/config.json'] }],
    ['kilo-code', 'linux', { files: ['~/.config/Code/User/globalStorage/kilocode.kilo-code/x'] }],
    ['cline', 'linux', { files: ['~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/x'] }],
    ['cline', 'linux', { files: ['~/.cline/x'] }],
    ['kimi-code', 'linux', { files: ['~/.kimi/x'] }],
    ['antigravity', 'linux', { files: ['~/.gemini/antigravity/x'] }],
    ['antigravity', 'linux', { files: ['~/.gemini/antigravity-cli/x'] }],
    ['vscode', 'linux', { files: ['~/.config/Code/User/settings.json'] }],
    ['vscode', 'linux', { files: ['/usr/bin/code'], env: { PATH: '/bin:/usr/bin' } }],
    ['vscode', 'win32', { files: ['C:\\vs\\bin\\code.cmd'], env: { Path: 'C:\\Windows;C:\\vs\\bin' } }],
    ['vscode-insiders', 'linux', { files: ['/usr/bin/code-insiders'], env: { PATH: '/usr/bin' } }],
    ['crush', 'linux', { files: ['/opt/bin/crush'], env: { PATH: '/opt/bin' } }],
    ['crush', 'linux', { files: ['~/.config/crush/crushrc'] }],
    ['mcporter', 'linux', { files: ['/opt/bin/mcporter'], env: { PATH: '/opt/bin' } }],
    ['mastracode', 'linux', { files: ['/opt/bin/mastracode'], env: { PATH: '/opt/bin' } }],
    ['fx', 'linux', { files: ['~/.fx/settings.json'] }],
    ['cursor', 'win32', { files: ['~/AppData/Roaming/Cursor/User/settings.json'] }],
    ['visual-studio', 'win32', { files: ['~/AppData/Local/Microsoft/VisualStudio/17.0/x'] }],
    ['boltai', 'darwin', { files: ['/Applications/BoltAI.app'] }],
    ['raycast', 'darwin', { files: ['/Applications/Raycast.app'] }],
  ])('%s on %s: %o', (id, system, machine) => {
    expect(isDetected(writable(id), surroundingsOf(system, machine))).toBe(true);
  });
});

describe('traces of another client', () => {
  test.each<[id: string, files: string[]]>([
    ['antigravity', ['~/.gemini/settings.json']],
    ['gemini-cli', ['~/.gemini/antigravity/mcp_config.json']],
    ['amazon-q', ['~/.aws/credentials']],
    ['windsurf', ['~/.codeium/config.json']],
    ['vscode', ['~/.config/Code - Insiders/User/mcp.json']],
    ['vscode', ['/usr/bin/code-insiders']],
    ['pi', ['~/.pi/mcp.json']],
    ['claude-desktop', ['~/.claude.json', '/Applications/Claude.app']],
  ])('%s: %s', (id, files) => {
    expect(isDetected(writable(id), surroundingsOf('linux', { files, env: { PATH: '/usr/bin' } }))).toBe(
      false,
    );
  });
});

test('on a real disk', () => {
  const home = writeFolder({ '.cursor/mcp.json': {}, '.config/zed/settings.json': {} });
  mkdirSync(path.join(home, '.factory'));
  addFiles(home, { 'bin/crush': '' });
  const surroundings: ClientEnvironment = {
    home,
    env: { PATH: path.join(home, 'bin') },
    platform: 'linux',
    exists: existsSync,
    namesIn: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
  };
  const found = clients.filter((client) => isDetected(client, surroundings)).map(({ id }) => id);
  expect(found).toEqual(['crush', 'droid', 'cursor', 'zed']);
});
