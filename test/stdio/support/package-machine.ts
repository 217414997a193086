import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { npmInProcess } from '../../support/npm-in-process.js';
import { type Files, writeFolder } from '../../support/packages.js';
import { execute, type Ran } from '../../support/packed.js';
import { programFile } from '../../support/program.js';
import type { Registry } from '../../support/registry.js';
import { type Run, runCli } from '../../support/run-cli.js';

const cache = writeFolder();

/** A machine whose npm is set to a registry. */
export interface PackageMachine {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly packages: string;
  readonly installed: string;
  /** Runs a command line with the built program, and npm. */
  run(...args: readonly string[]): Promise<Ran>;
  /** Runs a command line in this process, where the program is not the point. */
  runHere(...args: readonly string[]): Promise<Run>;
}

export function packageMachine(registry: Registry): PackageMachine {
  const home = writeFolder({ '.npmrc': registry.settings() });
  const env = { HOME: home, AGENTTOOLS_HOME: path.join(home, 'data'), npm_config_cache: cache };
  const { PATH = '' } = process.env;
  return {
    home,
    env,
    packages: path.join(home, 'data/packages/node_modules'),
    installed: path.join(home, 'data/installed'),
    run: (...args) => execute(process.execPath, [programFile, ...args], { cwd: home, env }),
    runHere: (...args) => runCli(args, { home, cwd: home, env: { PATH, ...env, ...npmInProcess } }),
  };
}

/** An extension whose one tool is defined in code. */
export function kit(
  version: string,
  { description = 'Tells', comment = '', name = '@acme/kit', dependencies = {} } = {},
): Files {
  const agenttools = { servers: ['main'], tools: ['tell'] };
  return {
    'package.json': { name, version, type: 'module', agenttools, dependencies },
    'agenttools/servers/main.json': { tools: '*' },
    'agenttools/tools/tell.js': `${comment}
      export default { description: ${JSON.stringify(description)}, handler: () => 'told by ${version}' };`,
  };
}

/** An extension that is killed while it is added, with a dependency. Both versions are published. */
export async function publishBrokenOff(registry: Registry): Promise<void> {
  await registry.publish({ 'package.json': { name: 'dependency', version: '1.0.0' } });
  for (const version of ['1.0.0', '2.0.0']) {
    await registry.publish(kit(version, { name: 'broken-off', dependencies: { dependency: '*' } }));
  }
}

/** The version of `broken-off` that is there, which is all there; undefined: nothing is. */
export function versionThere({ packages }: PackageMachine): string | undefined {
  const folder = path.join(packages, 'broken-off');
  if (!existsSync(folder)) return undefined;
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  expect(readFileSync(path.join(folder, 'agenttools/tools/tell.js'), 'utf8')).toContain(version);
  const installation = path.join(realpathSync(folder), '../..');
  expect(readdirSync(installation).sort()).toEqual([
    'added.json',
    'node_modules',
    'package-lock.json',
    'package.json',
  ]);
  expect(existsSync(path.join(installation, 'node_modules/dependency/package.json'))).toBe(true);
  return version;
}
