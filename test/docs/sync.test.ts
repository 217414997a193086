import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.js';
import { blocks } from './support/pages.js';

const blockOf = (word: string) => blocks.find(({ page, words }) => page === 'sync' && word in words)!.text;

test('the set of the page gives the table of the page', async () => {
  const home = await temporaryFolder();
  for (const folder of ['.cursor', '.codex', '.config/Code/User', '.config/Claude'])
    mkdirSync(path.join(home, folder), { recursive: true });
  const { stdout, code } = await runCli(['sync', '--check', '--json'], {
    home,
    files: { 'agenttools.json': blockOf('set') },
  });
  expect(code).toBe(1);
  const found = JSON.parse(stdout) as { client: string; key: string; action: string }[];
  const [clients = [], ...rows] = blockOf('table')
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const told = rows.flatMap(([key, ...cells]) =>
    cells.flatMap((action, index) => (action === '-' ? [] : [`${key} ${clients[index]} ${action}`])),
  );
  expect(found.map(({ client, key, action }) => `${key} ${client} ${action}`).sort()).toEqual(told.sort());
});
