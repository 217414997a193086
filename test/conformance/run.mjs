// Runs the official conformance suite against our fixture extension, over HTTP and over stdio, and against our client.
//
//   node test/conformance/run.mjs [--role server|client] [--transport http|stdio] [--run <words>] [--node <binary>]
//     [--suites <folder>]
//
// The suite needs Node 22 or newer; the server and the client run on the Node that runs this.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { startBridge } from './bridge.mjs';
import { clientRuns, packages, runs } from './runs.mjs';
import { ServerProcess } from './server-process.mjs';
import { startTurns } from './turns.mjs';
import { judge, judgeClient } from './verdict.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = path.join(root, 'bin/agenttools.js');
const turnTaker = path.join(root, 'test/conformance/take-turn.mjs');
const extension = path.join(root, 'fixtures/extensions/conformance');

const { values: options } = parseArgs({
  options: {
    role: { type: 'string' },
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

/** Time of one client of the suite, with the wait for its turn. */
const clientLimitMs = runLimitMs;

/** How a server is brought to the suite: its address, and what was wrong with it besides. */
const transports = { http: startHttp, stdio: startStdio };

try {
  const suites = options.suites ?? installSuites(path.join(work, 'suites'));
  const wanted = Object.keys(transports).filter((name) => name === (options.transport ?? name));
  const isWanted = ({ name }) => name.includes(options.run);
  const hasRole = (role) => role === (options.role ?? role);
  let isFine = true;
  for (const transport of hasRole('server') ? wanted : []) {
    for (const run of runs.filter(isWanted)) isFine = (await runOne(transport, run, suites)) && isFine;
  }
  if (hasRole('client') && options.transport === undefined) {
    const driver = await buildDriver();
    for (const run of clientRuns.filter(isWanted)) isFine = (await runClient(run, driver, suites)) && isFine;
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
    const args = ['server', '--url', server.url, ...run.args];
    await runSuite({ file: suiteFile(suites, run.suite), args, folder, signal });
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

async function runClient({ name, args, checks }, driver, suites) {
  const folder = path.join(work, name.replaceAll(' ', '-'));
  mkdirSync(folder);
  const turns = await startTurns();
  const command = `"${process.execPath}" "${turnTaker}" ${turns.port} "${driver}"`;
  const signal = AbortSignal.timeout(runLimitMs);
  const file = suiteFile(suites, 'next');
  await runSuite({
    file,
    args: ['client', '--command', command, '--timeout', String(clientLimitMs), ...args],
    folder,
    signal,
  });
  turns.close();
  const { scenarios, passed, skipped, unclaimed, faults } = judgeClient(folder, { checks });
  if (signal.aborted) faults.push(`the suite did not end within ${runLimitMs / 60_000} minutes`);
  const words = faults.length === 0 ? 'ok' : `${faults.length} FAULTS`;
  say(`${name}: ${words}. ${scenarios} scenarios, ${passed} checks passed.`);
  if (skipped.length > 0) say(`  partly skipped by the suite itself: ${skipped.join(', ')}`);
  if (unclaimed.length > 0) say(`  extensions that the client does not support: ${unclaimed.join(', ')}`);
  for (const fault of faults) say(`  FAULT ${fault}`);
  return faults.length === 0;
}

/** Bundles the driver, in the package: it looks for its version in the folders above. */
async function buildDriver() {
  const outfile = path.join(root, 'node_modules/.cache/agenttools-conformance/client-driver.mjs');
  await build({
    entryPoints: [path.join(root, 'test/conformance/client-driver.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['iconv-lite'],
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return outfile;
}

async function runSuite({ file, args, folder, signal }) {
  const output = createWriteStream(`${folder}.log`);
  const suite = spawn(options.node, [file, ...args, '-o', folder], {
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
