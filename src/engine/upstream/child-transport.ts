import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import type { Transport } from '@modelcontextprotocol/client';
import { listProcesses } from '../base/process-table.js';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

export interface ChildServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a server process ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A stdio transport that keeps what a client would stumble over: lines that are no messages, and how the process ended. */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Takes all that is no message as it comes: what is written to stderr, and lines of stdout that are not JSON-RPC. */
  ontext?: (text: string) => void;
  /** Lines of stdout that are not JSON-RPC. */
  readonly impureLines: string[] = [];
  /** The last part of what the process wrote to stderr. */
  stderr = '';
  readonly ended: Promise<ChildExit>;
  readonly #child: ChildProcess;
  #rest = '';

  constructor({ command, args, cwd, env }: ChildServer) {
    this.#child = spawn(command, args, {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A group of its own, so that all of it can be ended.
      detached: process.platform !== 'win32',
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => {
        this.stderr += error.message;
        resolve({ code: null, signal: null });
      });
      this.#child.on('close', (code, signal) => resolve({ code, signal }));
    });
  }

  async start(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    stdin!.on('error', () => {});
    stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-maxKeptOutput);
      this.ontext?.(text);
    });
    stdout!.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    void this.ended.then(() => {
      if (this.#rest.trim() !== '') this.#keep(this.#rest);
      this.onclose?.();
    });
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#receive(line);
  }

  #receive(line: string): void {
    try {
      const message = JSON.parse(line) as Message;
      if (message?.jsonrpc === '2.0') this.onmessage?.(message);
      else this.#keep(line);
    } catch {
      this.#keep(line);
    }
  }

  #keep(line: string): void {
    if (this.impureLines.length < 10) this.impureLines.push(line.slice(0, 200));
    this.ontext?.(`${line}\n`);
  }

  async send(message: Message): Promise<void> {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes the server's stdin, which asks it to end. */
  async close(): Promise<void> {
    this.#child.stdin!.end();
  }

  /** Ends the server, stuck as it may be, and whatever it started. */
  kill(): void {
    if (this.#child.pid !== undefined) endTree(this.#child.pid);
  }
}

/** Ends a process and all that it started. */
export function endTree(leader: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/T', '/F', '/PID', `${leader}`], { stdio: 'ignore', windowsHide: true });
    return;
  }
  for (const pid of [...findDescendants(leader), -leader]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** Those in groups of their own are among them. */
function findDescendants(leader: number): readonly number[] {
  const found = new Set([leader]);
  const table = listProcesses(process.platform);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  found.delete(leader);
  return [...found];
}

const maxKeptOutput = 10_000;
