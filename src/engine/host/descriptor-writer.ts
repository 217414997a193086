import { writeSync } from 'node:fs';
import type { ChannelOutput } from './json-line-channel.js';

// Kept before extension code loads.
const writeDescriptor = writeSync;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const encodeInto = encoder.encodeInto.bind(encoder);
const { wait } = Atomics;
const waitBuffer = new Int32Array(new SharedArrayBuffer(4));

/** A character takes at most three bytes. */
const bytesPerCharacter = 3;

/** Pause before the next attempt to write to a full pipe that does not block, in milliseconds. */
const writeRetryMs = 1;

/**
 * Writes to a file descriptor at once, before `write` returns: what is written arrives even if the process ends next.
 * Blocks the thread while the pipe is full, so nothing waits in memory.
 */
export class DescriptorWriter implements ChannelOutput {
  readonly #descriptor: number;
  readonly #onGone: () => void;
  /** Of this writer alone: extension code can read the memory that buffers of Node share. */
  readonly #bytes = new Uint8Array(64 * 1024);

  /** `onGone` is called when the reader has closed the pipe. */
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
