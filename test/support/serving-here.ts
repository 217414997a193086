import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import type { main as Main } from '../../src/cli/main.js';
import type { EndReason } from '../../src/engine/server/process/ends.js';
import type { Host } from '../../src/host.js';
import { bareEnvironment, Program, root } from './program.js';

/** What a process of the program is started with. */
export interface ServingOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Which server the code that runs belongs to. */
const running = new AsyncLocalStorage<ServingHere>();
const all = new Set<ServingHere>();

type Import = (url: string) => Promise<{ readonly main: typeof Main }>;

const importNatively: Import = createRequire(import.meta.url)('./import-natively.cjs');
const program = pathToFileURL(path.join(root, 'dist/cli.js')).href;

/**
 * The built program in this process, with the streams and events that a process of its own has. Nothing is guarded: tests of
 * what extensions do to their process start one. What they print comes out on the `stderr` of the server that they serve.
 */
class ServingHere extends EventEmitter {
  readonly pid = process.pid;
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  exitCode: number | null = null;
  readonly #input = new Readable({ read() {} });
  readonly #ends = new Set<(reason: EndReason) => void>();

  constructor(words: readonly string[], { env = {}, cwd = root }: ServingOptions) {
    super();
    all.add(this);
    this.stdin = new Writable({
      write: (chunk, _, done) => {
        running.run(this, () => this.#input.push(chunk));
        done();
      },
      final: (done) => {
        running.run(this, () => this.#input.push(null));
        done();
      },
    });
    const variables = bareEnvironment(env);
    const host: Host = {
      cwd,
      env: variables,
      home: variables.HOME!,
      platform: process.platform,
      stdin: this.#input,
      stdout: this.stdout,
      stderr: this.stderr,
      color: false,
      exit: (code) => this.#exit(code),
      takeProcess: ({ onEnd }) => {
        this.#ends.add(onEnd);
        return {
          stdin: this.#input,
          stdout: this.stdout,
          leave: () => {
            this.#exit(0);
            return new Promise<never>(() => {});
          },
          release: async () => void this.#ends.delete(onEnd),
        };
      },
    };
    void running
      .run(this, async () => await (await importNatively(program)).main(words, host))
      .then(
        (code) => this.#exit(code),
        (error) => {
          this.stderr.write(String(error.stack));
          this.#exit(70);
        },
      );
  }

  /** Sends a signal. */
  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    const reason = signal === 'SIGKILL' ? 'SIGTERM' : (signal as EndReason);
    running.run(this, () => this.#ends.forEach((end) => void end(reason)));
    if (signal === 'SIGKILL') this.#exit(0);
    return true;
  }

  #exit(code: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = code;
    all.delete(this);
    this.stderr.end();
    this.stdout.end();
    // Who waits for the end has read everything by then.
    const ended = [this.stdout, this.stderr].filter((stream) => !stream.destroyed && !stream.readableEnded);
    const closed = ended.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    void Promise.all(closed).then(() => this.emit('close', code, null));
  }
}

/** Runs a command line of the program in this process, as if it were a process. */
export function runHere(
  words: readonly string[],
  options: ServingOptions = {},
): ChildProcessWithoutNullStreams {
  return new ServingHere(words, options) as unknown as ChildProcessWithoutNullStreams;
}

export interface ServeOptions extends ServingOptions {
  /** What follows the server on the command line. */
  readonly flags?: readonly string[];
}

/**
 * Runs a command line of the program to its end in this process; gives its exit code and what it said. Commands that run code
 * of extensions end the processes that were started from here.
 */
export async function commandHere(
  words: readonly string[],
  options: ServingOptions = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = runHere(words, options);
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [told, complained] = await Promise.all(texts);
  return { code: child.exitCode!, stdout: told!, stderr: complained! };
}

/** `startProgram`, without a process of its own. */
export function serveHere(server?: string, { flags = [], ...options }: ServeOptions = {}): Program {
  return new Program(runHere(['start', ...(server === undefined ? [] : [server]), ...flags], options));
}

/** `openProgram`, without a process of its own. */
export async function openHere(server?: string, options: ServeOptions = {}): Promise<Program> {
  const program = serveHere(server, options);
  await program.initialize();
  return program;
}

const { stdout, stderr } = process;
const printed = [stdout, stderr] as const;
const writes = printed.map((stream) => stream.write);
const printer = console as unknown as Record<'_stdout' | '_stderr', Writable>;
const { _stdout, _stderr } = printer;

/** The stderr of the server whose code runs; of all of them, where Node does not know. */
function errorStreams(): readonly Writable[] {
  const server = running.getStore();
  return [...(server ? [server] : all)].map((one) => one.stderr).filter((one) => !one.writableEnded);
}

/** What extensions print goes to the stderr of their server, as the guard of a process has it. */
beforeAll(() => {
  const take =
    (usual: Writable): Writable['write'] =>
    (...args: unknown[]) => {
      const streams = errorStreams();
      for (const stream of streams) stream.write(args[0]);
      return streams.length > 0 || Reflect.apply(usualWrite(usual), usual, args);
    };
  for (const stream of printed) stream.write = take(stream);
  const around = (usual: Writable) => Object.assign(new PassThrough(), { write: take(usual) });
  printer._stdout = around(_stdout);
  printer._stderr = around(_stderr);
});

const usualWrite = (stream: Writable): Writable['write'] =>
  writes[printed.indexOf(stream as typeof stdout)] ?? stream.write;

afterAll(() => {
  for (const server of [...all]) server.kill('SIGKILL');
  for (const [index, stream] of printed.entries()) stream.write = writes[index]!;
  Object.assign(printer, { _stdout, _stderr });
});
