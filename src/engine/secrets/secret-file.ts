import { chmod, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { AgentToolsError } from '../base/errors.js';
import { guardRead, guardWrite } from '../base/file-fault.js';
import { systemErrorCode } from '../base/files/file-error.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile, type TextFile } from '../base/files/text-file.js';
import { isRecord, isString } from '../base/value-checks.js';

/** Version of the file format. */
const version = 1;

/** One secret: its encrypted value if a keychain holds the key, otherwise the plain value. */
export type SecretRecord = { readonly changed: string } & (
  | { readonly sealed: string }
  | { readonly value: string }
);

/** Content of a secret file. */
export interface SecretFileContent {
  /** Account of the key in the keychain of the system. */
  readonly keyAccount?: string;
  readonly secrets: ReadonlyMap<string, SecretRecord>;
}

/** A file that only its owner can read. */
export class SecretFile {
  readonly #file: string;
  readonly #warn: (note: string) => void;

  constructor(file: string, warn: (note: string) => void) {
    this.#file = file;
    this.#warn = warn;
  }

  /** @throws AgentToolsError if the file belongs to another user, is a link, or is damaged or newer */
  async read(): Promise<SecretFileContent> {
    return this.#parse(await this.#readText());
  }

  /**
   * Replaces the content, computed from the present one; writes nothing if it is the same object. Call it
   * under a lock. @throws AgentToolsError
   */
  async change(next: (before: SecretFileContent) => Promise<SecretFileContent>): Promise<void> {
    const folder = path.dirname(this.#file);
    await guardWrite(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
    const before = await this.#readText();
    const present = this.#parse(before);
    const changed = await next(present);
    if (changed === present) return;
    const { keyAccount, secrets } = changed;
    const record = { version, ...(keyAccount && { keyAccount }), secrets: Object.fromEntries(secrets) };
    await guardWrite(this.#file, () => replaceTextFile(before, `${JSON.stringify(record, undefined, 1)}\n`));
  }

  async #readText(): Promise<TextFile> {
    await this.#protect(path.dirname(this.#file), 0o700);
    await this.#protect(this.#file, 0o600);
    return await guardRead(this.#file, () => readTextFile(this.#file));
  }

  /** Takes access to a file or folder from other users. */
  async #protect(place: string, mode: number): Promise<void> {
    const info = await guardRead(place, () =>
      lstat(place).catch((error: unknown) => {
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        throw error;
      }),
    );
    if (info === undefined) return;
    if (info.isSymbolicLink()) throw refusal(`${place} holds secrets and is a link.`, 'Remove the link');
    const user = process.geteuid?.();
    if (user === undefined) return;
    if (info.uid !== user) {
      const advice = 'Run the command as that user, or move the file away';
      throw refusal(`${place} holds secrets and belongs to another user.`, advice);
    }
    if ((info.mode & 0o077) === 0) return;
    await guardWrite(place, () => chmod(place, mode));
    const bits = (info.mode & 0o777).toString(8).padStart(4, '0');
    this.#warn(
      `${place} holds secrets, and other users had access to it (mode ${bits}). Only you have access now. If others use this machine, replace the secrets at their services.`,
    );
  }

  #parse({ text }: TextFile): SecretFileContent {
    if (text === null) return { secrets: new Map() };
    const record = parseJson(text);
    if (isRecord(record) && typeof record.version === 'number' && record.version > version)
      throw refusal(`${this.#file} was written by a newer version of AgentTools.`, 'Update AgentTools');
    const content = isRecord(record) ? readContent(record) : undefined;
    if (content) return content;
    throw refusal(`${this.#file}, the file of your secrets, is damaged.`, 'Repair it, or move it away');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readContent({ version: format, keyAccount, secrets }: Record<string, unknown>) {
  if (format !== version || !isRecord(secrets)) return undefined;
  if (keyAccount !== undefined && !isString(keyAccount)) return undefined;
  const entries = Object.entries(secrets);
  if (!entries.every(([, record]) => isSecretRecord(record))) return undefined;
  return { ...(keyAccount && { keyAccount }), secrets: new Map(entries as [string, SecretRecord][]) };
}

function isSecretRecord(record: unknown): boolean {
  return isRecord(record) && isString(record.changed) && (isString(record.sealed) || isString(record.value));
}

function refusal(fault: string, advice: string): AgentToolsError {
  return new AgentToolsError('refused', `${fault} ${advice}.`);
}
