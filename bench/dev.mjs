// Measures the time from a saved file to the new list at a connected client. With --peers, compares with others. See README.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { summarize } from './statistics.mjs';

const program = fileURLToPath(new URL('../bin/agenttools.js', import.meta.url));

/** Longest medians in milliseconds. */
const targets = { data: 300, code: 600 };

/** Pause between changes, in milliseconds: checks of the change before have ended. */
const pauseMs = 1500;

/** The files that are saved, by kind. Each round has another description. */
const changes = {
  data: (round) => ['agenttools/tools/data.json', definition(`Data ${round}.`)],
  code: (round) => [
    'agenttools/tools/code.js',
    `import '../../lib.js'; export default { description: 'Code ${round}.', handler: () => ${round} };`,
  ],
};

function definition(description) {
  return JSON.stringify({ description, handler: './lib.js#run' });
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(path.join(os.tmpdir(), 'agenttools-bench-'));
try {
  const rounds = Number(options.rounds);
  const measured = options.peers
    ? await (await import('./dev-peers.mjs')).measurePeers(folder, rounds)
    : await measure(rounds);
  if (options.json) process.stdout.write(`${JSON.stringify(measured, undefined, 2)}\n`);
  else {
    for (const [kind, { absent, median, quartiles = [] }] of Object.entries(measured)) {
      const [low, high] = quartiles.map(Math.round);
      const target = targets[kind] === undefined ? '' : `, target ${targets[kind]} ms`;
      process.stdout.write(`${kind}: ${absent ?? `${Math.round(median)} ms (${low} to ${high})${target}`}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(rounds) {
  write('package.json', {
    name: '@acme/kit',
    version: '1.0.0',
    type: 'module',
    keywords: ['agenttools-extension'],
    agenttools: { tools: ['data', 'code'] },
  });
  write('lib.js', 'export const run = () => 1;');
  for (const change of Object.values(changes)) write(...change(0));
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  let onChanged = () => {};
  client.setNotificationHandler('notifications/tools/list_changed', () => onChanged());
  const home = path.join(folder, 'home');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'dev', '--stdio', folder],
      env: { PATH: process.env.PATH ?? '', HOME: home, AGENTTOOLS_HOME: home },
      stderr: 'ignore',
    }),
  );
  await client.listTools();
  const times = { data: [], code: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const [kind, change] of Object.entries(changes)) {
      await sleep(pauseMs);
      const changed = new Promise((resolve) => {
        onChanged = resolve;
      });
      const start = performance.now();
      write(...change(round));
      await changed;
      const { tools } = await client.listTools();
      times[kind].push(performance.now() - start);
      if (!tools.some(({ description }) => description.endsWith(` ${round}.`)))
        throw new Error(`The list is not the one of round ${round}.`);
    }
  }
  await client.close();
  return Object.fromEntries(Object.entries(times).map(([kind, list]) => [kind, summarize(list)]));
}

function write(file, content) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content));
}
