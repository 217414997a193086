import { Buffer } from 'node:buffer';

const newline = 0x0a;
const byteOrderMark = '\uFEFF';

export interface LineSplitterOptions {
  /** Longest line, in bytes. The bytes of longer lines are dropped as they arrive. */
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called when a line exceeds `maxBytes`; the next line begins after the next newline. */
  readonly onOverlong: () => void;
}

/**
 * Splits a byte stream into lines of UTF-8 text, for any chunk boundaries (MCP 2026-07-28 transports/stdio:
 * messages are delimited by newlines and are UTF-8).
 *
 * Pieces of an unfinished line stay in a list until its newline arrives. So a long line costs linear time,
 * and a character split between two chunks is decoded whole.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #pieces: Buffer[] = [];
  #length = 0;
  #skipping = false;
  #first = true;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start);
      if (end === -1) {
        this.#keep(chunk.subarray(start));
        return;
      }
      this.#finish(chunk, start, end);
      start = end + 1;
    }
  }

  /** Ends the stream: remaining text without a newline is the last line. */
  end(): void {
    if (this.#length > 0) this.#finish(Buffer.alloc(0), 0, 0);
  }

  #keep(piece: Buffer): void {
    if (this.#skipping) return;
    if (this.#length + piece.length > this.#options.maxBytes) {
      this.#forget();
      this.#skipping = true;
      this.#options.onOverlong();
      return;
    }
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #finish(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    if (this.#length + end - start > this.#options.maxBytes) {
      this.#forget();
      this.#options.onOverlong();
      return;
    }
    this.#emit(this.#take(chunk, start, end));
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#length === 0) return chunk.toString('utf8', start, end);
    this.#pieces.push(chunk.subarray(start, end));
    const whole = Buffer.concat(this.#pieces);
    this.#forget();
    return whole.toString('utf8');
  }

  #emit(line: string): void {
    const isMarked = this.#first && line.startsWith(byteOrderMark);
    this.#first = false;
    this.#options.onLine(isMarked ? line.slice(1) : line);
  }

  #forget(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}
