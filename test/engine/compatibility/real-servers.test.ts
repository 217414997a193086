import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withServers } from '../../../.scripts/server-findings.mjs';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { recordedServers } from '../../support/recorded-servers.js';
import { faultsIn, findInServers } from '../../support/server-findings.js';

test('the findings in real servers are the table of the page', async () => {
  const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
  const servers = await findInServers();
  expect(servers.length).toBeGreaterThanOrEqual(25);
  for (const { server, tools } of servers) expect([server, tools]).not.toEqual([server, 0]);
  // After a change of rules or recordings: node .scripts/server-findings.mjs
  expect(page).toBe(withServers(page, servers));
});

test('the texts of real servers have no finding', async () => {
  const all = new Set(limitSubjects.map(({ id }) => id));
  for (const name of Object.keys(recordedServers)) {
    const codes = (await faultsIn(name, all)).map(({ code }) => code);
    expect([name, codes.filter((code) => code.startsWith('text/'))]).toEqual([name, []]);
  }
});
