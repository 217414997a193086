import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { PlainData } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';
import type { LoadFailure } from './definition-loader.js';
import { stampPackage } from './package-stamp.js';
import { readDescription } from './read-description.js';

export interface SurfaceStoreOptions {
  /** Absolute path of the folder for records. Created if missing. */
  readonly folder: string;
  /** All dependencies of the descriptions except package and environment. */
  readonly context: readonly string[];
  /** The environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/** Format number of the records. Increase it with each change of the format. */
const format = 1;

/** Longest record of a package, in characters. */
const maxRecordLength = 8 * 1024 * 1024;

/** Time since the last write after which a record is deleted, in milliseconds. */
const maxAgeMs = 60 * 24 * 60 * 60 * 1000;

/** Delay before new descriptions are written, in milliseconds. */
const writeDelayMs = 1000;

/** Most recorded variables. A longer list counts as all variables. */
const maxNames = 500;

/** Variables that Node and the system read without `process.env`. */
const nativeNames = [
  ...['HOME', 'USERPROFILE', 'TEMP', 'TMP', 'TMPDIR'],
  ...['LANG', 'LC_ALL', 'LC_MESSAGES', 'TZ'],
  ...['NODE_OPTIONS', 'NODE_PATH'],
];

/** Descriptions of the modules of one package, by path in the package. */
interface StoredSurface {
  readonly file: string;
  readonly directory: string;
  readonly modules: Map<string, JsonValue>;
  /** Computed before any code of the package was loaded. Null: the package cannot be stamped. */
  stamp: string | null | undefined;
  /** Variables that the code of the package reads. Undefined: all. */
  names: ReadonlySet<string> | undefined;
  hasChanged: boolean;
}

/** Longest recorded reason, in characters. */
const maxFailure = 4000;

/** The reason why a module has no description. */
interface RecordedFailure extends LoadFailure {
  /** Time of the last attempt, in milliseconds since 1970. */
  readonly at: number;
}

/** Parsed JSON text. */
type JsonValue = unknown;

/**
 * Descriptions of definition modules on disk, so that a server can list its items without running the modules. A record
 * is valid while these are unchanged: the files of the package, the packages installed around it, the variables that its
 * code has read, Node, and AgentTools. Never throws: a module without a record is described again.
 */
export class SurfaceStore {
  readonly #options: SurfaceStoreOptions;
  readonly #packages = new Map<string, StoredSurface>();
  readonly #dropped = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** The last write. Resolves when nothing is being written. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SurfaceStoreOptions) {
    this.#options = options;
  }

