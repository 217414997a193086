import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { writeFolder } from './packages.js';
import { bareEnvironment, root } from './program.js';

const run = promisify(execFile);

/** The tarball, as npm describes it. */
export interface Tarball {
  readonly file: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/** Packs this package as it has been built; nothing is built anew. */
export async function pack(): Promise<Tarball> {
  const folder = writeFolder();
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    env: npmEnvironment(),
  });
  const reports = JSON.parse(stdout) as Tarball[] | Record<string, Tarball>;
  const [report] = Object.values(reports) as (Tarball & { readonly filename: string })[];
  if (!report) throw new Error(`npm pack said: ${stdout}`);
  return { ...report, file: path.join(folder, report.filename) };
}

/** Installs a tarball into a folder, on a machine without network, npm cache or home. */
export async function installInto(folder: string, tarball: Tarball): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, tarball.file], {
    cwd: folder,
    env: npmEnvironment(),
  });
}

/** What a command printed, however it ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export async function execute(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ran> {
  try {
    const { stdout, stderr } = await run(file, args, {
      ...options,
      env: bareEnvironment(options.env),
      timeout: 120_000,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Partial<Ran> & { code?: unknown };
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr };
  }
}

/** Installs packages from the registry, as this machine is set up to reach it. */
export async function download(folder: string, packages: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  await run('npm', ['install', ...options, ...packages], { cwd: folder, timeout: 280_000 });
}

function npmEnvironment(): Record<string, string> {
  return bareEnvironment({ npm_config_cache: writeFolder(), npm_config_update_notifier: 'false' });
}
