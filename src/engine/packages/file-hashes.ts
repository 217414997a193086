import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { guardRead } from '../base/file-fault.js';

/** Number of files read in parallel. */
const filesAtOnce = 8;

/**
 * SHA-256 of the files below a folder, sorted by path with `/`. For a link, the hash covers its target path.
 * @throws AgentToolsError that names the unreadable file.
 */
export async function hashFiles(
  folder: string,
  isWanted: (file: string) => boolean = () => true,
): Promise<readonly (readonly [file: string, hash: string])[]> {
  const hashes: [string, string][] = [];
  const entries = await readOrExplain(folder, () =>
    readdir(folder, { recursive: true, withFileTypes: true }),
  );
  await forEachLimited(entries, filesAtOnce, async (entry) => {
    const target = path.join(entry.parentPath, entry.name);
    const file = path.relative(folder, target).split(path.sep).join('/');
    if (!isWanted(file)) return;
    if (entry.isSymbolicLink())
      hashes.push([file, hashBase64(`link to ${await readOrExplain(target, () => readlink(target))}`)]);
    else if (entry.isFile()) hashes.push([file, await readOrExplain(target, () => hashOfFile(target))]);
  });
  return hashes.sort(([one], [other]) => (one < other ? -1 : 1));
}

async function readOrExplain<T>(target: string, action: () => Promise<T>): Promise<T> {
  return await guardRead(target, () => action().catch(rethrowClearer));
}

/** A name that is not UTF-8 no longer resolves after decoding. */
function rethrowClearer(error: NodeJS.ErrnoException): never {
  const { path: file = '' } = error;
  if (error.code !== 'ENOENT' || !file.includes('\uFFFD')) throw error;
  throw new AgentToolsError('refused', `${file} cannot be read: its name is not UTF-8.`, { cause: error });
}

/** SHA-256 of a text, in base64. */
export function hashBase64(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('base64');
}
