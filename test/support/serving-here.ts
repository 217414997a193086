import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { main as Main } from '../../src/cli/main.js';
import type { ExitReason } from '../../src/engine/process/exit-watch.js';
import type { Host } from '../../src/host.js';
import { afterFile, beforeFile } from './file-jobs.js';
import { bareEnvironment, Program, root } from './program.js';

/** Options of one program start. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** The server that the running code belongs to. */
const currentServer = new AsyncLocalStorage<ProgramHere>();
const openServers = new Set<ProgramHere>();

type Import = (url: string) => Promise<{ readonly main: typeof Main }>;

const importNatively: Import = createRequire(import.meta.url)('./import-natively.cjs');
const program = pathToFileURL(path.join(root, 'dist/cli.js')).href;

/**
 * The built program in this process, with the streams and events that a process of its own has. Nothing is guarded: tests of
 * what extensions do to their process start one. What they print comes out on the `stderr` of the server that they serve.
 */
class ProgramHere extends EventEmitter {
  /** A signal to the process id of the tests would end the run. */
  readonly pid = undefined;
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly #input = new Readable({ read() {} });
  readonly #ends = new Set<(reason: ExitReason) => void>();

  constructor(words: readonly string[], { env = {}, cwd = root }: StartOptions) {
    super();
    openServers.add(this);
    this.stdin = new Writable({
      write: (chunk, _, done) => {
        currentServer.run(this, () => this.#input.push(chunk));
        done();
      },
      final: (done) => {
        currentServer.run(this, () => this.#input.push(null));
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
    void currentServer
      .run(this, async () => await (await importNatively(program)).main(words, host))
      .then(
        (code) => this.#exit(code),
        (error) => {
          this.stderr.write(String(error.stack));
          this.#exit(70);
        },
      );
  }

  /** Sends a signal. One that kills also lets the server close what it holds in this process. */
  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    const reason = signal === 'SIGKILL' ? 'SIGTERM' : (signal as ExitReason);
    currentServer.run(this, () => this.#ends.forEach((end) => void end(reason)));
    if (signal === 'SIGKILL') this.#exit(null, signal);
    return true;
  }

  #exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (!openServers.has(this)) return;
    this.exitCode = code;
    this.signalCode = signal;
    openServers.delete(this);
    this.stderr.end();
    this.stdout.end();
    // Readers have everything by the time of `close`.
    const ended = [this.stdout, this.stderr].filter((stream) => !stream.destroyed && !stream.readableEnded);
    const closed = ended.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    void Promise.all(closed).then(() => this.emit('close', code, signal));
  }
}

/** Runs a command line of the program in this process, as if it were a process. */
export function runHere(
  words: readonly string[],
  options: StartOptions = {},
): ChildProcessWithoutNullStreams {
  return new ProgramHere(words, options) as unknown as ChildProcessWithoutNullStreams;
}

export interface ServerOptions extends StartOptions {
  /** Words after the server on the command line. */
  readonly flags?: readonly string[];
}

/**
 * Runs a command of the program to its end in this process; gives its exit code and its output. Commands that run code of
 * extensions also end the extension hosts of servers that run here: beside such servers, use `runProgram`.
 */
export async function commandHere(
  words: readonly string[],
  options: StartOptions = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = runHere(words, options);
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [stdout, stderr] = await Promise.all(texts);
  return { code: child.exitCode!, stdout: stdout!, stderr: stderr! };
}

/**
 * Code of extensions runs in this process, too, unless the run wants extension hosts: the tests of `start` as a process have
 * them anyway.
 */
export const hostFlags: readonly string[] = process.env.AGENTTOOLS_TEST_HOST === '1' ? [] : ['--in-process'];

/** `startProgram`, without a process of its own. */
export function serveHere(server?: string, { flags = [], ...options }: ServerOptions = {}): Program {
  const words = server === undefined ? [] : [server];
  return new Program(runHere(['start', ...words, ...hostFlags, ...flags], options));
}

/** `openProgram`, without a process of its own. */
export async function openHere(server?: string, options: ServerOptions = {}): Promise<Program> {
  const program = serveHere(server, options);
  await program.initialize();
  return program;
}

const { stdout, stderr } = process;
const printed = [stdout, stderr] as const;
const writes = printed.map((stream) => stream.write);
const printer = console as unknown as Record<'_stdout' | '_stderr', Writable>;
const { _stdout, _stderr } = printer;

/**
 * Prints of an extension go to the stderr of its server, as the guard of a process has it. Prints of code that belongs to no
 * server go the usual way, since any server may be open at that moment.
 */
beforeFile(() => {
  const take =
    (usual: Writable): Writable['write'] =>
    (...args: unknown[]) => {
      const stderr = currentServer.getStore()?.stderr;
      if (!stderr || stderr.writableEnded) return Reflect.apply(usualWrite(usual), usual, args);
      return Reflect.apply(stderr.write, stderr, args);
    };
  for (const stream of printed) stream.write = take(stream);
  const around = (usual: Writable) => Object.assign(new PassThrough(), { write: take(usual) });
  printer._stdout = around(_stdout);
  printer._stderr = around(_stderr);
});

const usualWrite = (stream: Writable): Writable['write'] =>
  writes[printed.indexOf(stream as typeof stdout)] ?? stream.write;

afterFile(() => {
  for (const server of [...openServers]) server.kill('SIGKILL');
  for (const [index, stream] of printed.entries()) stream.write = writes[index]!;
  Object.assign(printer, { _stdout, _stderr });
});
