import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withoutScripts } from '../../../src/engine/npm/no-scripts.js';
import { runNpm } from '../../../src/engine/npm/run-npm.js';
import { writeFolder } from '../../support/packages.js';

const run = promisify(execFile);

/**
 * As npm starts a program, a script of a package, and an npm in what it cloned: the latter two with variables of their own.
 * @see https://github.com/npm/pacote, lib/git.js: #prepareDir
 */
const npm = `
const { spawn } = require('node:child_process');
const write = (file, env) =>
  new Promise((done) =>
    spawn(process.execPath, ['-e', 'fs.writeFileSync(process.argv[1], "")', file], { env }).on('close', done),
  );
(async () => {
  process.exitCode =
    (await write('program', process.env)) +
    (await write('script', { ...process.env, npm_lifecycle_event: 'prepare' })) +
    (await write('clone', { ...process.env, _PACOTE_NO_PREPARE_: 'git+file:///kit' }));
})();
`;

it.each([
  {},
  { NODE_OPTIONS: '--no-warnings' },
  { npm_lifecycle_event: 'start', _PACOTE_NO_PREPARE_: 'git+file:///other' },
])('npm runs programs, but no script of a package and no npm in a clone (%j)', async (env) => {
  const folder = writeFolder({ 'npm.cjs': npm });
  await run(process.execPath, ['npm.cjs'], {
    cwd: folder,
    env: withoutScripts({ PATH: process.env.PATH, ...env }),
  });
  expect(existsSync(path.join(folder, 'program'))).toBe(true);
  expect(existsSync(path.join(folder, 'script'))).toBe(false);
  expect(existsSync(path.join(folder, 'clone'))).toBe(false);
});

/** A folder as a repository of git, which this test needs. */
function writeRepository(files: Record<string, string>): string {
  const folder = writeFolder(files);
  const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A', '--chmod=+x'],
    [...as, 'commit', '-qm', 'kit'],
  ]) {
    execFileSync('git', args, { cwd: folder });
  }
  return folder;
}

it.skipIf(process.platform === 'win32')(
  'installs a git dependency without running its scripts',
  async () => {
    const trace = path.join(writeFolder(), 'trace');
    const inner = writeRepository({ 'package.json': '{"name":"inner","version":"1.0.0"}' });
    const scripts = { prepare: `touch ${trace}` };
    const dependencies = { inner: `git+file://${inner}` };
    const outer = writeRepository({
      'package.json': JSON.stringify({ name: 'outer', version: '1.0.0', scripts, dependencies }),
      'git.cjs': `#!/usr/bin/env node\nrequire('node:fs').writeFileSync('${trace}', '');\n`,
      '.npmrc': 'git=./git.cjs\nnode-options=--require=./git.cjs\nignore-scripts=false\n',
    });
    const home = writeFolder();
    const folder = writeFolder({ 'package.json': '{}' });
    const { env, execPath, platform } = process;
    const setting = { env: { PATH: env.PATH, HOME: home }, home, platform, execPath };
    await runNpm(['install', `git+file://${outer}`], { folder, setting });
    expect(existsSync(path.join(folder, 'node_modules/outer/git.cjs'))).toBe(true);
    expect(existsSync(path.join(folder, 'node_modules/inner/package.json'))).toBe(true);
    expect(existsSync(trace)).toBe(false);
  },
  60_000,
);
