import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import type { FileChange, RecordedChange } from './file-change.js';
import { isFileChange } from './receipt-shapes.js';
import { keepOutOfGit, makeFolder, rethrowForUser, sortedFileNames } from './record-folder.js';

/** Number of commands in the history. */
export const maxCommands = 100;

/**
 * Changes of config files in the data folder, one file for each. Only their owner may read them: entries hold secrets.
 * The names sort in the order of the changes, and contain the id of the command.
 */
export class History {
  readonly #dataFolder: string;
  readonly #id = randomBytes(6).toString('hex');
  readonly #command: string;
  #last = 0;

  /** `command`: name of the command that runs. */
  constructor({ folder, command }: { readonly folder: string; readonly command: string }) {
    this.#dataFolder = folder;
    this.#command = command;
  }

  get command(): string {
    return this.#command;
  }

  /** Returns the name for the next change of this command. @throws AgentToolsError */
  async nextName(): Promise<string> {
    const names = await this.#names();
    const number = Math.max(this.#last, Number.parseInt(names.at(-1) ?? '0', 10)) + 1;
    this.#last = number;
    return `${String(number).padStart(6, '0')}-${this.#id}`;
  }

  /** Writes a change, and removes the changes of the oldest commands. @throws AgentToolsError */
  async write(name: string, change: FileChange): Promise<void> {
    await rethrowForUser(async () => {
      await keepOutOfGit(this.#dataFolder);
      await makeFolder(this.#folder);
      await replaceTextFile(await readTextFile(this.#fileOf(name)), `${JSON.stringify(change)}\n`);
    }, 'The change cannot be recorded for undo');
    await this.#removeOldest().catch(() => {});
  }

  async remove(name: string): Promise<void> {
    await rm(this.#fileOf(name), { force: true });
  }

  /** Returns the readable changes, the oldest first, and a note for each unreadable one. */
  async all(): Promise<{ readonly changes: readonly RecordedChange[]; readonly notes: readonly string[] }> {
    const changes: RecordedChange[] = [];
    const notes: string[] = [];
    for (const name of await this.#names()) {
      const file = this.#fileOf(name);
      const value = await readTextFile(file).then(
        ({ text }) => parseJson(text ?? ''),
        () => undefined,
      );
      if (isFileChange(value)) changes.push({ ...value, name });
      else notes.push(`${file}, a change in the history, cannot be read, and is left out.`);
    }
    return { changes, notes };
  }

  async #removeOldest(): Promise<void> {
    const names = await this.#names();
    const kept = new Set([...new Set(names.toReversed().map(commandId))].slice(0, maxCommands));
    for (const name of names) if (!kept.has(commandId(name))) await this.remove(name);
  }

  async #names(): Promise<readonly string[]> {
    const files = await rethrowForUser(() => sortedFileNames(this.#folder), 'The history cannot be read');
    return files.flatMap((file) => changeFile.exec(file)?.[1] ?? []);
  }

  get #folder(): string {
    return path.join(this.#dataFolder, 'history');
  }

  #fileOf(name: string): string {
    if (!changeFile.test(`${name}.json`))
      throw new AgentToolsError('not-found', `There is no change ${name}.`);
    return path.join(this.#folder, `${name}.json`);
  }
}

const changeFile = /^(\d{6,}-[\da-f]{12})\.json$/;

/** Id of the command that made a change. */
export function commandId(name: string): string {
  return name.slice(name.indexOf('-') + 1);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
