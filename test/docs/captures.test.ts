import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { root } from '../support/program.js';
import { runCli } from '../support/run-cli.js';
import { captureAtTerminal, down, type Keys } from '../support/terminal.js';

/*
 * Pages have what the program prints at a terminal, in blocks such as ```text capture=help. To refresh them:
 * npx vitest run --config test/vitest.config.ts test/docs/captures.test.ts -u
 */

let home: string;
let cwd: string;
beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
  for (const folder of ['.cursor', '.codex']) mkdirSync(path.join(home, folder));
});

async function capture(words: readonly string[], keys: Keys = []): Promise<string> {
  const shown = await captureAtTerminal(words, keys, { home, cwd });
  const text = shown
    .replaceAll(cwd, '/home/ada/my-plugin')
    .replaceAll(path.join(home, 'agenttools'), '/home/ada/.local/share/agenttools')
    .replaceAll(home, '/home/ada')
    .replaceAll(root, '/usr/lib/node_modules/agenttools')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '2026-11-24 09:00:00 UTC');
  return `$ ${['agenttools', ...words].join(' ')}\n${text}`;
}

/** Compares the capture of a page. A page has at most one. */
async function expectBlock(page: string, name: string, captured: string): Promise<void> {
  const file = path.join(root, page);
  const before = readFileSync(file, 'utf8');
  const block = new RegExp(`^(\`\`\`text capture=${name}\\n)[^]*?^\`\`\`$`, 'm');
  expect(before).toMatch(block);
  const after = before.replace(block, (_, fence: string) => `${fence}${captured}\`\`\``);
  await expect(after).toMatchFileSnapshot(file);
}

test('the help groups the commands', async () => {
  await expectBlock('docs/command-line.md', 'help', await capture(['--help']));
});

test('install asks for the server and the clients, and shows the changes', async () => {
  const captured = await capture(
    ['install', '--no-verify'],
    [
      ['Which server?', 'kit', '\r'],
      ['Into which clients?', down, ' ', '\r'],
      ['For which projects?', '\r'],
      ['Write this?', '\r'],
    ],
  );
  await expectBlock('docs/commands/install.md', 'install', captured);
});

test('doctor reports findings by file', async () => {
  const servers = {
    weather: { command: '/opt/node18/bin/node', args: ['weather.js'] },
    tickets: { command: process.execPath, args: ['tickets.js'], env: { TICKETS_TOKEN: 'tk_4f9a1c' } },
  };
  const text = `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`;
  writeFileSync(path.join(home, '.cursor/mcp.json'), text, { mode: 0o600 });
  await expectBlock('docs/doctor.md', 'doctor', await capture(['doctor', '--offline']));
});

test('sync shows a table, and a line for each entry that stays', async () => {
  const servers = { notes: { command: ['node', 'notes.js'] }, files: { command: ['node', 'files.js'] } };
  const set = (env: object) => {
    const all = { ...servers, notes: { ...servers.notes, env } };
    const text = JSON.stringify({ scope: 'user', clients: ['cursor', 'codex'], servers: all });
    writeFileSync(path.join(cwd, 'agenttools.json'), text);
  };
  set({ REGION: 'eu' });
  await runCli(['sync', '--no-verify'], { home, cwd, env: { PATH: process.env.PATH ?? '' } });
  const codex = path.join(home, '.codex/config.toml');
  writeFileSync(codex, readFileSync(codex, 'utf8').replace('"eu"', '"us"'));
  set({ REGION: 'uk' });
  const captured = await capture(['sync', '--no-verify']);
  await expectBlock('docs/sync.md', 'sync', captured);
});
