import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { endTree } from '../base/process-tree.js';

export interface ChildServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Exit of a server process. Both fields are null if it could not start. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A stdio transport for preflight. Keeps invalid lines of stdout, the end of stderr and the exit of the process. */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Receives stderr, and lines of stdout that are not JSON-RPC, as they arrive. */
  ontext?: (text: string) => void;
  /** Lines of stdout that are not JSON-RPC: at most 10, each cut to 200 characters. */
  readonly impureLines: string[] = [];
  /** The end of stderr, at most 10,000 characters. */
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
      // A process group, so that `endTree` reaches the whole tree.
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
      const message = JSON.parse(line) as JSONRPCMessage;
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

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  /** Closes the server's stdin, which asks the server to exit. */
  async close(): Promise<void> {
    this.#child.stdin!.end();
  }

  /** Kills the server and all processes that it started. */
  kill(): void {
    if (this.#child.pid !== undefined) endTree(this.#child.pid);
  }
}

const maxKeptOutput = 10_000;
