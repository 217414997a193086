// Measures commands on config files of clients with many entries. See README.md.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { summarize } from './statistics.mjs';

const program = fileURLToPath(new URL('../bin/agenttools.js', import.meta.url));

/** One client for each syntax, with the text of a file of entries. */
const files = [
  {
    label: 'JSON',
    client: 'cursor',
    file: '.cursor/mcp.json',
    text: (entries) => `${JSON.stringify({ mcpServers: Object.fromEntries(entries) }, null, 2)}\n`,
  },
  {
    label: 'JSON with comments',
    client: 'vscode',
    file: '.config/Code/User/mcp.json',
    text: (entries) =>
      `// Servers\n{\n  "servers": {\n${entries
        .map(([key, entry]) => `    "${key}": ${JSON.stringify(entry)}, // ${key}\n`)
        .join('')}  }\n}\n`,
  },
  {
    label: 'TOML',
    client: 'codex',
    file: '.codex/config.toml',
    text: (entries) =>
      entries
        .map(
          ([key, { command, args, env }]) =>
            `[mcp_servers.${key}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\nenv = { KEY = "${env.KEY}" }\n`,
        )
        .join('\n'),
  },
  {
    label: 'YAML',
    client: 'goose',
    file: '.config/goose/config.yaml',
    text: (entries) =>
      `extensions:\n${entries
        .map(
          ([key, { command, args, env }]) =>
            `  ${key}:\n    type: stdio\n    cmd: ${command}\n    args:\n${args
              .map((word) => `      - ${word}\n`)
              .join('')}    envs:\n      KEY: ${env.KEY}\n`,
        )
        .join('')}`,
  },
];

/** The commands in their order. The first one adds an entry, the last one removes it. */
const commands = [
  { id: 'install', words: ({ client }) => ['install', client, '--no-verify', '--name', 'new'] },
  { id: 'list-installed', words: () => ['list-installed', '--json'] },
  { id: 'doctor', words: () => ['doctor', '--json'], codes: [0, 1] },
  { id: 'uninstall', words: ({ client }) => ['uninstall', client, '--name', 'new'] },
];

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    command: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const scratch = mkdtempSync(path.join(os.tmpdir(), 'agenttools-bench-'));
const usageFile = path.join(scratch, 'usage.json');
const reporter = path.join(scratch, 'report-usage.mjs');
writeFileSync(
  reporter,
  `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(usageFile)}, JSON.stringify(process.resourceUsage())));`,
);
try {
  main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function main() {
  const chosen = files.filter(({ label }) => options.only === undefined || label === options.only);
  const rows = chosen.flatMap((file) => [1, Number(options.entries)].map((count) => measure(file, count)));
  process.stdout.write(options.json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
}

/** Runs all commands in each round, and checks that the file has its bytes back at the end. */
function measure(file, count) {
  const home = path.join(scratch, `${file.client}-${count}`);
  const config = path.join(home, file.file);
  mkdirSync(path.dirname(config), { recursive: true });
  const text = file.text(Array.from({ length: count }, (_, index) => describeEntry(index)));
  writeFileSync(config, text);
  const samples = Object.fromEntries(commands.map(({ id }) => [id, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const command of commands) {
      const isAsked = options.command === undefined || command.id === options.command;
      if (isAsked || command.id.endsWith('install')) samples[command.id].push(run(command, file, home));
    }
    assert.equal(readFileSync(config, 'utf8'), text);
  }
  return { label: file.label, count, bytes: Buffer.byteLength(text), samples };
}

function describeEntry(index) {
  const args = [`--port=${index}`, '/srv/server/index.js'];
  return [`server-${index}`, { command: '/usr/bin/node', args, env: { KEY: `value-${index}` } }];
}

/** Time and CPU time of a command, in ms, and its peak memory, in MiB. */
function run({ words, codes = [0] }, file, home) {
  const env = { PATH: process.env.PATH, HOME: home };
  const own = words(file);
  const args = [...own, ...(own[0] === 'install' ? ['--', process.execPath, 'server.mjs'] : [])];
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(reporter).href, program, ...args],
    { cwd: scratch, env, maxBuffer: 2 ** 30 },
  );
  const wall = performance.now() - start;
  assert.ok(codes.includes(status), `${own[0]} of ${file.label}: ${status}\n${stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usageFile, 'utf8'));
  return { wall, cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1024 };
}

/** Markdown for README.md. */
function table(rows) {
  const head = ['', 'MB', ...commands.map(({ id }) => `${id}, ms (CPU)`), 'memory, MiB'];
  const body = rows.map(({ label, count, bytes, samples }) => {
    const of = (id, part) => summarize(samples[id].map((one) => one[part])).median;
    const memory = Math.max(...Object.values(samples).flatMap((list) => list.map((one) => one.memory)));
    const times = commands.map(({ id }) =>
      samples[id].length === 0 ? '' : `${of(id, 'wall').toFixed(0)} (${of(id, 'cpu').toFixed(0)})`,
    );
    return [`${label}, ${count} entries`, (bytes / 1e6).toFixed(1), ...times, memory.toFixed(0)];
  });
  const lines = [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...body];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
