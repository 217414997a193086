import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { modern } from '../engine/support/pipe.js';
import { writeFolder } from '../support/packages.js';
import { fixture, openProgram, programFile, root } from '../support/program.js';

const folder = writeFolder();
const system = `${process.platform}-${process.arch}`;
const workerd = `@cloudflare/workerd-${system.replace('x64', '64')}`;
const packages = [
  `deno@npm:@deno/${system}-glibc@2.9.6`,
  `workerd@npm:${workerd}@1.20261117.1`,
  `workerd-of-2024@npm:${workerd}@1.20240701.0`,
];

beforeAll(async () => {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await promisify(execFile)('npm', ['install', ...flags, ...packages], { cwd: folder });
});

const programIn = (name: string, file: string) => path.join(folder, 'node_modules', name, file);
const deno = programIn('deno', 'deno');

describe('Deno', () => {
  test('validates an extension', async () => {
    const words = ['run', '-A', programFile, 'validate', fixture('valid'), '--json'];
    const { stdout } = await promisify(execFile)(deno, words, { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ valid: true });
  });

  test('serves an extension, with its code in the process of the server', async () => {
    const command = [deno, 'run', '-A', programFile, 'start', fixture('valid')] as const;
    const program = await openProgram(undefined, { command: [...command] });
    const result = await program.call('hello', { name: 'Ada' });
    expect(result.content[0].text).toBe('Hello.');
    expect(program.stderr).toContain(
      'The extension host could not be started: Deno passes no channel to child processes. Code of the extension runs in this process.',
    );
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

/** A code block of the page on deployment, by its info string. */
function blockOf(name: string): string {
  const page = readFileSync(path.join(root, 'docs/deploy.md'), 'utf8');
  const [, text] = new RegExp(`^\`\`\`\\w+ deploy=${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  return text!;
}

const runtimes = [
  ['of today', 'workerd', '2026-07-01'],
  ['of 2024', 'workerd-of-2024', '2023-05-01'],
] as const;

describe.each(runtimes)('workerd %s', (_, name, date) => {
  test('serves the handler of the page on deployment', async () => {
    const place = writeFolder({ 'edge.js': blockOf('edge.js') });
    await build({
      entryPoints: [path.join(place, 'edge.js')],
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      conditions: ['worker'],
      outfile: path.join(place, 'worker.js'),
      alias: { 'agenttools/handler': path.join(root, 'dist/edge/handler.js') },
      logLevel: 'silent',
    });
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const config = blockOf('worker.capnp')
      .replace(':8787', `:${port}`)
      .replace(/(?<=Date = ")[^"]*/, date);
    writeFileSync(path.join(place, 'worker.capnp'), config);
    const child = spawn(programIn(name, 'bin/workerd'), ['serve', 'worker.capnp'], {
      cwd: place,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill());
    const body = JSON.stringify(modern(1, 'tools/call', { name: 'roll', arguments: { sides: 2 } }));
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'roll',
    };
    const call = async () => {
      // A host header needs curl: fetch sets its own.
      const words = ['-s', '-X', 'POST', `http://127.0.0.1:${port}/mcp`, '-H', 'host: dice.example.com'];
      const more = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const { stdout } = await promisify(execFile)('curl', [...words, ...more, '-d', body]);
      return JSON.parse(stdout).result.content[0].text;
    };
    await expect.poll(call, { timeout: 20_000 }).toMatch(/^[12]$/);
  });
});
