import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { findNpm } from './find-npm.js';
import { withoutScripts } from './no-scripts.js';
import type { NpmDeps } from './npm-dependencies.js';
import { NpmError, readNpmFailure } from './npm-error.js';
import { guardedEnv } from './process-guard.js';
import { runToExit } from './run-to-exit.js';
import type { NpmSettings } from './settings.js';

export interface NpmRun {
  /** The folder with the package.json that npm is to work on; an `.npmrc` in it is ours and is gone afterwards. */
  readonly folder: string;
  readonly setting: NpmDeps;
  readonly signal?: AbortSignal | undefined;
}

/** What npm printed. */
export interface NpmOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Whatever the user's settings say: no script of a package is run, nothing is global, what is installed is recorded
 * with where it came from, and packages lie where they are looked for.
 */
const always = [
  '--ignore-scripts',
  '--no-global',
  '--location=project',
  '--no-json',
  '--no-usage',
  '--package-lock',
  '--no-package-lock-only',
  '--lockfile-version=3',
  '--install-strategy=hoisted',
  '--no-workspaces',
  '--no-bin-links',
  '--no-dry-run',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--no-progress',
  '--no-color',
  '--loglevel=error',
] as const;

/** A registry that is not there is asked again within seconds; npm by itself waits a minute, and somebody waits here. */
const retryFlags = ['--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'] as const;

/** How long npm waits by itself for a registry that does not answer. */
const npmTimeoutMs = 300_000;

/** One that does not answer is asked again after a while, too, unless the user has set how long to wait. */
function timeoutFlag({ options }: NpmSettings): string {
  return `--fetch-timeout=${options.timeout === npmTimeoutMs ? 20_000 : options.timeout}`;
}

/** Where git is spoken over HTTP; by itself it waits for as long as nobody hangs up. */
const gitPatience = { GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '20' } as const;

/**
 * Runs npm in a folder, with the user's settings and those of the project at `setting.cwd`.
 * @throws NpmError saying what npm said; AgentToolsError if there is no npm; what `signal` says if that has aborted.
 */
export async function runNpm(args: readonly string[], run: NpmRun): Promise<NpmOutput> {
  const { folder, setting, signal } = run;
  const program = await findNpm(setting);
  if (!program) {
    const message = 'npm cannot be found, neither on PATH nor beside Node. Install it, or put it on PATH.';
    throw new AgentToolsError('not-found', message);
  }
  const { readNpmSettings } = await import('./settings.js');
  const settings = await readNpmSettings(setting);
  const flags = [
    ...always,
    ...retryFlags,
    timeoutFlag(settings),
    ...dependencyFlags(settings),
    `--prefix=${folder}`,
  ];
  // Before the arguments, since nothing behind `--` is an option.
  const words = [...program.args, ...flags, ...args];
  const ended = await withProject(settings, folder, () =>
    runToExit(program.command, words, {
      cwd: folder,
      env: guardedEnv(withoutScripts({ ...gitPatience, ...outsideNpm(setting.env) })),
      platform: setting.platform,
      signal,
    }),
  );
  if (ended.code === 0) return ended;
  signal?.throwIfAborted();
  throw new NpmError(readNpmFailure(ended.stderr));
}

/** What is installed is a plain dependency. npm takes none of these flags beside another one of them, set anywhere. */
function dependencyFlags({ options: { saveType } }: NpmSettings): readonly string[] {
  return ['dev', 'optional', 'peer'].filter((type) => type === saveType).map((type) => `--no-save-${type}`);
}

/**
 * Where a project says where packages come from, npm is to know it though it works elsewhere. It reads that from a file
 * for the user alone: command lines are seen by everybody, and names of variables do not survive every shell.
 */
async function withProject<T>({ project }: NpmSettings, folder: string, work: () => Promise<T>): Promise<T> {
  const lines = Object.entries(project).flatMap(([key, value]) =>
    typeof value === 'string'
      ? `${JSON.stringify(key)}=${quoteConfigValue(value)}`
      : value.map((one) => `${JSON.stringify(`${key}[]`)}=${quoteConfigValue(one)}`),
  );
  if (lines.length === 0) return await work();
  const file = path.join(folder, '.npmrc');
  try {
    await rm(file, { force: true });
    await writeFile(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' });
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Variables have been filled in before; what looks like one by now is none. */
function quoteConfigValue(value: string): string {
  return JSON.stringify(value.replace(/(?<!\\)(\\*)(?=\$\{[^${}]+\})/g, '$1$1\\'));
}

/** What npm tells programs that it runs is not meant for another npm. */
function outsideNpm(env: NpmDeps['env']): Record<string, string | undefined> {
  const isInner = (name: string) => /^npm_(?:package_|lifecycle_|config_(?:global|local)_prefix$)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isInner(name)));
}