  /** The recorded description of a module of the package in `directory`. Undefined without a valid record. */
  find(directory: string, relative: string): PlainData | undefined {
    return readDescription(this.#packageIn(directory).modules.get(relative));
  }

  /** The recorded reason why a module of the package has no description. Undefined without a valid record. */
  findFailure(directory: string, relative: string): RecordedFailure | undefined {
    const recorded = this.#packageIn(directory).modules.get(relative);
    if (!isRecord(recorded)) return undefined;
    const { failure, isFatal, isTimeout, at } = recorded;
    if (typeof failure !== 'string' || typeof at !== 'number') return undefined;
    return { failure, isFatal: isFatal === true, isTimeout: isTimeout === true, at };
  }

  /** Stamps the packages of earlier lookups. Call it before the host loads their code. */
  stamp(): void {
    for (const surface of this.#packages.values()) this.#stampOf(surface);
  }

  /** Records the description of a module that a host has sent. */
  add(directory: string, relative: string, sent: unknown): void {
    const surface = this.#packageIn(directory);
    if (this.#dropped.has(path.join(directory, relative)) || !isRecord(sent) || !surface.stamp) return;
    const { value, faults, env } = sent;
    surface.modules.set(relative, { value, faults });
    surface.names = unionOrAll(surface.names, parseVariableNames(env));
    this.#noteChange(surface);
  }

  /**
   * Records the reason why a module has no description. `env`: the variables that the module read, as sent by a host, if
   * known.
   */
  addFailure(
    directory: string,
    relative: string,
    { failure, isFatal, isTimeout = false, env }: LoadFailure & { readonly env?: unknown },
  ): void {
    const surface = this.#packageIn(directory);
    if (this.#dropped.has(path.join(directory, relative)) || !surface.stamp) return;
    const kept = failure.slice(0, maxFailure);
    surface.modules.set(relative, {
      failure: kept,
      isFatal,
      ...(isTimeout && { isTimeout }),
      at: Date.now(),
    });
    if (env !== undefined) surface.names = unionOrAll(surface.names, parseVariableNames(env));
    this.#noteChange(surface);
  }

  /** True if the record of a module equals its current description. */
  isRecordOf(directory: string, relative: string, sent: unknown): boolean {
    const recorded = this.#packageIn(directory).modules.get(relative);
    return isRecord(recorded) && isRecord(sent) && serializeContent(recorded) === serializeContent(sent);
  }

  /** Drops the description of a module, and records no other one in this process. */
  drop(directory: string, relative: string): void {
    const surface = this.#packageIn(directory);
    surface.modules.delete(relative);
    this.#dropped.add(path.join(directory, relative));
    this.#noteChange(surface);
  }

  /** Writes pending changes. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A write that the timer has begun must end before the process does.
    this.#writing = this.#writing.then(async () => await this.#writeChanged());
    await this.#writing;
  }

  async #writeChanged(): Promise<void> {
    const changed = [...this.#packages.values()].filter(({ hasChanged }) => hasChanged);
    if (changed.length === 0) return;
    for (const surface of changed) surface.hasChanged = false;
    await Promise.all(changed.map(async (surface) => await this.#write(surface)));
    await this.#prune();
  }

  #packageIn(directory: string): StoredSurface {
    const known = this.#packages.get(directory);
    if (known) return known;
    const { folder, context } = this.#options;
    const name = hashParts([directory, ...context]).slice(0, 32);
    const surface: StoredSurface = {
      file: path.join(folder, `${name}.json`),
      directory,
      modules: new Map(),
      stamp: undefined,
      names: new Set(),
      hasChanged: false,
    };
    this.#packages.set(directory, surface);
    this.#read(surface);
    return surface;
  }

  #read(surface: StoredSurface): void {
    const kept = readSurfaceFile(surface.file);
    if (!isRecord(kept) || kept.format !== format || !isRecord(kept.modules)) return;
    const { stamp, names, salt, variables, modules } = kept;
    const namesRead = parseVariableNames(names);
    if (typeof salt !== 'string' || this.#hashVariables(namesRead, salt) !== variables) return;
    // The stamp is the slowest check, so it comes last.
    if (stamp !== this.#stampOf(surface)) return;
    surface.names = namesRead;
    for (const [relative, module] of Object.entries(modules)) surface.modules.set(relative, module);
  }

  #stampOf(surface: StoredSurface): string | null {
    if (surface.stamp !== undefined) return surface.stamp;
    const stamp = stampPackage(surface.directory);
    surface.stamp = stamp === undefined ? null : hashParts([stamp]);
    return surface.stamp;
  }

  /** Values may be secrets and short, so each record has its own salt. */
  #hashVariables(names: ReadonlySet<string> | undefined, salt: string): string {
    const { env, platform } = this.#options;
    const ignoresCase = platform === 'win32';
    const spelled = (name: string) => (ignoresCase ? name.toUpperCase() : name);
    const values = new Map(Object.entries(env).map(([name, value]) => [spelled(name), value]));
    const listed = [...new Set([...(names ?? values.keys()), ...nativeNames].map(spelled))].sort();
    return hashParts([salt, ...listed.flatMap((name) => [name, values.get(name) ?? null])]);
  }

  #noteChange(surface: StoredSurface): void {
    surface.hasChanged = true;
    this.#timer ??= setTimeout(() => void this.flush(), writeDelayMs).unref();
  }

  async #write({ file, modules, names, stamp }: StoredSurface): Promise<void> {
    try {
      // Most starts write nothing.
      const [{ replaceTextFile }, { readTextFile }] = await Promise.all([
        import('../base/files/replace.js'),
        import('../base/files/text-file.js'),
      ]);
      const salt = randomBytes(16).toString('hex');
      const variables = this.#hashVariables(names, salt);
      const listed = names ? [...names] : null;
      const record = { format, stamp, names: listed, salt, variables, modules: Object.fromEntries(modules) };
      const text = JSON.stringify(record);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const before = await readTextFile(file);
      const isKept = modules.size > 0 && text.length <= maxRecordLength;
      await replaceTextFile(before, isKept ? text : null);
    } catch {
      // A failed cache write is harmless.
    }
  }

  async #prune(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => /^[0-9a-f]{32}\.json$/.test(one))) {
      const file = path.join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (stats && Date.now() - stats.mtimeMs > maxAgeMs) await rm(file, { force: true }).catch(() => {});
    }
  }
}

function readSurfaceFile(file: string): JsonValue {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length <= maxRecordLength ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Names of variables that code has read. Undefined means all; also if the list is unreadable or too long. */
function parseVariableNames(value: unknown): ReadonlySet<string> | undefined {
  const isList = Array.isArray(value) && value.length <= maxNames;
  return isList && value.every((name) => typeof name === 'string') ? new Set(value) : undefined;
}

function unionOrAll(
  some: ReadonlySet<string> | undefined,
  more: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return some && more && new Set([...some, ...more]);
}

function serializeContent({ value, faults, failure }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([value, faults, failure]);
}

function hashParts(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
