import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { RecentTexts } from './edit/recent.js';
import { History } from './history.js';
import type { FileRecord } from './receipt.js';
import { isFileRecord } from './receipt-shapes.js';
import { keepOutOfGit, makeFolder, rethrowForUser, sortedFileNames } from './record-folder.js';

/** Number of earlier texts that are kept of each config file. */
const maxPrevious = 5;

/**
 * Store of the records of config files, in the AgentTools data folder. Only its owner may read it: entries
 * hold secrets.
 */
export class Receipts {
  readonly #folder: string;
  /** Changes that this command and earlier ones made. */
  readonly history: History;

  /** `command`: name of the command that runs, for the history. */
  constructor({
    folder,
    command = 'agenttools',
  }: { readonly folder: string; readonly command?: string | undefined }) {
    this.#folder = folder;
    this.history = new History({ folder, command });
  }

  /**
   * Returns the record of a config file; empty for an unknown file.
   * @throws AgentToolsError if the record cannot be read. A record is never dropped: its entries would become
   * foreign.
   */
  async read(realFile: string): Promise<FileRecord> {
    const file = this.#recordFileOf(realFile);
    const record = await rethrowForUser(() => readRecord(file), `The record of ${realFile} cannot be read`);
    return record ?? { version: 1, realFile, receipts: [], steps: [], made: [] };
  }

  /** Writes a record, or deletes an empty one. @throws AgentToolsError */
  async write(record: FileRecord): Promise<void> {
    const { realFile, receipts, steps, intent } = record;
    const isEmpty = receipts.length === 0 && steps.length === 0 && intent === undefined;
    const text = isEmpty ? null : `${JSON.stringify(record, undefined, 2)}\n`;
    await rethrowForUser(async () => {
      const file = this.#recordFileOf(realFile);
      if (!isEmpty) {
        await keepOutOfGit(this.#folder);
        await makeFolder(path.dirname(file));
      }
      await replaceTextFile(await readTextFile(file), text);
    }, `The record of ${realFile} cannot be written`);
  }

  /** Returns every readable record, and a note for each unreadable one. */
  async all(): Promise<{ readonly records: readonly FileRecord[]; readonly notes: readonly string[] }> {
    const folder = this.#recordFolder;
    const names = await rethrowForUser(
      () => sortedFileNames(folder),
      'The records of installed servers cannot be read',
    );
    const records: FileRecord[] = [];
    const notes: string[] = [];
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      try {
        const record = await rethrowForUser(
          () => readRecord(path.join(folder, name)),
          'The records of installed servers cannot be read',
        );
        if (record !== undefined) records.push(record);
      } catch (error) {
        if (!(error instanceof AgentToolsError)) throw error;
        notes.push(error.message);
      }
    }
    return { records: records.sort((one, other) => (one.realFile < other.realFile ? -1 : 1)), notes };
  }

  /**
   * Keeps the text of a config file before a change; only the last texts of each file. @throws
   * AgentToolsError
   */
  async keepPrevious(realFile: string, text: string): Promise<void> {
    const folder = path.join(this.#folder, 'previous', hashText(realFile));
    await rethrowForUser(async () => {
      await keepOutOfGit(this.#folder);
      await makeFolder(folder);
      const names = (await sortedFileNames(folder)).filter((name) => previousName.test(name));
      const last = names.at(-1);
      if (last !== undefined && (await readTextFile(path.join(folder, last))).text === text) return;
      const number = last === undefined ? 1 : Number.parseInt(last, 10) + 1;
      const name = `${String(number).padStart(6, '0')}-${path.basename(realFile)}`;
      await replaceTextFile(await readTextFile(path.join(folder, name)), text);
      for (const old of [...names, name].slice(0, -maxPrevious))
        await rm(path.join(folder, old), { force: true });
    }, `The current text of ${realFile} cannot be kept`);
  }

  /** Lock file for changes of a config file and its record. */
  lockFileOf(realFile: string): string {
    return path.join(this.#folder, 'locks', `${hashText(realFile)}.lock`);
  }

  get #recordFolder(): string {
    return path.join(this.#folder, 'receipts');
  }

  #recordFileOf(realFile: string): string {
    return path.join(this.#recordFolder, `${hashText(realFile)}.json`);
  }
}

/** SHA-256 in hexadecimal. */
export function hashText(text: string): string {
  return hashes.get(text, () => createHash('sha256').update(text).digest('hex'));
}

const hashes = new RecentTexts<string>(8);

/** Numbers instead of times, since clocks go back. */
const previousName = /^\d{6,}-/;

async function readRecord(file: string): Promise<FileRecord | undefined> {
  const { text } = await readTextFile(file);
  if (text === null) return undefined;
  const value = parseReceiptJson(text);
  if (isFileRecord(value) && path.basename(file) === `${hashText(value.realFile)}.json`) return value;
  if (isNewer(value)) {
    const message = `${file} was written by a newer version of AgentTools. Update AgentTools.`;
    throw new AgentToolsError('refused', message);
  }
  const message = `${file}, a record of what was installed, is damaged. Repair it, or move it away: AgentTools then treats the entries in it as foreign.`;
  throw new AgentToolsError('refused', message);
}

function parseReceiptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNewer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('version' in value)) return false;
  return typeof value.version === 'number' && value.version > 1;
}
