import { writeSync } from 'node:fs';
import type { ChannelOutput } from './json-line-channel.js';

// Kept before extension code loads.
const writeDescriptor = writeSync;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const encodeInto = encoder.encodeInto.bind(encoder);
const { wait } = Atomics;
const waitBuffer = new Int32Array(new SharedArrayBuffer(4));

/** UTF-8 takes at most three bytes per UTF-16 code unit. */
const bytesPerCharacter = 3;

/** Pause before a write to a full non-blocking pipe is repeated, in milliseconds. */
const writeRetryMs = 1;

/**
 * Writes to a file descriptor before `write` returns, so the text arrives even if the process ends next. Blocks the
 * thread while the pipe is full, so no text waits in memory.
 */
export class DescriptorWriter implements ChannelOutput {
  readonly #descriptor: number;
  readonly #onGone: () => void;
  /** Private to this writer: extension code can read the memory that Node buffers share. */
  readonly #bytes = new Uint8Array(64 * 1024);

  /** `onGone` is called if the reader has closed the pipe. */
  constructor(descriptor: number, onGone: () => void) {
    this.#descriptor = descriptor;
    this.#onGone = onGone;
  }

  write(text: string): boolean {
    const isShort = text.length * bytesPerCharacter <= this.#bytes.length;
    const bytes = isShort ? this.#bytes : encode(text);
    const end = isShort ? encodeInto(text, bytes).written : bytes.length;
    for (let start = 0; start < end; ) {
      try {
        start += writeDescriptor(this.#descriptor, bytes, start, end - start);
      } catch (error) {
        // An extension can make the descriptor non-blocking.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.#onGone();
          return true;
        }
        wait(waitBuffer, 0, 0, writeRetryMs);
      }
    }
    return true;
  }

  on(): void {}

  end(): void {}
}
