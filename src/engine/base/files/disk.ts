import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';

// Synchronous: the files of an extension are small and local, and a trip through the thread pool takes ten times as
// long as the system call.

/** The stats of a path; undefined if it does not exist or cannot be read. */
export function statFile(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Path without symbolic links; undefined if it does not exist. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Names in a folder; undefined if it cannot be read. */
export function listFolderNames(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** Names of the folders in a folder, without links to folders; empty if it cannot be read. */
export function listFolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Text of a file in UTF-8. @throws the error of Node */
export function readTextFileSync(path: string): string {
  return readFileSync(path, 'utf8');
}
