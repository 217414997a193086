/** Stands for `engine/files/disk.ts` where there are no files: none is found. */
export function fileAt(): undefined {
  return undefined;
}

export function realPathOf(): undefined {
  return undefined;
}

export function namesIn(): undefined {
  return undefined;
}

export function foldersIn(): readonly string[] {
  return [];
}

export function textOf(): never {
  throw Object.assign(new Error('There are no files on this platform.'), { code: 'ENOENT' });
}
