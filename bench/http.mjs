// Measures calls over HTTP against a server by hand on the official SDK. See README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { baseline, prepareHttpContestants } from './contestants.mjs';
import * as handlers from './servers/handlers.mjs';
import { rotated, summarize } from './statistics.mjs';
import { countedTool } from './tools.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

/** What is measured: calls of one revision, so many at a time. */
const all = [
  { id: '2026-07-28, one by one', version: '2026-07-28', window: 1 },
  { id: '2026-07-28, 16 at a time', version: '2026-07-28', window: 16 },
  { id: '2025-11-25, one by one', version: '2025-11-25', window: 1 },
  { id: '2025-11-25, 16 at a time', version: '2025-11-25', window: 16 },
];

const measurements = all.filter(({ id }) => id.includes(options.only));

const count = 3000;
const warmUp = 1000;

const answer = JSON.stringify(new Map(Object.entries(handlers)).get(countedTool.name)(countedTool.call));

const plainHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const modernHeaders = {
  ...plainHeaders,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': countedTool.name,
};

const scratch = mkdtempSync(path.join(os.tmpdir(), 'agenttools-bench-'));
try {
  await main(Number(options.rounds));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Round by round through all of them, so that a busy minute of the machine hits everybody. The first does not count. */
async function main(rounds) {
  const contestants = prepareHttpContestants(scratch);
  const samples = new Map(
    measurements.flatMap(({ id }) => contestants.map((one) => [`${one.id} ${id}`, []])),
  );
  for (let round = 0; round <= rounds; round += 1) {
    for (const measurement of measurements) {
      for (const contestant of rotated(contestants, round)) {
        const sample = await measure(contestant, measurement);
        if (round > 0) samples.get(`${contestant.id} ${measurement.id}`).push(sample);
      }
    }
  }
  const rows = measurements.map(({ id }) => ({
    id,
    contestants: contestants.map((one) => ({
      label: one.label,
      ...Object.fromEntries(
        ['perSecond', 'cpu'].map((key) => {
          const numbersOf = (who) => samples.get(`${who} ${id}`).map((sample) => sample[key]);
          return [key, summarize(numbersOf(one.id), numbersOf(baseline))];
        }),
      ),
    })),
  }));
  process.stdout.write(options.json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
}

async function measure({ command, args, env, label }, { version, window }) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  const agent = new Agent({ keepAlive: true, maxSockets: window });
  try {
    const { url } = JSON.parse(String((await once(child.stdout, 'data'))[0]));
    const headers = version === '2026-07-28' ? modernHeaders : await openSession(url, agent);
    let id = 0;
    const call = async () => {
      id += 1;
      const body = bodyOf(version, id);
      const { status, text } = await post({ url, agent, headers, body });
      if (status === 200 && text.includes(answer)) return;
      throw new Error(`${label} answered ${status} ${text.slice(0, 300)}`);
    };
    await flood(warmUp, window, call);
    const cpuBefore = cpuMs(child.pid);
    const startedAt = performance.now();
    await flood(count, window, call);
    const ms = performance.now() - startedAt;
    return { perSecond: count / (ms / 1000), cpu: ((cpuMs(child.pid) - cpuBefore) * 1000) / count };
  } finally {
    agent.destroy();
    child.kill('SIGKILL');
    await ended;
  }
}

async function flood(calls, window, call) {
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: window }, worker));
}

function bodyOf(version, id) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: countedTool.name, arguments: countedTool.call };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: version === '2026-07-28' ? { ...params, _meta } : params,
  });
}

async function openSession(url, agent) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const { headers } = await post({ url, agent, headers: plainHeaders, body });
  const own = {
    ...plainHeaders,
    'mcp-session-id': headers['mcp-session-id'],
    'mcp-protocol-version': '2025-11-25',
  };
  await post({ url, agent, headers: own, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
  return own;
}

async function post({ url, agent, headers, body }) {
  const asked = request(url, {
    method: 'POST',
    agent,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(response, 'end');
  return { status: response.statusCode, headers: response.headers, text };
}

/** Milliseconds of processor time that all threads of a process have used so far (Linux). */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, part) => sum + part, 0) / 1e6;
}

function table(rows) {
  const labels = rows[0].contestants.map(({ label }) => label);
  const cell = ({ perSecond, cpu }) =>
    `${perSecond.median.toFixed(0)} ${perSecond.ratio.toFixed(2)}×, ${cpu.median.toFixed(0)} µs ${cpu.ratio.toFixed(2)}×`;
  return [
    `| calls/s, processor time of a call | ${labels.join(' | ')} |`,
    `| --- |${labels.map(() => ' ---: |').join('')}`,
    ...rows.map(({ id, contestants }) => `| ${id} | ${contestants.map(cell).join(' | ')} |`),
    '',
  ].join('\n');
}
