import path from 'node:path';

/** The folder and the folders above it, nearest first. */
export function ancestorFolders(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestorFolders(above)];
}
