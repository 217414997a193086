/** Replaces `engine/base/files/disk.ts` on platforms without files: nothing is found. */
export function statFile(): undefined {
  return undefined;
}

export function findRealPath(): undefined {
  return undefined;
}

export function listFolderNames(): undefined {
  return undefined;
}

export function listFolders(): readonly string[] {
  return [];
}

export function readTextFileSync(): never {
  throw Object.assign(new Error('There are no files on this platform.'), { code: 'ENOENT' });
}
