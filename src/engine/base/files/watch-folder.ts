import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { statFile } from './disk.js';

/** Changed files, relative to the folder with `/`. Empty if the system does not name them. */
export type ChangedFiles = ReadonlySet<string>;

export interface WatchFolderOptions {
  /** Milliseconds within which changes count as one: an editor writes a file in several steps. Default: 120. */
  readonly debounceMs?: number;
  /** Selects the changes that count, by file. Default: all. */
  readonly counts?: (file: string) => boolean;
}

/** Limit of watched folders, above the size of a hand-written extension. Further ones are not watched. */
const maxWatchedFolders = 500;

/**
 * Reports changes in a folder and below it; several changes at once are one. Ignores installed packages,
 * names with a leading dot, and logs, which a server may write itself. Returns the function that stops the
 * watch, once all existing folders are watched.
 */
export async function watchFolder(
  directory: string,
  onChange: (files: ChangedFiles) => void,
  { debounceMs = 120, counts = () => true }: WatchFolderOptions = {},
): Promise<() => void> {
  const watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let timer: NodeJS.Timeout | undefined;
  let files = new Set<string>();
  let isClosed = false;

  const forget = (folder: string) => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  /** The same name may be a new folder, with another inode. */
  const follow = async (folder: string): Promise<void> => {
    const inode = (await stat(folder).catch(() => undefined))?.ino;
    if (isClosed) return;
    if (watched.get(folder)?.inode !== inode) forget(folder);
    if (inode === undefined) return;
    if (!watched.has(folder) && !begin(folder, inode)) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const folders = entries.filter((entry) => entry.isDirectory() && isWatched(entry.name));
    await Promise.all(folders.map(({ name }) => follow(path.join(folder, name))));
  };
  const begin = (folder: string, inode: number): boolean => {
    if (watched.size >= maxWatchedFolders) return false;
    try {
      const watcher = watch(folder, (_, file) => {
        if (file !== null && !isWatched(file)) return;
        const relative = path
          .relative(directory, path.join(folder, file ?? ''))
          .split(path.sep)
          .join('/');
        // A new folder has to be watched, too.
        if (file === null) changed();
        else if (counts(relative) || statFile(path.join(folder, file))?.isDirectory()) changed(relative);
      });
      watcher.on('error', () => forget(folder));
      watched.set(folder, { inode, watcher });
      return true;
    } catch {
      // The folder is gone again, or the system limit of watches is reached.
      return false;
    }
  };
  const tell = async () => {
    const told = files;
    files = new Set();
    await follow(directory);
    if (!isClosed) onChange(told);
  };
  const changed = (file?: string) => {
    if (file !== undefined) files.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => void tell(), debounceMs);
  };

  await follow(directory);
  return () => {
    isClosed = true;
    clearTimeout(timer);
    for (const folder of [...watched.keys()]) forget(folder);
  };
}

/** True if a change of a file or folder with this name counts. */
export function isWatched(name: string): boolean {
  return name !== 'node_modules' && !name.startsWith('.') && !/(?:\.log|~|\.tmp)$/.test(name);
}
