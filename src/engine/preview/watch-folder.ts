import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Milliseconds within which changes count as one: an editor writes a file in several steps. */
const debounceMs = 120;

/** Limit of watched folders, above the size of a hand-written extension. Further ones are not watched. */
const maxWatchedFolders = 500;

/**
 * Reports changes in a folder and below it; several changes at once are one. Ignores installed packages,
 * names with a leading dot, and logs, which a server may write itself. Returns the function that stops the
 * watch, once all existing folders are watched.
 */
export async function watchFolder(directory: string, onChange: () => void): Promise<() => void> {
  const watched = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let timer: NodeJS.Timeout | undefined;
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
        if (file === null || isWatched(file)) changed();
      });
      watcher.on('error', () => forget(folder));
      watched.set(folder, { inode, watcher });
      return true;
    } catch {
      // The folder is gone again, or the system limit of watches is reached.
      return false;
    }
  };
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void follow(directory).then(() => isClosed || onChange()), debounceMs);
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
