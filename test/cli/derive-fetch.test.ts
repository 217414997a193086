import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { link } from '../engine/derive/support/project.js';
import { npmInProcess } from '../support/npm-in-process.js';
import { packageJson, writeFolder } from '../support/packages.js';
import { root } from '../support/program.js';
import { startRegistry } from '../support/registry.js';
import { runCli } from '../support/run-cli.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

it('fetches a compiler on consent if the package has TypeScript 7 alone, and keeps it', async () => {
  const registry = await startRegistry();
  const compiler = path.join(root, 'node_modules/@typescript/typescript6');
  await registry.publish({
    'package.json': { name: '@typescript/typescript6', version: '6.9.9', main: 'index.js' },
    'index.js': `module.exports = require(${JSON.stringify(compiler)});`,
  });
  const home = writeFolder({ '.npmrc': registry.settings() });
  const make = () => {
    const cwd = writeFolder({
      'package.json': packageJson({ tools: ['greet'] }),
      'tsconfig.json': { compilerOptions: { lib: ['es2023'], types: [] } },
      'lib.js': '/** @param {string} name */\nexport const greet = (name) => name;\n',
      'agenttools/tools/greet.json': { handler: './lib.js#greet' },
    });
    link(cwd, { typescript: 'typescript' });
    return cwd;
  };
  const env = { ...npmInProcess, PATH: process.env.PATH ?? '', npm_config_cache: writeFolder(), HOME: home };
  const run = async (cwd: string, ...flags: string[]) =>
    await runCli(['derive', ...flags], { home, cwd, env });
  const cwd = make();
  const refused = await run(cwd);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^error: typescript 7\.\d+\.\d+ has no API for types\. Install one: .* agenttools derive --fetch-compiler\n$/,
  );
  expect(existsSync(path.join(cwd, 'agenttools/derived.json'))).toBe(false);
  expect(await run(cwd, '--fetch-compiler')).toMatchObject({
    code: 0,
    stderr: 'Wrote agenttools/derived.json: 1 function.\n',
  });
  expect((await run(make())).code).toBe(0);
});
