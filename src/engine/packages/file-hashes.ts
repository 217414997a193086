import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { eachOf } from '../bounded.js';

/** How many files are read at once. */
const filesAtOnce = 8;

/** SHA-256 of the files below a folder, by their paths with `/`, in order. Of a link it is where it leads to that counts. */
export async function hashesIn(
  folder: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<readonly (readonly [file: string, hash: string])[]> {
  const hashes: [string, string][] = [];
  await eachOf(
    await readdir(folder, { recursive: true, withFileTypes: true }),
    filesAtOnce,
    async (entry) => {
      const target = path.join(entry.parentPath, entry.name);
      const file = path.relative(folder, target).split(path.sep).join('/');
      if (!isWanted(file)) return;
      if (entry.isSymbolicLink()) hashes.push([file, hashOf(`link to ${await readlink(target)}`)]);
      else if (entry.isFile()) hashes.push([file, await hashOfFile(target)]);
    },
  );
  return hashes.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** SHA-256 of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('base64');
}
