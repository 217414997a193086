import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { type Deferred, deferred } from '../base/deferred.js';
import { LineSplitter } from '../base/lines.js';

// The host uses this class too. Extension code may replace these after this module has loaded.
const { parse, stringify } = JSON;
const { isArray } = Array;
const { byteLength } = Buffer;
const atTurnEnd = setImmediate;

/** One message: a JSON object. The caller checks its members. */
export type ChannelMessage = Readonly<Record<string, unknown>>;

/** The part of a `Writable` that a channel needs. */
export interface ChannelOutput {
  /** Returns false if the text waits in memory because the output is full. */
  write(text: string): boolean;
  on(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
  end(): unknown;
}

export interface ChannelOptions {
  readonly input: Readable;
  readonly output: ChannelOutput;
  /** Longest message in bytes, in both directions. Default: 64 MiB. */
  readonly maxBytes?: number;
  /** Prefix of each sent message. Default: none. */
  readonly ownKey?: string;
  /** Prefix of each message of the peer. A message without it is a fault. Default: none. */
  readonly peerKey?: string;
  /** Longest text that waits for a peer that does not read, in characters. Default: 64 Mi. */
  readonly maxWaiting?: number;
  /** `line` is the JSON text of the message. */
  readonly onMessage: (message: ChannelMessage, line: string) => void;
  /** The peer has closed its side or has ended. Called once, not after a fault. */
  readonly onEnd: () => void;
  /**
   * Called once, if the peer broke the format or does not read. `fault` completes a sentence about the peer: `sent a
   * message that is not JSON`. No messages are sent or received afterwards.
   */
  readonly onFault: (fault: string) => void;
}

const mebibyte = 1024 * 1024;

/** Length of waiting text that is written before the turn of the event loop ends, in characters. */
const maxBatchLength = 64 * 1024;

/**
 * Private channel between front and extension host: lines of JSON in both directions. All messages of one turn of the
 * event loop leave in one write.
 */
export class JsonLineChannel {
  readonly #output: ChannelOutput;
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  readonly #ownKey: string;
  readonly #peerKey: string;
  readonly #input: Readable;
  readonly #onMessage: ChannelOptions['onMessage'];
  readonly #onEnd: () => void;
  readonly #onFault: (fault: string) => void;
  #waiting = '';
  #isScheduled = false;
  #isFull = false;
  /** True if no more messages are sent. */
  #isClosed = false;
  /** True if no more messages are received. */
  #isEnded = false;
  #drained: Deferred<void> | undefined;

  constructor(options: ChannelOptions) {
    const { input, output, maxBytes = 64 * mebibyte, maxWaiting = 64 * mebibyte } = options;
    const { ownKey = '', peerKey = '' } = options;
    this.#ownKey = ownKey;
    this.#peerKey = peerKey;
    this.#output = output;
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
    this.#input = input;
    this.#onMessage = options.onMessage;
    this.#onEnd = options.onEnd;
    this.#onFault = options.onFault;

    output.on('drain', () => this.#resume());
    // The input reports the end of the peer.
    output.on('error', () => {});
    output.on('close', () => this.#resume());
    const lines = new LineSplitter({
      maxBytes: maxBytes + peerKey.length,
      onLine: (line) => this.#receive(line),
      onOverlong: () => this.#fail(`sent a message longer than ${inBytes(maxBytes)}`),
    });
    input.on('data', (chunk: Buffer) => lines.push(chunk));
    // Text without a line end is an unfinished message of the peer.
    input.on('end', () => this.#end());
    input.on('error', () => this.#end());
    input.on('close', () => this.#end());
  }

  /**
   * Sends a message. Returns false if the peer does not keep up: wait for `drained()` before you send more.
   * @throws TypeError if the message has no JSON form, RangeError if it is too long.
   */
  send(message: ChannelMessage): boolean {
    const text: string | undefined = stringify(message);
    if (text === undefined) throw new TypeError('The message has no JSON form.');
    return this.sendText(text);
  }

  /**
   * Sends a message that is already JSON text: one object, without line breaks. @throws RangeError if it is too long.
   */
  sendText(text: string): boolean {
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    if (text.length * 3 > this.#maxBytes && byteLength(text) > this.#maxBytes) {
      throw new RangeError(`The message is longer than ${inBytes(this.#maxBytes)}.`);
    }
    if (this.#isClosed) return true;
    this.#waiting += `${this.#ownKey}${text}\n`;
    if (this.#isFull) {
      if (this.#waiting.length > this.#maxWaiting) this.#fail('does not read its messages');
      return false;
    }
    if (this.#waiting.length >= maxBatchLength) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      atTurnEnd(this.#endTurn);
    }
    return !this.#isFull;
  }

  /** Writes the messages of this turn now. */
  flush(): void {
    if (this.#waiting === '' || this.#isFull || this.#isClosed) return;
    const text = this.#waiting;
    this.#waiting = '';
    this.#isFull = !this.#output.write(text);
  }

  /** Resolves when the peer keeps up again, or the channel is closed. */
  drained(): Promise<void> {
    if (!this.#isFull || this.#isClosed) return Promise.resolve();
    this.#drained ??= deferred();
    return this.#drained.promise;
  }

  /** Closes this side: the peer sees the end after the last message. Messages of the peer still arrive. */
  close(): void {
    if (this.#isClosed) return;
    if (this.#waiting !== '') this.#output.write(this.#waiting);
    this.#shut();
    this.#output.end();
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  #receive(line: string): void {
    // The line is the rest of a chunk after a fault.
    if (this.#isEnded) return;
    const key = this.#peerKey;
    if (!line.startsWith(key)) {
      this.#fail('sent a message without its key: other code has written to its channel');
      return;
    }
    const text = key === '' ? line : line.slice(key.length);
    const message = parsed(text);
    if (message === undefined) this.#fail('sent a message that is not JSON');
    else if (!isObject(message)) this.#fail('sent a message that is not an object');
    else this.#onMessage(message, text);
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#shut();
    this.#onEnd();
  }

  #fail(fault: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#shut();
    this.#input.destroy();
    this.#onFault(fault);
  }

  #shut(): void {
    this.#isClosed = true;
    this.#waiting = '';
    this.#release();
  }

  #resume(): void {
    this.#isFull = false;
    this.flush();
    if (!this.#isFull) this.#release();
  }

  #release(): void {
    const drained = this.#drained;
    this.#drained = undefined;
    drained?.resolve();
  }
}

function parsed(line: string): unknown {
  try {
    return parse(line);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is ChannelMessage {
  return typeof value === 'object' && value !== null && !isArray(value);
}

function inBytes(count: number): string {
  return count % mebibyte === 0 ? `${count / mebibyte} MiB` : `${count} bytes`;
}
