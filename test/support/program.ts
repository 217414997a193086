import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterFile } from './file-jobs.js';

/** The longest that anything is waited for. Tests wait for events; only a fault comes this far. */
const patienceMs = 25_000;

/** This package. */
export const root = path.resolve(import.meta.dirname, '../..');

/** The built program. */
export const programFile = path.join(root, 'bin/agenttools.js');

/** A fixture extension, as a command line names it. */
export const fixture = (name: string): string => path.join(root, 'fixtures/extensions', name);

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
export type Message = any;

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The Node that runs the program; the one that runs the tests unless told. */
  readonly node?: string;
  /** What follows the server on the command line. */
  readonly flags?: readonly string[];
  readonly cwd?: string;
  /** What makes the command line, when it is not ours to make. */
  readonly command?: readonly [string, ...string[]];
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const home = mkdtempSync(path.join(tmpdir(), 'agenttools-home-'));
const running = new Set<Program>();

afterFile(() => {
  for (const program of running) program.kill();
  killStragglers();
});

/** Ends what a server that had to be killed has left behind: whoever was given the home of this test file (Linux). */
function killStragglers(): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!`\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(`\0HOME=${home}\0`)) continue;
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or is somebody else's.
    }
  }
}

/** A machine with nothing on it: no settings, no packages of ours, no global ones, and none that come by themselves. */
export function bareEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR && { TMPDIR }),
    HOME: home,
    npm_config_prefix: path.join(home, 'global'),
    AGENTTOOLS_AUTO_INSTALL: 'false',
    ...more,
  };
}

/** Starts the program as a client does: `agenttools start <server>` on three pipes. It is gone after the test file. */
export function startProgram(server?: string, options: ProgramOptions = {}): Program {
  const { node = process.execPath, flags = [], cwd = root, env = {} } = options;
  const started = [node, programFile, 'start', ...(server === undefined ? [] : [server]), ...flags] as const;
  const [command, ...args] = options.command ?? started;
  const program = new Program(spawn(command, args, { cwd, env: bareEnvironment(env), stdio: 'pipe' }));
  running.add(program);
  program.exit.then(
    () => running.delete(program),
    () => {},
  );
  return program;
}

/** Starts the program and opens the legacy era. */
export async function openProgram(server?: string, options: ProgramOptions = {}): Promise<Program> {
  const program = startProgram(server, options);
  await program.initialize();
  return program;
}

/** Runs a command of the program in a process of its own, to its end; gives its exit code and its output. */
export async function runProgram(words: readonly string[], { cwd = root, env = {} }: ProgramOptions = {}) {
  const child = spawn(process.execPath, [programFile, ...words], { cwd, env: bareEnvironment(env) });
  child.stdin.end();
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...texts]);
  return { code: code as number | null, stdout: stdout!, stderr: stderr! };
}

/** A process that speaks MCP on its pipes. Every line of its stdout must be JSON-RPC, or all that waits fails. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended and its pipes are closed. */
  readonly exit: Promise<Exit>;
  /** What came out on stdout, line by line. */
  readonly lines: string[] = [];
  /** The same, parsed. */
  readonly messages: Message[] = [];
  /** What came out on stderr. */
  stderr = '';
  readonly #taken = new Set<Message>();
  readonly #watchers = new Set<() => void>();
  #partial = '';
  #fault: string | undefined;
  #exit: Exit | undefined;
  #lastId = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#partial += chunk;
      if (chunk.includes('\n')) this.#cut();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
      this.#wake();
    });
    this.exit = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (this.#partial !== '')
          this.#fault ??= `it left an unfinished line on stdout: ${this.#partial.slice(0, 200)}`;
        this.#exit = { code, signal };
        this.#wake();
        resolve(this.#exit);
      });
    });
  }

  /** Sends messages: an object and a text as one line each, bytes as they are. */
  send(...messages: readonly (object | string | Uint8Array)[]): void {
    for (const message of messages) {
      if (message instanceof Uint8Array) this.child.stdin.write(message);
      else this.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    }
  }

  /** The answer to a request, or to a batch that has it. */
  async next(id: unknown): Promise<Message> {
    return await this.take(
      (message) => message.id === id && message.method === undefined,
      `an answer to ${JSON.stringify(id)}`,
    );
  }

  /** Sends one request and takes its answer. */
  async ask(message: Readonly<Record<string, unknown>>): Promise<Message> {
    this.send(message);
    return await this.next(message.id);
  }

  /** The first message that fits and that nobody has taken yet. */
  async take(fits: (message: Message) => boolean, what: string): Promise<Message> {
    const message = await this.until(
      () => this.messages.find((one) => !this.#taken.has(one) && fits(one)),
      what,
    );
    this.#taken.add(message);
    return message;
  }

  /** Opens the legacy era; gives the result. */
  async initialize(
    protocolVersion = '2025-11-25',
    capabilities: object = {},
    clientName = 'test',
  ): Promise<Message> {
    const params = { protocolVersion, capabilities, clientInfo: { name: clientName, version: '1' } };
    const answer = await this.ask({ jsonrpc: '2.0', id: this.freshId(), method: 'initialize', params });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer.result;
  }

  /** Asks in the legacy era; gives the result, or the error. */
  async request(method: string, params?: object): Promise<Message> {
    const { result, error } = await this.ask({
      jsonrpc: '2.0',
      id: this.freshId(),
      method,
      ...(params && { params }),
    });
    return result ?? error;
  }

  /** Calls a tool in the legacy era; gives the result, or the error. */
  async call(name: string, args: object = {}): Promise<Message> {
    return await this.request('tools/call', { name, arguments: args });
  }

  /** Calls a tool and gives the text of its first block. */
  async textOf(name: string, args: object = {}): Promise<string> {
    const { content } = await this.call(name, args);
    return content[0].text;
  }

  /** An id that was not used yet. */
  freshId(): string {
    this.#lastId += 1;
    return `test-${this.#lastId}`;
  }

  /** Waits until stderr holds a text or fits a pattern. */
  async said(what: string | RegExp): Promise<string> {
    return await this.until(() => {
      const isThere = typeof what === 'string' ? this.stderr.includes(what) : what.test(this.stderr);
      return isThere ? this.stderr : undefined;
    }, `${what} on stderr`);
  }

  /** Closes the client's end of the pipe, and waits for the process to end. */
  async end(): Promise<Exit> {
    this.child.stdin.end();
    return await this.ended();
  }

  /** Waits for the process to end. */
  async ended(): Promise<Exit> {
    return await this.until(() => this.#exit, 'the end of the process');
  }

  /** Ends the process at once. */
  kill(): void {
    this.child.kill('SIGKILL');
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    this.child.stderr.destroy();
  }

  /** Looks again at everything that happens, until something is found. The one place where tests wait. */
  async until<Found>(look: () => Found | undefined, what: string): Promise<Found> {
    return await new Promise<Found>((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(watch);
        settle();
      };
      const fail = (why: string) => finish(() => reject(new Error(this.#complain(why, what))));
      const watch = () => {
        if (this.#fault !== undefined) return fail(this.#fault);
        const found = look();
        if (found !== undefined) finish(() => resolve(found));
        else if (this.#exit) fail(`it ended (${this.#exit.signal ?? this.#exit.code})`);
      };
      const timer = setTimeout(() => fail(`nothing came for ${patienceMs / 1000} s`), patienceMs);
      this.#watchers.add(watch);
      watch();
    });
  }

  #complain(why: string, what: string): string {
    const tail = this.lines.slice(-3).map((line) => line.slice(0, 300));
    return `Waiting for ${what} of process ${this.child.pid}: ${why}.\nstdout, last lines:\n${tail.join('\n')}\nstderr:\n${this.stderr.slice(-3000)}`;
  }

  #cut(): void {
    const lines = this.#partial.split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      const message = parsed(line);
      if (isJsonRpc(message)) this.messages.push(...(Array.isArray(message) ? message : [message]));
      else this.#fault ??= `it printed a line on stdout that is not JSON-RPC: ${line.slice(0, 200)}`;
    }
    this.#wake();
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isJsonRpc(message: Message): boolean {
  if (Array.isArray(message)) return message.length > 0 && message.every(isJsonRpc);
  return message?.jsonrpc === '2.0' && ['method', 'result', 'error'].some((key) => key in message);
}

/** Waits until something that no pipe tells of is so. */
export async function eventually(isSo: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > deadline)
      throw new Error(`It did not come to pass within ${patienceMs / 1000} s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process runs; one that has ended and was not yet taken note of by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
