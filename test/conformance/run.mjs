// Runs the official conformance suite against our fixture extension, over HTTP and over stdio.
//
//   node test/conformance/run.mjs [--transport http|stdio] [--run <words>] [--node <binary>] [--suites <folder>]
//
// The suite needs Node 22 or newer; the server runs on the Node that runs this.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBridge } from './bridge.mjs';
import { packages, runs } from './runs.mjs';
import { ServerProcess } from './server-process.mjs';
import { judge } from './verdict.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = path.join(root, 'bin/agenttools.js');
const extension = path.join(root, 'fixtures/extensions/conformance');

const { values: options } = parseArgs({
  options: {
    transport: { type: 'string' },
    run: { type: 'string', default: '' },
    node: { type: 'string', default: process.execPath },
    suites: { type: 'string' },
  },
});

const work = mkdtempSync(path.join(tmpdir(), 'conformance-'));
const env = { PATH: process.env.PATH, HOME: work, AGENTTOOLS_AUTO_INSTALL: 'false' };
const say = (line) => void process.stdout.write(`${line}\n`);

/** How long a run may take, its scenarios one after the other. The suite gives each of them half a minute. */
const runLimitMs = 10 * 60_000;

/** How a server is brought to the suite: its address, and what was wrong with it besides. */
const transports = { http: startHttp, stdio: startStdio };

try {
  const suites = options.suites ?? installSuites(path.join(work, 'suites'));
  const wanted = Object.keys(transports).filter((name) => name === (options.transport ?? name));
  let isFine = true;
  for (const transport of wanted) {
    for (const run of runs.filter(({ name }) => name.includes(options.run))) {
      isFine = (await runOne(transport, run, suites)) && isFine;
    }
  }
  process.exitCode = isFine ? 0 : 1;
} finally {
  if (process.exitCode === 0) rmSync(work, { recursive: true, force: true });
  else say(`What the suite said is in ${work}.`);
}

async function runOne(transport, run, suites) {
  const folder = path.join(work, `${transport} ${run.name}`.replaceAll(' ', '-'));
  mkdirSync(folder);
  const broken = [];
  const trouble = new AbortController();
  const server = await transports[transport]({ log: `${folder}.server.log` }, (fault) => {
    broken.push(fault);
    trouble.abort();
  });
  try {
    const limit = AbortSignal.timeout(runLimitMs);
    const signal = AbortSignal.any([trouble.signal, limit]);
    await runSuite({ file: suiteFile(suites, run.suite), args: run.args, url: server.url, folder, signal });
    if (limit.aborted) broken.push(`the suite did not end within ${runLimitMs / 60_000} minutes`);
  } finally {
    await server.close();
  }
  const { scenarios, passed, skipped, excepted, ...judged } = judge(folder, run, transport);
  const impure = server.impurities.map((line) => `no JSON-RPC on stdout: ${line}`);
  const faults = [...broken, ...judged.faults, ...impure];
  const words = faults.length === 0 ? 'ok' : `${faults.length} FAULTS`;
  say(`${transport}, ${run.name}: ${words}. ${scenarios} scenarios, ${passed} checks passed.`);
  if (skipped.length > 0) say(`  skipped by the suite itself: ${skipped.join(', ')}`);
  if (excepted.length > 0) say(`  duties of HTTP: ${excepted.join(', ')}`);
  for (const fault of faults) say(`  FAULT ${fault}`);
  return faults.length === 0;
}

async function runSuite({ file, args, url, folder, signal }) {
  const output = createWriteStream(`${folder}.log`);
  const suite = spawn(options.node, [file, 'server', '--url', url, ...args, '-o', folder], {
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signal.addEventListener('abort', () => suite.kill('SIGKILL'));
  if (signal.aborted) suite.kill('SIGKILL');
  for (const stream of [suite.stdout, suite.stderr]) stream.pipe(output, { end: false });
  await once(suite, 'close');
  output.end();
  await once(output, 'close');
}

async function startStdio({ log }, tell) {
  const args = [program, 'start', extension];
  return await startBridge({ command: process.execPath, args, env, log }, tell);
}

/** Host headers are only checked for names of this machine, so the suite comes by one. */
async function startHttp({ log }, tell) {
  const args = [program, 'start', extension, '--http', '--port', '0', '--json'];
  const server = new ServerProcess({ command: process.execPath, args, env, log }, tell);
  const { url } = JSON.parse(await server.firstLine());
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    impurities: [],
    close: () => server.end((child) => child.kill('SIGTERM')),
  };
}

function installSuites(folder) {
  const aliases = Object.entries(packages).map(([name, spec]) => `${name}@npm:${spec}`);
  mkdirSync(folder, { recursive: true });
  // In the folder, not by `--prefix`, which also makes npm look there for the settings of the machine.
  execFileSync('npm', ['install', '--loglevel', 'error', '--no-fund', '--no-audit', ...aliases], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
}

function suiteFile(folder, name) {
  const file = path.join(folder, 'node_modules', name, 'dist/index.js');
  if (!existsSync(file))
    throw new Error(`${file} is not there. npm installs it as ${name}@npm:${packages[name]}.`);
  return file;
}
