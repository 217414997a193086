import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.js';
import type { ExitCode } from '../../src/cli/shared/exit-code.js';
import type { Host } from '../../src/host.js';
import { npmInProcess } from './npm-in-process.js';

/** Relative path to text, or to a value that becomes JSON. */
export type Files = Readonly<Record<string, unknown>>;

export interface RunOptions {
  /** The working directory; a new temporary one when absent. */
  readonly cwd?: string;
  /** Written below the working directory first. */
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Readable;
  /** The home folder; a new temporary one when absent. */
  readonly home?: string;
  readonly color?: boolean;
}

export interface Run {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
}

/** Runs a command line in this process, on a machine of its own. */
export async function runCli(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const cwd = options.cwd ?? (await temporaryFolder());
  await writeFiles(cwd, options.files ?? {});
  const { host, stdout, stderr } = fakeHost({
    ...options,
    cwd,
    home: options.home ?? (await temporaryFolder()),
    env: { npm_config_globalconfig: await noRegistry(), ...options.env },
  });
  const code = await main(argv, host);
  return { code, stdout: stdout.text, stderr: stderr.text, cwd };
}

/**
 * Runs a command line of a user who is in the home folder. PATH has nothing but Node, unless `env` changes it. npm installs in
 * this process if the test file mocks `run-to-exit.js` with `withNpmInProcess`.
 */
export async function runAtHome(
  home: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const PATH = path.dirname(process.execPath);
  return await runCli(words, { home, cwd: home, env: { ...npmInProcess, PATH, HOME: home, ...env } });
}

let npmrc: Promise<string> | undefined;

/** Settings of npm by which nobody answers, unless a test sets a registry. */
function noRegistry(): Promise<string> {
  npmrc ??= temporaryFolder().then(async (folder) => {
    await writeFiles(folder, { npmrc: 'registry=http://127.0.0.1:9/\n' });
    return path.join(folder, 'npmrc');
  });
  return npmrc;
}

/** A machine on which nothing is installed, and where nothing is obtained. */
export function fakeHost({
  cwd,
  home,
  env,
  stdin,
  color = false,
}: Omit<RunOptions, 'files'> & { readonly cwd: string; readonly home: string }) {
  const stdout = new Collector();
  const stderr = new Collector();
  const host: Host = {
    cwd,
    env: {
      AGENTTOOLS_HOME: path.join(home, 'agenttools'),
      // Tests of the MCP Registry name a stand-in.
      AGENTTOOLS_MCP_REGISTRY: 'none',
      npm_config_prefix: home,
      AGENTTOOLS_AUTO_INSTALL: 'false',
      ...env,
    },
    home,
    platform: process.platform,
    stdin: stdin instanceof Readable ? stdin : Readable.from(stdin === undefined ? [] : [stdin]),
    stdout,
    stderr,
    color,
    exit(code) {
      throw new Error(`exit(${code}) was called`);
    },
  };
  return { host, stdout, stderr };
}

/** A new temporary folder. */
export async function temporaryFolder(): Promise<string> {
  return await mkdtemp(path.join(tmpdir(), 'agenttools-'));
}

/** Writes files below a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
}

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer | string, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
