import { AgentToolsError } from '../errors.js';
import { ending } from './ending.js';
import { withoutScripts } from './no-scripts.js';
import { NpmError, readNpmFailure } from './npm-error.js';
import { findNpm } from './program.js';
import type { NpmSetting } from './setting.js';

export interface NpmRun {
  /** The folder with the package.json that npm is to work on. */
  readonly folder: string;
  readonly setting: NpmSetting;
  readonly signal?: AbortSignal | undefined;
}

/** What npm printed. */
export interface NpmOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Whatever the user's settings say: no script of a package is run, nothing is global, what is installed is recorded,
 * and packages lie where they are looked for.
 */
const always = [
  '--ignore-scripts',
  '--no-global',
  '--package-lock',
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
const patience = ['--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'] as const;

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
  const project = await projectSettings(setting);
  const flags = [...always, ...patience, `--prefix=${folder}`, ...project.flags];
  // Before the arguments, since nothing behind `--` is an option.
  const words = [...program.args, ...flags, ...args];
  const ended = await ending(program.command, words, {
    cwd: folder,
    env: withoutScripts({ ...outsideNpm(setting.env), ...project.env }),
    platform: setting.platform,
    signal,
  });
  if (ended.code === 0) return ended;
  signal?.throwIfAborted();
  throw new NpmError(readNpmFailure(ended.stderr));
}

/** Where a project says where packages come from, npm is to know it though it works elsewhere. Secrets go by variables. */
async function projectSettings(
  setting: NpmSetting,
): Promise<{ readonly flags: readonly string[]; readonly env: Readonly<Record<string, string>> }> {
  if (setting.cwd === undefined) return { flags: [], env: {} };
  const { readNpmSettings } = await import('./settings.js');
  const entries = Object.entries((await readNpmSettings(setting)).project);
  const isSecret = ([key]: readonly [string, string]) =>
    key.startsWith('//') || key === 'key' || key.includes('proxy');
  return {
    flags: entries.filter((entry) => !isSecret(entry)).map(([key, value]) => `--${key}=${value}`),
    env: Object.fromEntries(entries.filter(isSecret).map(([key, value]) => [`npm_config_${key}`, value])),
  };
}

/** What npm tells programs that it runs is not meant for another npm. */
function outsideNpm(env: NpmSetting['env']): Record<string, string | undefined> {
  const isInner = (name: string) => /^npm_(?:package_|lifecycle_|config_(?:global|local)_prefix$)/.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isInner(name)));
}
