import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Length of the kept end of the output, in characters. A V8 crash report is shorter. */
const maxTail = 16 * 1024;

/** Output of a host on its way to a stream. If the stream is gone, drops the output: the host must not block. */
export class Printout {
  /** The last characters of the output. */
  tail = '';
  /** Resolves when the host and its child processes can print no more. */
  readonly ended: Promise<void>;
  readonly #sources: readonly Readable[];

  /** Undefined if the host writes directly to the stream. */
  static of({ stdout, stderr }: ChildProcess, target: Writable): Printout | undefined {
    return stdout && stderr ? new Printout([stdout, stderr], target) : undefined;
  }

  private constructor(sources: readonly Readable[], target: Writable) {
    this.#sources = sources;
    const drop = (): void => {
      for (const source of sources) source.unpipe(target).resume();
    };
    target.on('error', drop).on('close', drop);
    for (const source of sources) {
      source.on('data', (chunk: Buffer) => {
        this.tail = (this.tail + chunk.toString('latin1')).slice(-maxTail);
      });
      if (!target.destroyed) source.pipe(target, { end: false });
    }
    const ends = sources.map((source) => new Promise((resolve) => source.once('close', resolve)));
    this.ended = Promise.all(ends).then(() => {
      target.off('error', drop).off('close', drop);
    });
  }

  /** Drops the output of processes that outlive the host. */
  close(): void {
    for (const source of this.#sources) source.destroy();
  }
}
