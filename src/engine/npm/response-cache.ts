import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withoutUserinfo } from './without-userinfo.js';

/** A registry response with its validators. Contains no data about the client. */
export interface CachedResponse {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly body: Buffer;
}

/** Cached response for a URL; undefined if there is no valid one. */
export async function readAnswer(folder: string, address: string): Promise<CachedResponse | undefined> {
  try {
    const bytes = await readFile(cacheFilePath(folder, address));
    const end = bytes.indexOf('\n');
    const { etag, lastModified } = JSON.parse(bytes.toString('utf8', 0, end)) as Partial<CachedResponse>;
    if (!isTag(etag) || !isTag(lastModified)) return undefined;
    return { etag, lastModified, body: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/**
 * Caches a response, readable by the user only. Best effort: without the cache, the registry is asked again.
 */
export async function cacheResponse(folder: string, address: string, answer: CachedResponse): Promise<void> {
  const { body, ...tags } = answer;
  const file = cacheFilePath(folder, address);
  const temporary = `${file}.${randomUUID()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(tags)}\n`), body]), {
      mode: 0o600,
    });
    await rename(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Hashes the URL, since URLs may contain private data and file names are visible. */
function cacheFilePath(folder: string, address: string): string {
  return path.join(folder, createHash('sha256').update(withoutUserinfo(address)).digest('hex'));
}

function isTag(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
