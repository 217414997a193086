import process from 'node:process';
import type { Writable } from 'node:stream';

import { ErrorNumber } from '../../protocol/envelope.js';

/** A message on its way to the client. */
export interface OutgoingMessage {
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

export interface LineWriterOptions {
  readonly output: Writable;
  readonly report: (line: string) => void;
  /** Called once when the output fails or closes. */
  readonly onGone: () => void;
}

/** Waiting lines of this length are written at once. */
const maxWaitingLength = 64 * 1024;

/** Writes one line of JSON per message to the client. Its promises resolve when the pipe accepts more. */
export class LineWriter {
  readonly #output: Writable;
  readonly #report: (line: string) => void;
  #isGone = false;
  #isCollecting = false;
  #waiting: string[] = [];
  #waitingLength = 0;
  /** The pipe accepts no more for now. */
  #isFull = false;
  #drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor({ output, report, onGone }: LineWriterOptions) {
    this.#output = output;
    this.#report = report;
    const leave = (): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      this.#release();
      onGone();
    };
    output.on('error', leave);
    output.on('close', leave);
    output.on('drain', () => this.#release());
  }

  /**
   * Writes the first message of an event loop turn at once and the next ones together: a write costs more than a quick
   * call. Rejects a request or notification that is not JSON: no error could be sent in its place.
   */
  write(message: OutgoingMessage | readonly OutgoingMessage[]): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    const text = this.#serialize(message);
    if (text === undefined) return Promise.reject(new TypeError('The message is not JSON.'));
    const line = `${text}\n`;
    if (this.#isCollecting) {
      this.#waiting.push(line);
      this.#waitingLength += line.length;
      if (this.#waitingLength >= maxWaitingLength) this.#push();
    } else {
      this.#isFull = !this.#output.write(line);
      this.#isCollecting = true;
      process.nextTick(this.#endTurn);
    }
    return this.#isFull && !this.#isGone ? this.#untilDrained() : Promise.resolve();
  }

  readonly #endTurn = (): void => {
    this.#isCollecting = false;
    this.#push();
  };

  #push(): void {
    if (this.#isGone || this.#waiting.length === 0) return;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#isFull = !this.#output.write(text);
  }

  /** Resolves when all data is in the pipe, the output has closed, or the time is up. */
  async flush(timeoutMs: number): Promise<void> {
    this.#push();
    if (this.#isGone || this.#output.writableLength === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const finish = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#output.once('close', finish);
      this.#output.write('', finish);
    });
  }

  /** JSON.stringify writes lone surrogates as escapes, so the line is always valid UTF-8. */
  #serialize(message: OutgoingMessage | readonly OutgoingMessage[]): string | undefined {
    try {
      return JSON.stringify(message);
    } catch (cause) {
      this.#report(
        `A message could not be written as JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
      if ('method' in message) return undefined;
      return JSON.stringify(
        Array.isArray(message)
          ? message.map(ensureSerializable)
          : ensureSerializable(message as OutgoingMessage),
      );
    }
  }

  #untilDrained(): Promise<void> {
    if (this.#drained === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#drained = { promise, resolve };
    }
    return this.#drained.promise;
  }

  #release(): void {
    this.#isFull = false;
    const drained = this.#drained;
    this.#drained = undefined;
    drained?.resolve();
  }
}

/** Returns the message if it can be written, else an error in its place. */
function ensureSerializable(message: OutgoingMessage): unknown {
  try {
    JSON.stringify(message);
    return message;
  } catch {
    const error = { code: ErrorNumber.Internal, message: 'Internal error: the answer is not JSON.' };
    return { jsonrpc: '2.0', id: message.id, error };
  }
}
