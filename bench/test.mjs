// Measures `agenttools test` with a hundred cases. See README.md.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { summarize } from './statistics.mjs';

const program = fileURLToPath(new URL('../bin/agenttools.js', import.meta.url));
const count = 100;
const rounds = 10;

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-test-'));
const write = (file, value) => {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, typeof value === 'string' ? value : JSON.stringify(value));
};
write('package.json', {
  name: 'bench',
  version: '1.0.0',
  private: true,
  type: 'module',
  agenttools: { tools: ['greet'] },
});
write('agenttools/tools/greet.json', {
  description: 'Greets.',
  input: { name: { type: 'string', required: true } },
  handler: './greet.js',
});
write('greet.js', "export default ({ name }) => 'Hello, ' + name;");
write('agenttools/tools/greet.case.json', {
  tool: 'greet',
  cases: Array.from({ length: count }, (_, index) => ({
    name: `greets ${index}`,
    arguments: { name: `number ${index}` },
    expect: { text: `Hello, number ${index}` },
  })),
});

const env = { PATH: process.env.PATH, HOME: folder, AGENTTOOLS_HOME: path.join(folder, 'data') };
const run = (...words) => {
  const started = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [program, 'test', '--json', ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  const ms = performance.now() - started;
  const report = JSON.parse(stdout);
  assert.equal(status, 0, stdout);
  // Each case runs in both protocols.
  assert.equal(report.cases.length, 2 * count);
  return ms;
};

run('--update');
const times = Array.from({ length: rounds }, () => run());
const { median } = summarize(times);
process.stdout.write(
  `${count} cases in both protocols: ${Math.round(median)} ms (median of ${rounds}, least ${Math.round(Math.min(...times))})\n`,
);
rmSync(folder, { recursive: true });
