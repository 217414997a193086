import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import type { ChannelOutput } from './channel.js';

// Kept before extension code loads.
const write = writeSync;
const { from } = Buffer;
const { wait } = Atomics;
const never = new Int32Array(new SharedArrayBuffer(4));

/** Pause before the next attempt to write to a full pipe that does not block, in milliseconds. */
const pauseMs = 1;

/**
 * Writes to a file descriptor at once, before `write` returns: what is written arrives even if the process ends next.
 * Blocks the thread while the pipe is full, so nothing waits in memory.
 */
export class DescriptorWriter implements ChannelOutput {
  readonly #descriptor: number;
  readonly #onGone: () => void;

  /** `onGone` is called when the reader has closed the pipe. */
  constructor(descriptor: number, onGone: () => void) {
    this.#descriptor = descriptor;
    this.#onGone = onGone;
  }

  write(text: string): boolean {
    const bytes = from(text);
    for (let start = 0; start < bytes.length; ) {
      try {
        start += write(this.#descriptor, bytes, start);
      } catch (error) {
        // An extension can make the descriptor non-blocking.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.#onGone();
          return true;
        }
        wait(never, 0, 0, pauseMs);
      }
    }
    return true;
  }

  on(): void {}

  end(): void {}
}
