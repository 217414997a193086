import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineSplitter } from '../base/lines.js';
import { type StdioSession, serveStdio } from '../serve/stdio/serve-stdio.js';
import { createServer, type RunningServer } from '../server/running-server.js';

const maxLineBytes = 64 * 1024 * 1024;

/** A connection to a server in this process, over a pair of streams as over stdio. */
export class MemoryTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #served: RunningServer;
  readonly #report: (line: string) => void;
  #session: StdioSession | undefined;

  constructor(served: RunningServer, report: (line: string) => void) {
    this.#served = served;
    this.#report = report;
  }

  async start(): Promise<void> {
    const lines = new LineSplitter({
      maxBytes: maxLineBytes,
      onLine: (line) => this.onmessage?.(JSON.parse(line) as JSONRPCMessage),
      onOverlong: () => this.onerror?.(new Error('The server sent a message of more than 64 MiB.')),
    });
    this.#output.on('data', (chunk: Buffer) => lines.push(chunk));
    this.#session = serveStdio({
      createServer: (era) => createServer(this.#served, era),
      input: this.#input,
      output: this.#output,
      report: this.#report,
    });
    void this.#session.ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  /** Aborts calls in flight. */
  async close(): Promise<void> {
    await this.#session?.end({ drainMs: 0 });
  }
}
