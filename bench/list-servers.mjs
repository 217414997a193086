// Measures how long it takes to find the servers among installed packages. See README.md.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rotated, summarize } from './statistics.mjs';

const program = fileURLToPath(new URL('../bin/agenttools.js', import.meta.url));

/** How many packages are installed; one in ten is an extension. */
const sizes = [500, 1000, 2000];

/** What the others are compared with. */
const baseline = 'npm';

/** Reads and parses every package.json, and nothing else: the floor. */
const floor = `
const { readdirSync, readFileSync } = require('node:fs');
const names = readdirSync('node_modules').flatMap((name) =>
  name.startsWith('@') ? readdirSync('node_modules/' + name).map((inner) => name + '/' + inner) : [name]);
const read = (name) => JSON.parse(readFileSync('node_modules/' + name + '/package.json', 'utf8'));
console.log(JSON.stringify(names.map(read).filter(({ agenttools }) => agenttools).map(({ name }) => name)));`;

/** Who takes part, and how many things each is to find. */
const contestants = [
  {
    id: 'floor',
    label: 'every package.json parsed',
    command: [process.execPath, '-e', floor],
    countOf: (list) => list.length * 10,
  },
  {
    id: baseline,
    label: 'npm ls --json --depth=0',
    command: ['npm', 'ls', '--json', '--depth=0'],
    countOf: ({ dependencies }) => Object.keys(dependencies).length,
  },
  {
    id: 'agenttools',
    label: 'agenttools list-servers --json',
    command: [process.execPath, program, 'list-servers', '--json'],
    countOf: (list) => list.length * 10,
  },
];

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, json: { type: 'boolean', default: false } },
});

const scratch = mkdtempSync(path.join(os.tmpdir(), 'agenttools-bench-'));
try {
  main(Number(options.rounds));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function main(rounds) {
  const folders = sizes.map((size) => ({
    size,
    folder: writeProject(path.join(scratch, String(size)), size),
  }));
  const samples = new Map(sizes.flatMap((size) => contestants.map(({ id }) => [`${id} ${size}`, []])));
  // Round by round through all of them, so that a busy minute of the machine hits everybody. The first does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { size, folder } of folders) {
      for (const contestant of rotated(contestants, round)) {
        const ms = timeOf(contestant, { folder, size });
        if (round > 0) samples.get(`${contestant.id} ${size}`).push(ms);
      }
    }
  }
  const rows = contestants.map(({ id, label }) => ({
    label,
    summaries: sizes.map((size) =>
      summarize(samples.get(`${id} ${size}`), samples.get(`${baseline} ${size}`)),
    ),
  }));
  process.stdout.write(options.json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
}

function timeOf({ command: [file, ...args], countOf }, { folder, size }) {
  const env = {
    PATH: process.env.PATH,
    HOME: path.join(scratch, 'home'),
    npm_config_update_notifier: 'false',
  };
  const start = performance.now();
  const { stdout, stderr } = spawnSync(file, args, { cwd: folder, env, maxBuffer: 2 ** 28 });
  const ms = performance.now() - start;
  assert.equal(countOf(JSON.parse(stdout)), size, String(stderr));
  return ms;
}

/** A project with packages as they are: a page of package.json each, a fifth of them in scopes. */
function writeProject(folder, size) {
  const names = Array.from({ length: size }, (_, index) =>
    index % 5 === 0 ? `@scope-${index % 50}/package-${index}` : `package-${index}`,
  );
  write(folder, {
    'package.json': {
      name: 'project',
      version: '1.0.0',
      dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
    },
  });
  for (const [index, name] of names.entries()) {
    const isExtension = index % 10 === 0;
    write(path.join(folder, 'node_modules', name), packageFiles(name, isExtension));
  }
  return folder;
}

function packageFiles(name, isExtension) {
  const range = (count) => Array.from({ length: count }, (_, index) => index);
  const common = {
    name,
    version: '1.0.0',
    description: `What ${name} is for, in a sentence of usual length.`,
    license: 'MIT',
    scripts: Object.fromEntries(
      range(10).map((index) => [`script-${index}`, `tool --option=${index} src test`]),
    ),
    devDependencies: Object.fromEntries(range(20).map((index) => [`dependency-${index}`, `^${index}.0.0`])),
  };
  if (!isExtension) return { 'package.json': common };
  const tools = range(5).map((index) => `tool-${index}`);
  return {
    'package.json': {
      ...common,
      keywords: ['agenttools-extension'],
      agenttools: { servers: ['main'], tools, prompts: ['ask'] },
    },
    'agenttools/servers/main.json': { description: 'Serves what it has.', tools, prompts: '*' },
    'agenttools/tools.json': Object.fromEntries(
      tools.map((tool) => [tool, { description: `Does ${tool}.`, handler: './index.js' }]),
    ),
    'agenttools/prompts/ask.json': { content: 'Ask.' },
    'index.js': 'export default () => "done";',
  };
}

function write(folder, files) {
  for (const [name, held] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof held === 'string' ? held : JSON.stringify(held, null, 2));
  }
}

/** Markdown, so that a run can go into README.md as it is. */
function table(rows) {
  const head = ['', ...sizes.map((size) => `${size} packages, ms`), `${sizes.at(-1)} to ${sizes[0]}`];
  const body = rows.map(({ label, summaries }) => [
    label,
    ...summaries.map(({ median, ratio }) => `${median.toFixed(0)} ${ratio.toFixed(2)}×`),
    (summaries.at(-1).median / summaries[0].median).toFixed(2),
  ]);
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...body];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
