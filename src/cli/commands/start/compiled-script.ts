import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import vm from 'node:vm';

/** Number of cache files of other scripts and Node versions that are kept. */
const keptFiles = 7;

interface ScriptFile {
  /** Absolute path, for stack traces. */
  readonly file: string;
  /** An expression that evaluates to a function. */
  readonly source: string;
  /**
   * Absolute path. The name must identify the source and the Node version: V8 compares only the length of the
   * source.
   */
  readonly cacheFile?: string;
}

/**
 * A script with a V8 code cache on disk. Node's own compile cache exists from 22.8 on and lacks functions
 * compiled at their first call; this cache includes the functions that ran before `keep`.
 */
export class CompiledScript {
  readonly #script: vm.Script;
  readonly #cacheFile: string | undefined;
  #isKept: boolean;

  constructor({ file, source, cacheFile }: ScriptFile) {
    const cachedData = cacheFile && readCode(cacheFile);
    this.#script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
    this.#cacheFile = cacheFile;
    // V8 rejects a cache of another V8 version, other flags or another processor.
    this.#isKept = Boolean(cachedData) && !this.#script.cachedDataRejected;
  }

  /** Evaluates the script and calls the function that it returns. */
  run(...values: readonly unknown[]): unknown {
    return this.#script.runInThisContext()(...values);
  }

  /** Writes the code compiled so far, once. Best effort: without the cache, the next start takes longer. */
  keep(): void {
    if (this.#isKept || this.#cacheFile === undefined) return;
    this.#isKept = true;
    try {
      writeCode(this.#cacheFile, this.#script.createCachedData());
      removeOldFiles(path.dirname(this.#cacheFile));
    } catch {
      // The folder is not writable.
    }
  }
}

/**
 * Writes the code to its file twice. V8 runs damaged code, which can crash the process. Comparing two copies
 * is faster than any checksum of Node.
 */
function writeCode(file: string, code: Buffer): void {
  const partial = `${file}.${process.pid}`;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(partial, Buffer.concat([code, code]), { mode: 0o600 });
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

function readCode(file: string): Buffer | undefined {
  try {
    const twice = readFileSync(file);
    const code = twice.subarray(0, twice.length / 2);
    return code.equals(twice.subarray(code.length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the newest files: several versions of Node and AgentTools may be in use. */
function removeOldFiles(folder: string): void {
  const files = readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    return { file, changedMs: statSync(file).mtimeMs };
  });
  files.sort((one, other) => other.changedMs - one.changedMs);
  for (const { file } of files.slice(keptFiles + 1)) rmSync(file, { force: true });
}
