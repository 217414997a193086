import { chmodSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { buildOnce, findBuildScript, watchBuild } from '../../../src/engine/dev/build-script.js';
import { packageJson, writeFolder } from '../../support/packages.js';
import { eventually } from '../../support/program.js';

const place = (build: unknown, files = {}) => {
  const directory = writeFolder({ 'package.json': packageJson({}, { scripts: { build } }), ...files });
  return { directory, root: 'agenttools', env: { PATH: process.env.PATH } };
};

describe('the build script of a package', () => {
  it.each(['tsc', 'tsc -p tsconfig.build.json', 'npx tsc --project ./tsconfig.json'])(
    'is %s',
    async (build) => {
      expect(await findBuildScript(place(build))).toEqual({ name: 'build', command: build });
    },
  );

  it.each([undefined, 1, 'tsc && cp a b', 'rollup -c', 'echo tsc', 'tsc; rm x'])(
    'is not %s',
    async (build) => {
      expect(await findBuildScript(place(build))).toBeUndefined();
    },
  );

  it('runs once if nothing is compiled, then in watch mode until the signal', async () => {
    // A stand-in for the compiler: copies on start, and waits with --watch.
    const compiler = `#!/bin/sh
mkdir -p agenttools && echo "$@" >> agenttools/arguments && echo compiled "$@"
case "$*" in *--watch*) exec sleep 60;; esac`;
    const own = place('tsc -p x', { 'node_modules/.bin/tsc': compiler });
    chmodSync(`${own.directory}/node_modules/.bin/tsc`, 0o755);
    const output = new PassThrough();
    let printed = '';
    output.on('data', (chunk) => {
      printed += chunk;
    });
    const lines: string[] = [];
    const run = { ...own, output, report: (line: string) => void lines.push(line) };
    const script = (await findBuildScript(own))!;
    await buildOnce(script, run);
    const runs = () => readFileSync(`${own.directory}/agenttools/arguments`, 'utf8').trimEnd().split('\n');
    expect(runs()).toEqual(['-p x']);
    await buildOnce(script, run);
    expect(runs()).toEqual(['-p x']);
    const ending = new AbortController();
    watchBuild(script, { ...run, signal: ending.signal });
    await eventually(() => runs().length === 2, 'the watch');
    expect(runs()[1]).toBe('-p x --watch --preserveWatchOutput');
    ending.abort();
    await eventually(() => printed.includes('compiled -p x --watch'), 'the output');
    expect(lines).toEqual([
      'Running the script "build": tsc -p x',
      'Running the script "build" in watch mode: tsc -p x --watch --preserveWatchOutput',
    ]);
  });

  it.each([
    ['cases beside no code', { 'agenttools/tools/x.case.js': '' }, 1],
    ['code', { 'agenttools/tools/x.js': '' }, 0],
    ['data, which no compiler writes', { 'agenttools/tools/x.json': '{}', 'tsconfig.json': '{}' }, 0],
  ])('runs in a folder with %s: %i', async (_, files: object, runs) => {
    const compilerOptions = { rootDir: 'src', outDir: 'agenttools' };
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const own = place('tsc', { 'tsconfig.json': JSON.stringify({ compilerOptions }), ...files });
    const run = { ...own, env: {}, output: new PassThrough().resume(), report };
    await buildOnce((await findBuildScript(own))!, run);
    expect(lines.filter((line) => line.startsWith('Running'))).toHaveLength(runs);
    expect(lines.filter((line) => line.endsWith('run: npm install'))).toHaveLength(runs);
  });
});
