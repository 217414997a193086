import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { statFile } from '../base/files/disk.js';
import { isRecord } from '../base/value-checks.js';
import { isTestFile } from '../extension/case-file-names.js';
import { findSources } from '../extension/typescript-sources.js';

/** Place of a build. */
export interface BuildPlace {
  /** The package folder. Absolute. */
  readonly directory: string;
  /** Folder of the definitions, relative to the package folder. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface BuildRun extends BuildPlace {
  /** Receives the output of the compiler. */
  readonly output: Writable;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Commands of a package that compile its sources. */
export interface BuildScript {
  /** Name of the script in package.json. */
  readonly name: string;
  readonly command: string;
}

/** A build by one run of the TypeScript compiler, which has a watch mode. */
const compiler = /^(?:npx\s+)?tsc(?:\s+[\w./=,@-]+)*$/;

/**
 * The build of a package that compiles TypeScript: its script `build`, if that runs `tsc` and nothing else. Undefined for
 * other packages.
 */
export async function findBuildScript({ directory }: BuildPlace): Promise<BuildScript | undefined> {
  const text = await readFile(path.join(directory, 'package.json'), 'utf8').catch(() => '{}');
  const { scripts } = parse(text);
  const build = isRecord(scripts) ? scripts.build : undefined;
  if (typeof build !== 'string' || !compiler.test(build.trim())) return undefined;
  return { name: 'build', command: build.trim() };
}

/** Builds a package that was not built yet. */
export async function buildOnce({ command, name }: BuildScript, run: BuildRun): Promise<void> {
  if (await isBuilt(run)) return;
  run.report(`Running the script "${name}": ${command}`);
  const child = start(command, run);
  const [code] = await once(child, 'close').catch(() => [1]);
  if (code !== 0 && !(await isBuilt(run)))
    run.report(
      `The script "${name}" has compiled nothing, so there is nothing to serve yet. If a program is missing, run: npm install`,
    );
}

/** True if the folder of the definitions has compiled code, or does not get any. Test cases are not compiled. */
async function isBuilt({ directory, root }: BuildPlace): Promise<boolean> {
  const folder = path.join(directory, root);
  if (!statFile(folder)?.isDirectory()) return false;
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  if (names.some((name) => /\.[cm]?js$/.test(name) && !isTestFile(name))) return true;
  return (await findSources(directory, root).catch(() => undefined)) === undefined;
}

/** Compiles on each change of a source, until the signal aborts. */
export function watchBuild(
  { command, name }: BuildScript,
  { signal, ...run }: BuildRun & { readonly signal: AbortSignal },
): void {
  const watching = `${command} --watch --preserveWatchOutput`;
  run.report(`Running the script "${name}" in watch mode: ${watching}`);
  const child = start(watching, run);
  child.on('error', (error) => run.report(`The script "${name}" cannot be run: ${error.message}`));
  child.on('exit', (code) => {
    if (!signal.aborted)
      run.report(`The script "${name}" has ended with code ${code}. Sources are no longer compiled.`);
  });
  signal.addEventListener('abort', () => child.kill(), { once: true });
}

/** Runs a command as npm runs scripts: in a shell, with the programs of the installed packages. */
function start(command: string, { directory, env, output }: BuildRun): ChildProcess {
  const folders: string[] = [];
  for (let folder = directory; ; folder = path.dirname(folder)) {
    folders.push(path.join(folder, 'node_modules', '.bin'));
    if (folder === path.dirname(folder)) break;
  }
  const name = Object.keys(env).find((one) => one.toUpperCase() === 'PATH') ?? 'PATH';
  const child = spawn(command, {
    shell: true,
    cwd: directory,
    env: { ...env, [name]: [...folders, env[name] ?? ''].join(path.delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  return child;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
