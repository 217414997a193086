import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { descriptors } from './channel-descriptors.js';

// Kept before extension code loads.
const write = writeSync;

const byteLength = Float64Array.BYTES_PER_ELEMENT;

/**
 * Number of the last call that a host has begun, stored in an unlinked file that front and host have open. The front can
 * read it while the host blocks and after the host has died.
 */
export class BegunCalls {
  readonly descriptor: number;
  #isOpen = true;

  /** Undefined if the file cannot be created. `name` is unique to the host. */
  static open(name: string): BegunCalls | undefined {
    try {
      const file = path.join(tmpdir(), `agenttools-${name}`);
      const descriptor = openSync(file, 'wx+', 0o600);
      unlinkSync(file);
      return new BegunCalls(descriptor);
    } catch {
      return undefined;
    }
  }

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** 0 before the first call. Infinite if the file is unreadable: every call may have begun. */
  get last(): number {
    const bytes = new Float64Array(1);
    try {
      const length = this.#isOpen ? readSync(this.descriptor, bytes, 0, byteLength, 0) : -1;
      if (length !== 0 && length !== byteLength) return Number.POSITIVE_INFINITY;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
    const [last] = bytes;
    return Number.isSafeInteger(last) ? last! : Number.POSITIVE_INFINITY;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.descriptor);
  }
}

/**
 * Returns the function that records the number of each call right before it begins. The function throws if the file
 * cannot be written.
 */
export function begunNotes(): (call: number) => void {
  const bytes = new Float64Array(1);
  return (call) => {
    bytes[0] = call;
    write(descriptors.begun, bytes, 0, byteLength, 0);
  };
}
