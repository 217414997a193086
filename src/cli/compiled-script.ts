import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import vm from 'node:vm';

/** Files of other scripts and Nodes that stay beside a new one. */
const keptFiles = 7;

interface ScriptFile {
  /** Absolute path, for stacks. */
  readonly file: string;
  /** An expression whose value is a function. */
  readonly source: string;
  /** Absolute path. Its name must stand for the source and the Node: V8 compares only the length of the source. */
  readonly cacheFile?: string;
}

/**
 * A script that V8 need not compile if it did so in an earlier process. Node's own cache of compiled code exists from
 * 22.8 on and lacks the functions that are compiled at their first call; this one has those that ran before `keep`.
 */
export class CompiledScript {
  readonly #script: vm.Script;
  readonly #cacheFile: string | undefined;
  #isKept: boolean;

  constructor({ file, source, cacheFile }: ScriptFile) {
    const cachedData = cacheFile && readCode(cacheFile);
    this.#script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
    this.#cacheFile = cacheFile;
    // V8 rejects code of other V8 versions, flags and processors.
    this.#isKept = Boolean(cachedData) && !this.#script.cachedDataRejected;
  }

  /** Evaluates the script, and calls the function that is its value. */
  run(...values: readonly unknown[]): unknown {
    return this.#script.runInThisContext()(...values);
  }

  /** Writes the code that is compiled by now, once. Best effort: without it, the next start takes longer. */
  keep(): void {
    if (this.#isKept || this.#cacheFile === undefined) return;
    this.#isKept = true;
    try {
      writeCode(this.#cacheFile, this.#script.createCachedData());
      removeOldFiles(path.dirname(this.#cacheFile));
    } catch {
      // The folder cannot be written to.
    }
  }
}

/**
 * The code is in its file twice. V8 runs damaged code, which can crash the process, and no checksum of Node is as fast
 * as the comparison.
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

/** The latest files stay: several versions of Node and AgentTools may be in use. */
function removeOldFiles(folder: string): void {
  const files = readdirSync(folder).map((name) => {
    const file = path.join(folder, name);
    return { file, changedMs: statSync(file).mtimeMs };
  });
  files.sort((one, other) => other.changedMs - one.changedMs);
  for (const { file } of files.slice(keptFiles + 1)) rmSync(file, { force: true });
}
