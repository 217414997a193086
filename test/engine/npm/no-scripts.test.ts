import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { withoutScripts } from '../../../src/engine/npm/no-scripts.js';
import { writeFolder } from '../../support/packages.js';

const run = promisify(execFile);

/** As npm starts a program, and a script of a package: with a variable that names the stage. */
const npm = `
const { spawn } = require('node:child_process');
const write = (file, env) =>
  new Promise((done) =>
    spawn(process.execPath, ['-e', 'fs.writeFileSync(process.argv[1], "")', file], { env }).on('close', done),
  );
(async () => {
  process.exitCode =
    (await write('program', process.env)) + (await write('script', { ...process.env, npm_lifecycle_event: 'prepare' }));
})();
`;

it.each([{}, { NODE_OPTIONS: '--no-warnings' }])(
  'npm runs programs, but no script of a package (%j)',
  async (env) => {
    const folder = writeFolder({ 'npm.cjs': npm });
    await run(process.execPath, ['npm.cjs'], {
      cwd: folder,
      env: withoutScripts({ PATH: process.env.PATH, ...env }),
    });
    expect(existsSync(path.join(folder, 'program'))).toBe(true);
    expect(existsSync(path.join(folder, 'script'))).toBe(false);
  },
);
