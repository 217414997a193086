import { createHash } from 'node:crypto';
import path from 'node:path';
import { readTextFileSync, statFile } from '../base/files/disk.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString, isStringList } from '../base/value-checks.js';
import type { UpstreamInfo } from './upstream.js';

/** Facts about an upstream server at its last start. */
export interface UpstreamRecord {
  readonly title: string;
  /** Its serverInfo. */
  readonly info?: UpstreamInfo;
  readonly instructions?: string;
  /** Names of its tools and prompts, and the names and URIs of its resources. */
  readonly names: Readonly<Record<'tools' | 'prompts' | 'resources', readonly string[]>>;
  /** Absent if it has none. */
  readonly hasSkills?: true;
}

/** Version of the file format. Files of newer versions are neither read nor replaced. */
const version = 1;

/** Largest record that is read, in bytes. */
const maxBytes = 5 * 1024 * 1024;

/** Records of upstream servers in the data folder, by the keys of the servers. */
export class UpstreamRecords {
  readonly #folder: string;
  readonly #known = new Map<string, UpstreamRecord | undefined>();
  /** Resolves when the last record is written. */
  #writing: Promise<void> = Promise.resolve();

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'upstreams');
  }

  #fileOf(key: string): string {
    // Keys may contain text that looks like a secret.
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    return path.join(this.#folder, `${name}.json`);
  }

  /** The record of a server, read once; undefined without a record. */
  read(key: string): UpstreamRecord | undefined {
    if (!this.#known.has(key)) this.#known.set(key, readRecord(this.#fileOf(key)));
    return this.#known.get(key);
  }

  /** Resolves when all records are written. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** Writes a changed record. Never rejects: without records, only the first instructions are missing. */
  async write(key: string, record: UpstreamRecord): Promise<void> {
    if (JSON.stringify(this.read(key)) === JSON.stringify(record)) return;
    this.#known.set(key, record);
    this.#writing = this.#writing.then(async () => {
      try {
        const before = await readTextFile(this.#fileOf(key), { maxBytes });
        if (before.text !== null && versionOf(before.text) > version) return;
        await replaceTextFile(before, `${JSON.stringify({ version, ...record })}\n`);
      } catch {
        // The data folder may be read-only.
      }
    });
    await this.#writing;
  }
}

function versionOf(text: string): number {
  try {
    return Number((JSON.parse(text) as { readonly version?: unknown }).version) || 0;
  } catch {
    return 0;
  }
}

function readRecord(file: string): UpstreamRecord | undefined {
  try {
    const stats = statFile(file);
    if (!stats?.isFile() || stats.size > maxBytes) return undefined;
    const record: unknown = JSON.parse(readTextFileSync(file));
    if (!isRecord(record) || record.version !== version || typeof record.title !== 'string') return undefined;
    const { title, info, instructions, names, hasSkills } = record;
    const list = (kind: string) => (isRecord(names) && isStringList(names[kind]) ? names[kind] : []);
    return {
      title,
      ...(isServerInfo(info) && { info }),
      ...(typeof instructions === 'string' && { instructions }),
      names: { tools: list('tools'), prompts: list('prompts'), resources: list('resources') },
      ...(hasSkills === true && { hasSkills }),
    };
  } catch {
    return undefined;
  }
}

function isServerInfo(info: unknown): info is UpstreamInfo {
  return isRecord(info) && isString(info.name) && isString(info.version);
}
