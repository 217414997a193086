import { type FSWatcher, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** The folder of a package, symbolic links resolved, by the name of the package. */
export type PackageDirectories = ReadonlyMap<string, string>;

export interface PackageWatchOptions {
  /** The `node_modules` of added packages. */
  readonly packagesFolder: string;
  /** Called when a watched package has another folder. Calls do not overlap. */
  readonly onUpdate: (names: readonly string[]) => Promise<void>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/** Pause between a change in the folder and a look at it, in milliseconds: commands change several packages at once. */
const settleMs = 100;

/** Notices updates of added packages, each of which puts another link into the folder of packages. */
export class PackageWatch {
  readonly #options: PackageWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #directories: PackageDirectories = new Map();
  #isScheduled = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: PackageWatchOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Watches these packages instead of those before. Packages without a link in the folder are ignored. */
  watch(directories: PackageDirectories): void {
    this.#directories = directories;
    if (this.#options.signal.aborted) return;
    for (const name of directories.keys()) this.#open(path.dirname(this.#linkOf(name)));
  }

  #linkOf(name: string): string {
    return path.join(this.#options.packagesFolder, name);
  }

  #open(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#schedule());
      watcher.on('error', () => watcher.close());
      this.#watchers.set(folder, watcher);
      // The package may have been updated since it was read.
      this.#schedule();
    } catch {
      // The folder is missing, or the system has no watches left: the next start serves the update.
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#work = this.#work.then(async () => await this.#look()).catch(() => {});
    }, settleMs).unref();
  }

  async #look(): Promise<void> {
    const { signal, onUpdate } = this.#options;
    const updated: string[] = [];
    for (const [name, directory] of this.#directories) {
      // A removed package is served on from its folder.
      const now = await realpath(this.#linkOf(name)).catch(() => directory);
      if (now !== directory) updated.push(name);
    }
    if (updated.length > 0 && !signal.aborted) await onUpdate(updated);
  }

  #close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
