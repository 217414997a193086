import { Buffer } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';

import { LineSplitter } from '../../base/lines.js';
import type { Dispatcher } from '../../protocol/dispatcher.js';
import type { Era } from '../../protocol/eras.js';
import { LineWriter } from './line-writer.js';
import { MessageRouter } from './message-router.js';

export interface ServeStdioOptions {
  /** Creates the dispatcher of one era. Called at most once per era, when its first message arrives. */
  readonly createServer: (era: Era) => Dispatcher;
  readonly input: Readable;
  /** The real stdout. Nothing else may write to it during the session. */
  readonly output: Writable;
  /** Takes one diagnostic for stderr. */
  readonly report: (line: string) => void;
  /** Longest message that is read. Default: 64 MiB. */
  readonly maxLineBytes?: number;
}

export interface StdioSession {
  /** Resolves when the client has disconnected and the pending responses are written. */
  readonly ended: Promise<void>;
  /** Stops reading, gives calls in flight `drainMs`, aborts the rest, and ends the session. */
  end(options: { readonly drainMs: number }): Promise<void>;
}

const defaultMaxLineBytes = 64 * 1024 * 1024;

/** Longest wait for responses after the client closes its end. */
const drainAfterInputMs = 5000;

/** Least time for closing the dispatchers, and then for flushing the pipe, after the drain. */
const minFlushMs = 200;

/** Serves MCP on a pair of streams until the input ends, the output breaks, or `end` is called. */
export function serveStdio(options: ServeStdioOptions): StdioSession {
  const { createServer, input, output, report, maxLineBytes = defaultMaxLineBytes } = options;

  const outlet = new LineWriter({ output, report, onGone: () => void end({ drainMs: 0 }) });
  const front = new MessageRouter({ createServer, outlet, report });
  const lines = new LineSplitter({
    maxBytes: maxLineBytes,
    onLine: (line) => front.receive(line),
    onOverlong: () => front.receiveOverlong(maxLineBytes),
  });
  const drain = new Drain();
  let ending: Promise<void> | undefined;
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });

  const read = (chunk: Buffer | string): void =>
    lines.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
  const finishInput = (): void => {
    if (ending !== undefined) return;
    lines.end();
    void end({ drainMs: drainAfterInputMs });
  };

  function end({ drainMs }: { readonly drainMs: number }): Promise<void> {
    drain.limit(drainMs);
    ending ??= finish();
    return ending;
  }

  async function finish(): Promise<void> {
    input.off('data', read);
    input.pause();
    front.stopReceiving();
    front.calls.whenIdle(() => drain.finish());
    await drain.done;
    const flushMs = Math.max(drain.limitMs, minFlushMs);
    await waitWithin(flushMs, front.close());
    await outlet.flush(flushMs);
    resolveEnded();
  }

  input.on('data', read);
  input.on('end', finishInput);
  input.on('close', finishInput);
  input.on('error', finishInput);
  if (input.readableEnded || input.destroyed) finishInput();

  return { ended, end };
}

/** A wait that ends on `finish` or when its time is up. `limit` can shorten the time while it runs. */
class Drain {
  readonly done: Promise<void>;
  /** The shortest time the wait was given. */
  limitMs = Number.POSITIVE_INFINITY;
  #resolve: () => void = () => {};
  #deadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  limit(limitMs: number): void {
    this.limitMs = Math.min(this.limitMs, limitMs);
    const deadline = performance.now() + limitMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#resolve, limitMs);
  }

  finish(): void {
    clearTimeout(this.#timer);
    this.#resolve();
  }
}

async function waitWithin(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
