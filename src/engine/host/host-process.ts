import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { deferred } from '../base/deferred.js';
import { endTree } from '../base/process-tree.js';
import { errorMessage } from '../base/thrown-value.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { spawnSandboxed } from '../sandbox/spawn-sandboxed.js';
import { BegunCalls } from './begun-calls.js';
import { descriptors, hostMark } from './channel-descriptors.js';
import { watchFront } from './front-watch.js';
import { describeExit, type HostDeath } from './host-death.js';
import { type ChannelMessage, JsonLineChannel } from './json-line-channel.js';
import { Printout } from './printout.js';

export interface HostProcessOptions {
  /** Absolute path of the host's entry module. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Node flags in addition to the flags of every host. */
  readonly nodeFlags?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives all output of the host and its child processes. */
  readonly stderr: Writable;
  /** Runs the host. Default: it has the rights of this process. */
  readonly sandbox?: Sandbox | undefined;
  /** Longest message in bytes, in both directions. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Longest wait for the first message of the host, in milliseconds. Default: 30,000. */
  readonly startTimeoutMs?: number;
  /** Receives the first message of the host. */
  readonly onReady: (greeting: ChannelMessage) => void;
  /** Receives each later message, with its JSON text. */
  readonly onMessage: (message: ChannelMessage, line: string) => void;
  /**
   * Called once, after the last message, also if the host cannot be started. Never called before the constructor
   * returns.
   */
  readonly onDeath: (death: HostDeath) => void;
}

const hostFlags = ['--disable-proto=delete'];

/** Longest wait for the remaining messages and output of a dead host, in milliseconds. */
const drainMs = 200;

/** Longest wait for the exit of a killed host, in milliseconds. */
const killMs = 1000;

/** Extension host as a child process, from the front's side. An instance runs at most one process. */
export class HostProcess {
  readonly #options: HostProcessOptions;
  readonly #mark = { name: hostMark, value: randomUUID() };
  readonly #key = randomBytes(16).toString('base64url');
  readonly #begun = BegunCalls.open(this.#mark.value);
  readonly #child: ChildProcess | undefined;
  readonly #channel: JsonLineChannel | undefined;
  readonly #printout: Printout | undefined;
  readonly #endWatch: () => void = () => {};
  readonly #startTimer: NodeJS.Timeout | undefined;
  readonly #dead = deferred();
  #isReady = false;
  #isDead = false;
  /** Set if the front ended the host. */
  #ended: HostDeath | undefined;
  #hasChannelEnded = false;
  #hasKilled = false;
  #drainTimer: NodeJS.Timeout | undefined;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;

