import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { bareEnvironment, openProgram, root } from '../support/program.js';

/** Built-in modules that take Node milliseconds to load. */
const slowBuiltins = ['crypto', 'http', 'https', 'http2', 'dns', 'zlib', 'readline', 'worker_threads'];

/** A CommonJS module that writes the built-in modules of a process to a file as it ends. */
const builtinRecorder = `process.on('exit', () => {
  const names = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
  require('node:fs').writeFileSync(process.env.BUILTINS_FILE, names.join('\\n'));
});`;

test('a server of data loads three files and no slow built-in module up to the answer to tools/list', async () => {
  const folder = writeFolder({
    'package.json': JSON.stringify({ name: 'start-files', version: '1.0.0', agenttools: { tools: ['add'] } }),
    'agenttools/tools/add.json': JSON.stringify({
      description: 'Adds two numbers.',
      input: { a: 'number', b: 'number' },
      handler: './add.js',
    }),
    'add.js': 'export default ({ a, b }) => a + b;',
    'recorder.cjs': builtinRecorder,
  });
  const coverage = mkdtempSync(path.join(tmpdir(), 'agenttools-start-files-'));
  const recorded = path.join(coverage, 'builtins.txt');
  const program = await openProgram(folder, {
    env: bareEnvironment({
      NODE_V8_COVERAGE: coverage,
      NODE_OPTIONS: `--require=${path.join(folder, 'recorder.cjs')}`,
      BUILTINS_FILE: recorded,
    }),
  });
  const { tools } = await program.request('tools/list');
  expect(tools).toHaveLength(1);
  expect(await program.end()).toEqual({ code: 0, signal: null });

  const builtins = readFileSync(recorded, 'utf8').split('\n');
  const [report] = readdirSync(coverage).filter((name) => name.startsWith('coverage-'));
  const { result } = JSON.parse(readFileSync(path.join(coverage, report!), 'utf8'));
  const ours = pathToFileURL(root).href;
  const loaded = result.map(({ url }: { url: string }) => url).filter((url: string) => url.startsWith(ours));
  rmSync(coverage, { recursive: true, force: true });
  expect(loaded.map((url: string) => url.slice(ours.length + 1)).sort()).toEqual([
    'bin/agenttools.js',
    'dist/start-script.js',
    'dist/start.cjs',
  ]);
  expect(builtins).toContain('NativeModule path');
  expect(builtins.filter((name) => slowBuiltins.includes(name.slice('NativeModule '.length)))).toEqual([]);
});
