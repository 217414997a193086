import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { AgentToolsError } from '../base/errors.js';

export interface BrowserOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills the browser on abort. */
  readonly signal: AbortSignal;
  /** Called if the browser ends without `close`. */
  readonly onEnd: (error: AgentToolsError) => void;
}

type DevtoolsParams = Readonly<Record<string, unknown>>;

interface PendingCommand {
  resolve(result: DevtoolsParams): void;
  reject(error: Error): void;
}

const browserExitTimeoutMs = 3000;

/** A headless Chromium with a temporary profile. Commands go over a pipe, so that it opens no port. */
export class Browser {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, PendingCommand>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #rest = '';
  #stderr = '';
  #isOver = false;
  #isClosing = false;

  private constructor(child: ChildProcess, profile: string, { signal, onEnd }: BrowserOptions) {
    this.#child = child;
    this.#profile = profile;
    const kill = () => child.kill('SIGKILL');
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill);
    const output = child.stdio[4] as Readable;
    output.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    for (const pipe of child.stdio) pipe?.on('error', () => {});
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.#ended = new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', () => resolve('it ended'));
    }).then((reason) => {
      signal.removeEventListener('abort', kill);
      this.#over(reason);
      if (!this.#isClosing) onEnd(this.#failure(reason));
    });
  }

  /** Spawns the browser. If it does not start, `onEnd` is called and `send` rejects. */
  static async open(options: BrowserOptions): Promise<Browser> {
    const { file, env } = options;
    const profile = await mkdtemp(path.join(tmpdir(), 'agenttools-preview-'));
    const args = [
      '--headless',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-gpu',
      '--disable-quic',
      '--disable-extensions',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--hide-scrollbars',
      // Chromium refuses to sandbox itself for root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      'about:blank',
    ];
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(file, args, { env: { ...env }, stdio: [...stdio], windowsHide: true });
    return new Browser(child, profile, options);
  }

  /** @throws AgentToolsError `failed` if the browser has ended, or answers with an error. */
  async send(method: string, params: DevtoolsParams = {}, sessionId?: string): Promise<DevtoolsParams> {
    if (this.#isOver) throw this.#failure('it ended');
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<DevtoolsParams>((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject }),
    );
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return await answer;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), browserExitTimeoutMs);
    await this.send('Browser.close').catch(() => this.#child.kill('SIGKILL'));
    await this.#ended;
    clearTimeout(timer);
    // Child processes may still write after the first process has ended.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
  }

  #read(text: string): void {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop()!;
    for (const message of messages) this.#receive(JSON.parse(message));
  }

  #receive({
    id,
    result,
    error,
  }: {
    id?: number;
    result?: DevtoolsParams;
    error?: { message: string };
  }): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (!waiting || id === undefined) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(this.#failure(error.message));
    else waiting.resolve(result ?? {});
  }

  #over(reason: string): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting.values()) reject(this.#failure(reason));
    this.#waiting.clear();
  }

  #failure(reason: string): AgentToolsError {
    const said = this.#stderr.trim().split('\n').slice(-5).join('\n  ');
    const file = this.#child.spawnfile;
    return new AgentToolsError(
      'failed',
      `The browser ${file} failed: ${reason}.${said ? ` It wrote to stderr:\n  ${said}` : ''}`,
    );
  }
}