  constructor(options: HostProcessOptions) {
    this.#options = options;
    try {
      requirePipes();
      this.#child = this.#spawn();
    } catch (error) {
      process.nextTick(() => this.#failToStart(error));
      return;
    }
    const child = this.#child;
    child.on('error', (error) => this.#failToStart(error));
    if (child.pid === undefined) return;

    child.on('exit', (code, signal) => this.#onExit(code, signal));
    this.#printout = Printout.of(child, options.stderr);
    this.#channel = this.#connect(child);
    this.#endWatch = watchFront(child.pid, this.#mark);
    const { startTimeoutMs = 30_000 } = options;
    this.#startTimer = setTimeout(() => {
      void this.kill(`did not start within ${startTimeoutMs / 1000} s`);
    }, startTimeoutMs);
  }

  /** Undefined if the host could not be started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The number of the last call that the host has begun; infinite if unknown. */
  get lastBegun(): number {
    return this.#begun?.last ?? Number.POSITIVE_INFINITY;
  }

  /** True after the first message of the host, until it ends. */
  get isReady(): boolean {
    return this.#isReady && !this.#isDead;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** See {@link JsonLineChannel.send}. A dead host receives no messages. */
  send(message: ChannelMessage): boolean {
    return this.#channel?.send(message) ?? true;
  }

  /** See {@link JsonLineChannel.sendText}. A dead host receives no messages. */
  sendText(text: string): boolean {
    return this.#channel?.sendText(text) ?? true;
  }

  /** Resolves when the host keeps up with its messages, or is dead. */
  drained(): Promise<void> {
    return this.#channel?.drained() ?? Promise.resolve();
  }

  /**
   * Kills the host and all its descendants. Sends the signals before it returns. Resolves when the host is dead, at the
   * latest after a second. `reason` completes a sentence about the host: `did not answer within 5 s`.
   */
  kill(reason = 'was ended'): Promise<void> {
    this.#end({ kind: 'killed', reason });
    return this.#dead.promise;
  }

  /**
   * Closes the channel, which ends a host that does not block. Kills the host and its descendants after `graceMs`. Drops
   * messages that arrive after the call. Resolves when the host is dead.
   */
  async close(graceMs = 300): Promise<void> {
    if (this.#isDead) return;
    this.#ended ??= { kind: 'killed', reason: 'was ended' };
    this.#channel?.close();
    const timer = setTimeout(() => void this.kill(), graceMs);
    await this.#dead.promise;
    clearTimeout(timer);
  }

  #spawn(): ChildProcess {
    const { entry, args = [], nodeFlags = [], env, stderr, sandbox } = this.#options;
    const words = [...hostFlags, ...nodeFlags, entry, ...args];
    const variables = { ...env, [this.#mark.name]: this.#mark.value };
    const begun = this.#begun?.descriptor;
    const options: SpawnOptions = {
      // A separate process group can be killed as a whole. On Windows, a detached process outlives its parent.
      detached: process.platform !== 'win32',
      windowsHide: true,
    };
    if (sandbox) {
      // Code in a sandbox must not get a terminal or a file that it could open again.
      const stdio: StdioOptions = [
        'ignore',
        'pipe',
        'pipe',
        'pipe',
        'pipe',
        ...(begun === undefined ? [] : [begun]),
      ];
      const program = {
        command: process.execPath,
        args: words,
        cwd: process.cwd(),
        isNamed: false,
        isHost: true,
      };
      const launch = sandbox.launch({ ...program, env: withoutUnset(variables) }, stdio.length);
      return spawnSandboxed(launch, { ...options, stdio });
    }
    const print = stderr === process.stderr ? 2 : 'pipe';
    return spawn(process.execPath, words, {
      ...options,
      stdio: ['ignore', print, print, 'pipe', 'pipe', begun ?? 'ignore'],
      env: variables,
    });
  }

  #connect({ stdio }: ChildProcess): JsonLineChannel {
    const output = stdio[descriptors.toHost] as Writable & Readable;
    // The pipe is bidirectional, but the host writes to another one.
    output.resume();
    output.write(this.#key);
    const { maxBytes } = this.#options;
    return new JsonLineChannel({
      input: stdio[descriptors.toFront] as Readable,
      output,
      ...(maxBytes !== undefined && { maxBytes }),
      peerKey: this.#key,
      onMessage: (message, line) => this.#receive(message, line),
      onEnd: () => this.#onChannelEnd(),
      onFault: (fault) => this.#end({ kind: 'fault', reason: fault }),
    });
  }

  #receive(message: ChannelMessage, line: string): void {
    if (this.#ended || this.#isDead) return;
    if (this.#isReady) {
      this.#options.onMessage(message, line);
      return;
    }
    this.#isReady = true;
    clearTimeout(this.#startTimer);
    this.#options.onReady(message);
  }

  #onChannelEnd(): void {
    this.#hasChannelEnded = true;
    if (this.#exit) {
      this.#finishWhenDrained();
      return;
    }
    // The exit usually follows. If not, the host has closed the descriptor.
    setTimeout(() => {
      if (!this.#exit) this.#end({ kind: 'fault', reason: 'closed its channel' });
    }, drainMs).unref();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = { code, signal };
    clearTimeout(this.#drainTimer);
    this.#endWatch();
    // A killed tree has no orphans.
    if (!this.#hasKilled) this.#endTree();
    this.#drainTimer = setTimeout(() => this.#finish(), drainMs);
    this.#finishWhenDrained();
  }

  #finishWhenDrained(): void {
    if (!this.#hasChannelEnded && !this.#ended) return;
    if (this.#printout === undefined) this.#finish();
    else void this.#printout.ended.then(() => this.#finish());
  }

  #end(death: HostDeath): void {
    if (this.#isDead || this.#hasKilled) return;
    this.#hasKilled = true;
    this.#ended ??= death;
    this.#endTree();
    if (!this.#exit) this.#drainTimer = setTimeout(() => this.#finish(), killMs);
  }

  #endTree(): void {
    if (this.pid !== undefined) endTree(this.pid, this.#mark);
  }

  #failToStart(error: unknown): void {
    if (this.pid !== undefined) return;
    this.#finish({ kind: 'unstartable', reason: `could not be started: ${errorMessage(error)}` });
  }

  #finish(death: HostDeath | undefined = this.#ended): void {
    if (this.#isDead) return;
    this.#isDead = true;
    clearTimeout(this.#startTimer);
    clearTimeout(this.#drainTimer);
    this.#endWatch();
    this.#channel?.close();
    this.#options.onDeath(death ?? describeExit({ ...this.#exit!, printed: this.#printout?.tail }));
    this.#printout?.close();
    this.#begun?.close();
    this.#dead.resolve();
  }
}

function withoutUnset(env: HostProcessOptions['env']): Readonly<Record<string, string>> {
  const entries = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return Object.fromEntries(entries);
}

/** Deno passes only stdin, stdout and stderr to child processes. @throws Error */
function requirePipes(): void {
  if (process.versions.deno !== undefined) throw new Error('Deno passes no channel to child processes');
}
