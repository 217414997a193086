import { createHash } from 'node:crypto';
import { watch } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ExistingServer } from './existing-server.js';

/** Version of the file format. */
const version = 1;

/** Largest record that is read, in bytes. */
const maxBytes = 5 * 1024 * 1024;

/** Looked-up servers in the data folder, by their references. The callers hide secrets before. Only the user can read the files. */
export class ExistingRecords {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'existing-servers');
  }

  #fileOf(reference: string): string {
    const name = createHash('sha256').update(reference).digest('hex').slice(0, 32);
    return path.join(this.#folder, `${name}.json`);
  }

  /**
   * The server of a reference at its last lookup; undefined without a valid record.
   * @throws AgentToolsError if a newer AgentTools wrote the record
   */
  async read(reference: string): Promise<ExistingServer | undefined> {
    const { server } = (await this.#record(reference)) ?? {};
    const isServer = isRecord(server) && isString(server.reference) && isRecord(server.template);
    return isServer ? (server as unknown as ExistingServer) : undefined;
  }

  /** Reference of the version that took the place of a server in all entries; undefined if none did. @throws as {@link read} */
  async successor(reference: string): Promise<string | undefined> {
    const { next } = (await this.#record(reference)) ?? {};
    return isString(next) ? next : undefined;
  }

  async #record(reference: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const file = this.#fileOf(reference);
    const record = await readTextFile(file, { maxBytes })
      .then(({ text }): unknown => JSON.parse(text ?? 'null'))
      .catch(() => undefined);
    if (!isRecord(record) || record.asked !== reference) return undefined;
    if (Number(record.version) > version) {
      const message = `${file} was written by a newer version of AgentTools. Update AgentTools, or delete the file.`;
      throw new AgentToolsError('refused', message);
    }
    return record;
  }

  /** Records that another version took the place of a server in all entries. Never rejects: sessions then keep theirs. */
  async supersede(reference: string, next: string): Promise<void> {
    const server = await this.read(reference).catch(() => undefined);
    if (server) await this.#write(reference, { server, next });
  }

  /** Calls `onChange` after changes in the folder, until `signal` aborts. Best effort: some systems notify of none. */
  watch(onChange: () => void, signal: AbortSignal): void {
    try {
      watch(this.#folder, { persistent: false, signal }, onChange).on('error', () => {});
    } catch {
      // The folder is missing, or the system has no watches left.
    }
  }

  /** Removes the record of an exact reference. Never rejects. */
  async remove(reference: string): Promise<void> {
    await rm(this.#fileOf(reference), { force: true }).catch(() => undefined);
  }

  /** Records the server of a reference, also under its exact reference. Never rejects: the next start looks it up again. */
  async write(reference: string, server: ExistingServer): Promise<void> {
    for (const asked of new Set([reference, server.reference])) await this.#write(asked, { server });
  }

  async #write(
    asked: string,
    record: { readonly server: ExistingServer; readonly next?: string },
  ): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const before = await readTextFile(this.#fileOf(asked), { maxBytes });
      const text = `${JSON.stringify({ version, asked, ...record })}\n`;
      if (before.text !== text) await replaceTextFile(before, text);
    } catch {
      // The data folder may be read-only.
    }
  }
}

/** Key of an existing server in the records of upstream servers. */
export function upstreamRecordKey({
  reference,
  content,
}: Pick<ExistingServer, 'reference' | 'content'>): string {
  // A file may change without another reference.
  return JSON.stringify(['existing', reference, ...(content ? [content.sha256] : [])]);
}
