import path from 'node:path';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { statFile } from '../base/files/disk.js';

/** True if a folder, or a folder above it within its git repository, has a `tsconfig.json`. */
export function findTypeScript(directory: string): boolean {
  for (const folder of ancestorFolders(directory)) {
    if (statFile(path.join(folder, 'tsconfig.json'))) return true;
    if (statFile(path.join(folder, '.git'))) return false;
  }
  return false;
}
