import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { writeFolder } from './packages.js';
import type { RegistryOptions } from './registry-server.js';
import { runsAll } from './tier.js';

/** A registry program that discovery is tried against. */
export interface RegistryProgram {
  readonly name: string;
  /** Whether tests with it are to run here. */
  readonly isWanted: boolean;
  /** Brings it onto this machine. */
  readonly prepare: () => Promise<RegistryOptions>;
}

/** The folder that keeps the newest registry between runs. */
const kept = process.env.AGENTTOOLS_REGISTRY;

const newest = { verdaccio: '6.10.4', node: `npm:node-${process.platform}-${process.arch}@24` };

/**
 * One in this process; in its place, in `npm run test:all`, the newest verdaccio that the oldest Node runs, and the newest
 * of all, which brings 250 MB of its own Node along.
 */
export const registryPrograms: readonly RegistryProgram[] = [
  { name: 'a registry in this process', isWanted: !runsAll, prepare: async () => ({}) },
  { name: 'verdaccio 6.8 on this Node', isWanted: runsAll, prepare: async () => ({}) },
  {
    name: `verdaccio ${newest.verdaccio} on Node 24`,
    isWanted: kept !== undefined || runsAll,
    prepare: installNewest,
  },
];

async function installNewest(): Promise<RegistryOptions> {
  const folder = kept ?? writeFolder();
  const modules = path.join(folder, 'node_modules');
  const node = path.join(modules, 'node/bin/node');
  const options = { modules, node };
  if (existsSync(node) && existsSync(path.join(modules, 'verdaccio/package.json'))) return options;
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: newest, overrides: { 'node-fetch': '^2.7.0' } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await promisify(execFile)('npm', ['install', ...flags], { cwd: folder, timeout: 280_000 });
  return options;
}
