import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord } from '../base/value-checks.js';
import { snapshotEnding } from '../extension/case-file-names.js';
import type { LoadedCase } from './test-case.js';

/** Results by the names of cases, in a file beside each case file. */
export class CaseSnapshots {
  readonly #directory: string;
  readonly #files = new Map<string, Promise<ReadonlyMap<string, unknown>>>();
  readonly #written = new Map<string, Map<string, unknown>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The snapshot of a case; undefined without one. @throws AgentToolsError if the file cannot be read */
  async find(caseFile: string, name: string): Promise<unknown> {
    const file = snapshotFile(caseFile);
    const read = this.#files.get(file) ?? this.#read(file);
    this.#files.set(file, read);
    return (await read).get(name);
  }

  /** Keeps a result to be written. The first era of a case decides. */
  keep(caseFile: string, name: string, result: unknown): void {
    const file = snapshotFile(caseFile);
    const kept = this.#written.get(file) ?? new Map<string, unknown>();
    if (!kept.has(name)) kept.set(name, result);
    this.#written.set(file, kept);
  }

  /** Writes the kept results, without the results of cases that are gone. Returns the changed files. */
  async write(cases: readonly LoadedCase[]): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const [file, kept] of this.#written) {
      const names = new Set(
        cases.flatMap(({ name, place }) => (snapshotFile(place.file) === file ? [name] : [])),
      );
      const all = new Map([...(await this.#read(file))].filter(([name]) => names.has(name)));
      for (const [name, result] of kept) all.set(name, result);
      const text = `${JSON.stringify(Object.fromEntries([...all].sort(byName)), undefined, 2)}\n`;
      const whole = path.join(this.#directory, file);
      const old = await readTextFile(whole);
      if (old.text === text) continue;
      await guardWrite(whole, async () => await replaceTextFile(old, text));
      changed.push(file);
    }
    return changed;
  }

  async #read(file: string): Promise<ReadonlyMap<string, unknown>> {
    const { text } = await readTextFile(path.join(this.#directory, file));
    if (text === null) return new Map();
    try {
      const value: unknown = JSON.parse(text);
      if (isRecord(value)) return new Map(Object.entries(value));
    } catch {
      // Reported as a missing snapshot, which --update writes.
    }
    return new Map();
  }
}

function snapshotFile(caseFile: string): string {
  return caseFile.replace(/\.case\.\w+$/, snapshotEnding);
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
