import { PassThrough } from 'node:stream';
import { deferred } from '../base/deferred.js';
import { LineSplitter } from '../base/lines.js';
import type { SessionTransport } from '../preflight/child-session.js';
import { type StdioSession, serveStdio } from '../serve/stdio/serve-stdio.js';
import { createServer, type RunningServer } from '../server/running-server.js';

/** Longest message of a server in this process, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/** Connects a client in this process to a server in this process, as if over stdio. */
export class LocalTransport implements SessionTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<SessionTransport['onmessage']>;
  readonly ended: SessionTransport['ended'];
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #end: () => void;
  readonly #session: StdioSession;

  constructor(served: RunningServer, report: (line: string) => void) {
    const end = deferred<{ readonly code: number | null; readonly signal: null }>();
    this.ended = end.promise;
    this.#end = () => end.resolve({ code: 0, signal: null });
    this.#session = serveStdio({
      createServer: (era) => createServer(served, era),
      input: this.#input,
      output: this.#output,
      report,
    });
  }

  async start(): Promise<void> {
    const lines = new LineSplitter({
      maxBytes,
      onLine: (line) => this.onmessage?.(JSON.parse(line)),
      onOverlong: () => this.onerror?.(new Error('A message of the server is too long.')),
    });
    this.#output.on('data', (chunk: Buffer) => lines.push(chunk));
  }

  async send(message: Parameters<SessionTransport['send']>[0]): Promise<void> {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#session.end({ drainMs: 0 });
    this.#end();
    this.onclose?.();
  }

  kill(): void {
    void this.close();
  }
}
