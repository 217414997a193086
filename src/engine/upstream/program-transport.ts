import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import type { Transport } from '@modelcontextprotocol/client';
import { LineSplitter } from '../base/lines.js';
import { isObject, type JsonObject } from '../protocol/envelope.js';
import type { UpstreamProgram } from '../runtime/upstream.js';
import { type ChildExit, endTree } from './child-transport.js';
import { commandLine } from './command-line.js';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** The longest line that is taken for a message. */
const maxLineBytes = 16 * 1024 * 1024;

/** The number of an error in place of an answer that is none. */
export const unreadableCode = -32_001;

/** How much of what a program wrote to stderr last is kept. */
const maxKeptStderr = 10_000;

/** How long a program may take to end once its stdin is closed. */
const programExitTimeoutMs = 1500;

/** How long what a program has written is waited for, once it has ended. Whoever it started may hold its pipes. */
const drainMs = 250;

export interface ProgramOptions extends UpstreamProgram {
  /** Told of the first line that is no message. */
  readonly onImpure: (line: string) => void;
}

/** A server in a process of its own, spoken to over its stdin and stdout. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** The last part of what it wrote to stderr. */
  stderr = '';
  /** Why it was ended by us, if it was. */
  fault: string | undefined;
  /** How it ended, once it has. */
  ending: ChildExit | undefined;
  /** The first line of its stdout that was no message. */
  impure: string | undefined;
  readonly #options: ProgramOptions;
  readonly #ended: Promise<void>;
  #tellEnded = () => {};
  #child: ChildProcess | undefined;
  #isFinished = false;
  /** Messages that are still to be handed on; the first one has been, if a turn is to pass after it. */
  readonly #arrived: Message[] = [];

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws what the system says of a program that cannot be started */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    // The Node on the PATH may be another one, and clients with a window have no PATH.
    const program = command === 'node' ? process.execPath : command;
    const line = commandLine(program, args, { env, platform: process.platform });
    const child = spawn(line.command, line.args, {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: line.isVerbatim,
      // A group of its own, so that all of it can be ended.
      detached: process.platform !== 'win32',
    });
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

  /** Gives up on a program that does what none may do. */
  #breakOff(fault: string): void {
    this.fault ??= fault;
    this.kill();
  }

  #finish(): void {
    const { onclose } = this;
    if (!this.#child || this.#isFinished) return;
    this.#isFinished = true;
    // Whoever it started goes with it.
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

  /** The SDK looks at a notification later than at an answer, and then no longer knows whose progress it tells. */
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

  async send(message: Message): Promise<void> {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes its stdin, which asks it to end, and ends it and what it started when it does not. */
  async close(): Promise<void> {
    if (!this.#child || this.#isFinished) return;
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.kill(), programExitTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it, stuck as it may be, and whatever it started. */
  kill(): void {
    if (this.#child?.pid !== undefined) endTree(this.#child.pid);
  }
}

function messageIn(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as unknown;
    return isObject(message) && message.jsonrpc === '2.0' ? replaceMalformedReply(message) : undefined;
  } catch {
    return undefined;
  }
}

/** A message, or an error in place of an answer that the SDK would not take for one, and wait on for another. */
function replaceMalformedReply(message: JsonObject): Message {
  const { id, method, result, error } = message;
  const isNone = method === undefined && id !== undefined && !isObject(result) && !isError(error);
  const code = unreadableCode;
  return (isNone ? { jsonrpc: '2.0', id, error: { code, message: 'no object' } } : message) as Message;
}

function isError(error: unknown): boolean {
  return isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

/** What every program needs of our variables, as MCP clients hand them on. */
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

/** The variables that a program finds, save for its own. */
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
