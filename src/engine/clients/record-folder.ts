import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { FileAccessError } from '../base/files/file-error.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';

/** Names of the files in a folder, sorted; empty if the folder is missing. */
export async function sortedFileNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Creates a folder that only its owner may read. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Records may hold secrets, and the folder may be moved into a repository. */
export async function keepOutOfGit(folder: string): Promise<void> {
  await makeFolder(folder);
  const ignore = await readTextFile(path.join(folder, '.gitignore'));
  if (ignore.text === null) await replaceTextFile(ignore, '*\n');
}

/** Runs an action on AgentTools' files. Reports file errors as errors that the user can act on. */
export async function rethrowForUser<T>(action: () => Promise<T>, fault: string): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const isOfFiles = error instanceof FileAccessError || (error instanceof Error && 'syscall' in error);
    if (!isOfFiles) throw error;
    throw new AgentToolsError('refused', `${fault}: ${error.message}`, { cause: error });
  }
}
