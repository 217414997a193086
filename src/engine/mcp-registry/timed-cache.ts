import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord } from '../base/value-checks.js';

/** A cached value and its time, in milliseconds since 1970. */
export interface TimedValue {
  readonly time: number;
  readonly value: unknown;
}

/** Version of the cache format. Increase it with every change of the format. */
const format = 1;

/** JSON values in files of one folder, by key. Best effort: a failure of the disk costs only a request. */
export class TimedCache {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** The value of a key; undefined if there is no valid one. */
  async read(key: string): Promise<TimedValue | undefined> {
    try {
      const { text } = await readTextFile(this.#fileOf(key));
      const kept: unknown = JSON.parse(text ?? 'null');
      if (!isRecord(kept) || kept.format !== format || kept.key !== key) return undefined;
      const { time, value } = kept;
      return typeof time === 'number' && time <= this.#now() ? { time, value } : undefined;
    } catch {
      return undefined;
    }
  }

  async write(key: string, value: unknown): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const file = await readTextFile(this.#fileOf(key));
      await replaceTextFile(file, JSON.stringify({ format, key, time: this.#now(), value }));
    } catch {
      // A cache failure is not an error.
    }
  }

  #fileOf(key: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}
