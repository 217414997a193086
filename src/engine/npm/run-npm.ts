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
  /**
   * Folder with the package.json for npm. An `.npmrc` in it belongs to AgentTools and is removed afterwards.
   */
  readonly folder: string;
  readonly setting: NpmDeps;
  readonly signal?: AbortSignal | undefined;
  /** True if scripts of packages may run: the user has consented. Default: false. */
  readonly withScripts?: boolean;
}

/** Output of npm. */
export interface NpmOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Overrides the user's settings: no global installs, a lockfile records the source of each package, and packages are in
 * the expected folders.
 */
const fixedFlags = [
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

/** Retries an unreachable registry within seconds; npm's default is a minute, and a user is waiting. */
const retryFlags = ['--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'] as const;

/** npm's default timeout for a registry that does not respond, in milliseconds. */
const npmTimeoutMs = 300_000;

/** Shortens the timeout for registries that do not respond, unless the user has set one. */
function timeoutFlag({ options }: NpmSettings): string {
  return `--fetch-timeout=${options.timeout === npmTimeoutMs ? 20_000 : options.timeout}`;
}

/** Limits for git over HTTP, which by default waits until the connection closes. */
const gitPatience = { GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '20' } as const;

/**
 * Runs npm in a folder, with the settings of the user and of the project at `setting.cwd`.
 * @throws NpmError with the message of npm; AgentToolsError if npm is missing; the reason of `signal` if it
 *   aborts.
 */
export async function runNpm(args: readonly string[], run: NpmRun): Promise<NpmOutput> {
  const { folder, setting, signal, withScripts = false } = run;
  const program = await findNpm(setting);
  if (!program) {
    const message = 'npm cannot be found, neither on PATH nor beside Node. Install it, or put it on PATH.';
    throw new AgentToolsError('not-found', message);
  }
  const { readNpmSettings } = await import('./settings.js');
  const settings = await readNpmSettings(setting);
  const flags = [
    withScripts ? '--no-ignore-scripts' : '--ignore-scripts',
    ...fixedFlags,
    ...retryFlags,
    timeoutFlag(settings),
    ...dependencyFlags(settings),
    `--prefix=${folder}`,
    // Without it, npm looks for this file below the prefix.
    `--globalconfig=${settings.globalFile}`,
  ];
  // Before the arguments, since words after `--` are not options.
  const words = [...program.args, ...flags, ...args];
  const env = { ...gitPatience, ...withoutNpmVariables(setting.env) };
  const ended = await withProject(settings, folder, () =>
    runToExit(program.command, words, {
      cwd: folder,
      env: guardedEnv(withScripts ? env : withoutScripts(env)),
      platform: setting.platform,
      signal,
    }),
  );
  if (ended.code === 0) return ended;
  signal?.throwIfAborted();
  throw new NpmError(readNpmFailure(ended.stderr));
}

/**
 * Installs plain dependencies. npm rejects a second `save` type, so only the configured one is turned off.
 */
function dependencyFlags({ options: { saveType } }: NpmSettings): readonly string[] {
  return ['dev', 'optional', 'peer'].filter((type) => type === saveType).map((type) => `--no-save-${type}`);
}

/**
 * Passes the project's connection settings to npm, which works in another folder. Uses a file readable by the
 * user only: all users can read command lines, and not every shell keeps such variable names.
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

/** Variables are already expanded. Text that still looks like one is literal. */
function quoteConfigValue(value: string): string {
  return JSON.stringify(value.replace(/(?<!\\)(\\*)(?=\$\{[^${}]+\})/g, '$1$1\\'));
}

/** Removes variables that npm sets for its scripts, since they would affect another npm. */
function withoutNpmVariables(env: NpmDeps['env']): Record<string, string | undefined> {
  const isInner = (name: string) => /^npm_(?:package_|lifecycle_|config_(?:global|local)_prefix$)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isInner(name)));
}
