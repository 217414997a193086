import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type StdioOptions,
  spawn,
} from 'node:child_process';
import process from 'node:process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineSplitter } from '../base/lines.js';
import { endTree } from '../base/process-tree.js';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { UpstreamProgram } from '../runtime/upstream.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { spawnSandboxed } from '../sandbox/spawn-sandboxed.js';
import type { ChildExit } from './child-transport.js';
import { type CommandLine, commandLine } from './command-line.js';

/** Longest line that is read as a message. */
const maxLineBytes = 16 * 1024 * 1024;

/** Code of the error that replaces a malformed response. */
export const unreadableCode = -32_001;

/** Most characters of stderr that are kept. */
const maxKeptStderr = 10_000;

/** Longest wait for the exit of a program after its stdin is closed, in milliseconds. */
const programExitTimeoutMs = 1500;

/** Longest wait for output after a program has exited, in milliseconds. Its child processes may keep its pipes open. */
const drainMs = 250;

export interface ProgramOptions extends UpstreamProgram {
  /** Called with the first line that is not a message. */
  readonly onImpure: (line: string) => void;
  /** Runs the program. Default: it has the rights of this process. */
  readonly sandbox?: Sandbox | undefined;
  /** True if the user has named the program. Default: false. */
  readonly isNamed?: boolean;
}

/** Transport to an upstream server in a child process, over its stdin and stdout. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** The end of stderr, at most 10,000 characters. */
  stderr = '';
  /** Violation for which AgentTools killed the program, if any. */
  fault: string | undefined;
  /** Exit of the program; undefined while it runs. */
  ending: ChildExit | undefined;
  /** First line of stdout that is not a message. */
  impure: string | undefined;
  readonly #options: ProgramOptions;
  readonly #ended: Promise<void>;
  #tellEnded = () => {};
  #child: ChildProcess | undefined;
  #isFinished = false;
  /** Undelivered messages. The first one is already delivered if the queue waits for the next turn. */
  readonly #arrived: JSONRPCMessage[] = [];

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws the system error if the program cannot start */
  async start(): Promise<void> {
    const { command, args, env } = this.#options;
    // The PATH may have another Node. Desktop client apps may have no PATH.
    const program = command === 'node' ? process.execPath : command;
    const line = commandLine(program, args, { env, platform: process.platform });
    const child = this.#spawn(program, line);
    this.#child = child;
    child.stdin.on('error', () => {});
    child.stdout.on('error', () => {});
    child.stderr.on('error', () => {});
    const lines = new LineSplitter({
      maxBytes: maxLineBytes,
      onLine: (text) => this.#receive(text),
      onOverlong: () => this.#breakOff('it wrote a line of more than 16 MiB to stdout'),
    });
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-maxKeptStderr);
    });
    child.on('exit', (code, signal) => {
      this.ending = { code, signal };
      setTimeout(() => this.#finish(), drainMs);
    });
    child.on('close', () => this.#finish());
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#tellEnded();
        reject(error);
      });
    });
  }

  #spawn(program: string, line: CommandLine): ChildProcessWithoutNullStreams {
    const { args, env, cwd, sandbox, argumentFolders, isNamed = false } = this.#options;
    const options: SpawnOptions = {
      windowsHide: true,
      windowsVerbatimArguments: line.isVerbatim,
      // A process group, so that `endTree` reaches the whole tree.
      detached: process.platform !== 'win32',
    };
    const stdio: StdioOptions = ['pipe', 'pipe', 'pipe'];
    const launch = sandbox?.launch(
      { command: program, args, cwd, env, isNamed, argumentFolders },
      stdio.length,
    );
    const child = launch
      ? spawnSandboxed(launch, { ...options, stdio })
      : spawn(line.command, line.args, { ...options, stdio, cwd, env: { ...env } });
    return child as ChildProcessWithoutNullStreams;
  }

  /** Kills the program for a violation. */
  #breakOff(fault: string): void {
    this.fault ??= fault;
    this.kill();
  }

  #finish(): void {
    const { onclose } = this;
    if (!this.#child || this.#isFinished) return;
    this.#isFinished = true;
    // Ends its child processes.
    this.kill();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#tellEnded();
    for (const message of this.#arrived.splice(0).slice(1)) this.onmessage?.(message);
    onclose?.();
  }

  #receive(line: string): void {
    if (this.fault !== undefined || line.trim() === '') return;
    const message = messageIn(line);
    if (!message) {
      this.#tellImpure(line);
      return;
    }
    this.#arrived.push(message);
    if (this.#arrived.length === 1) this.#deliver();
  }

  /**
   * Waits one turn after each notification. The SDK handles notifications later than responses, and would drop
   * progress that arrives just before the response of its call.
   */
  #deliver(): void {
    for (;;) {
      const [message] = this.#arrived;
      if (!message) return;
      this.onmessage?.(message);
      if (!('id' in message) && !this.#isFinished) {
        setImmediate(() => {
          this.#arrived.shift();
          this.#deliver();
        });
        return;
      }
      this.#arrived.shift();
    }
  }

  #tellImpure(line: string): void {
    if (this.impure !== undefined) return;
    this.impure = line.slice(0, 200);
    this.#options.onImpure(this.impure);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes stdin, which asks the program to exit. Kills the program and its child processes if it does not. */
  async close(): Promise<void> {
    if (!this.#child || this.#isFinished) return;
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.kill(), programExitTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Kills the program and all processes that it started. */
  kill(): void {
    if (this.#child?.pid !== undefined) endTree(this.#child.pid);
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const message = JSON.parse(line) as unknown;
    return isRecord(message) && message.jsonrpc === '2.0' ? replaceMalformedReply(message) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the message, or an error for a malformed response. The SDK would ignore that response and wait on. */
function replaceMalformedReply(message: JsonObject): JSONRPCMessage {
  const { id, method, result, error } = message;
  const isNone = method === undefined && id !== undefined && !isRecord(result) && !isError(error);
  const code = unreadableCode;
  return (isNone ? { jsonrpc: '2.0', id, error: { code, message: 'no object' } } : message) as JSONRPCMessage;
}

function isError(error: unknown): boolean {
  return isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

/** Variables that every program inherits, as from MCP clients. */
const inheritedVariables = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
} as const;

/** Returns the inherited variables of a program. Its definition adds others. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names: readonly string[] =
    process.platform === 'win32' ? inheritedVariables.win32 : inheritedVariables.posix;
  const isHandedOn = (name: string) =>
    names.includes(process.platform === 'win32' ? name.toUpperCase() : name);
  const entries = Object.entries(env).filter(([name, value]) => isHandedOn(name) && value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}
