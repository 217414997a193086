import { link, mkdir, open, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ConcurrentChangeError, FileAccessError, systemErrorCode, writingRefusal } from './file-error.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { removeStaleTemporaries, temporaryFile } from './temporary.js';
import { checkWritable, readTextFile, type TextFile } from './text-file.js';

/** Initial mode of files, which may hold secrets. */
const newMode = 0o600;

/**
 * Replaces the text of a file atomically: at any time, also after a crash, the file holds the old text or the
 * new one. Keeps links, permissions and, if possible, the owner; creates folders. Null deletes the file that
 * a link points to, and keeps the link.
 * @throws ConcurrentChangeError if the file no longer matches `before`.
 * @throws FileAccessError if the file cannot be written. The file is unchanged, unless the reason is
 *   `not-kept`.
 */
export async function replaceTextFile(before: TextFile, text: string | null): Promise<void> {
  if (text === before.text) return;
  await checkWritable(before);
  try {
    if (text === null) await removeFile(before);
    else await writeAtomically(before, encode(text, before.file));
  } catch (error) {
    throw writingRefusal(error, before.file);
  }
}

function encode(text: string, file: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.toString() === text) return bytes;
  const message = `${file} is as it was: the new text has half a character (a lone surrogate), which UTF-8 cannot hold. Leave it out.`;
  throw new FileAccessError('not-utf8', file, message);
}

async function removeFile(before: TextFile): Promise<void> {
  await retryWhileBusy(async () => {
    await requireUnchanged(before);
    await unlink(before.realFile);
  });
  await syncFolder(path.dirname(before.realFile));
  const left = await readTextFile(before.file).catch(() => undefined);
  if (left?.text !== null) throw overwrittenError(before.file);
}

async function writeAtomically(before: TextFile, bytes: Buffer): Promise<void> {
  const folder = path.dirname(before.realFile);
  const firstMade = await mkdir(folder, { recursive: true });
  await removeStaleTemporaries(folder);
  const temporary = temporaryFile(folder);
  try {
    await writeTemporary(temporary, bytes, before);
    await retryWhileBusy(async () => {
      await requireUnchanged(before);
      await putInPlace(temporary, before);
    });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (firstMade !== undefined) await removeMade(folder, firstMade);
    throw error;
  }
  await syncFolder(folder);
  const written = await readFile(before.realFile).catch(() => undefined);
  if (!written?.equals(bytes)) throw overwrittenError(before.file);
}

async function writeTemporary(
  temporary: string,
  bytes: Buffer,
  { mode, owner, file }: TextFile,
): Promise<void> {
  const handle = await open(temporary, 'wx', newMode);
  try {
    await handle.writeFile(bytes);
    if (owner !== undefined) {
      const { uid, gid } = await handle.stat();
      if (owner.uid !== uid || owner.gid !== gid) {
        // Users may not change the owner of a file, but may change its group.
        await handle
          .chown(owner.uid, owner.gid)
          .catch(() => handle.chown(uid, owner.gid).catch(() => undefined));
      }
    }
    await handle.chmod(mode ?? newMode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await readFile(temporary)).equals(bytes)) return;
  const message = `${file} is as it was: the disk did not keep what was written. See whether the disk is in order.`;
  throw new FileAccessError('not-written', file, message);
}

/**
 * A rename replaces an existing file, a link never does. So a file that another program creates now is kept.
 */
async function putInPlace(temporary: string, { file, realFile, text }: TextFile): Promise<void> {
  if (text !== null) return await rename(temporary, realFile);
  try {
    await link(temporary, realFile);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw new ConcurrentChangeError(file);
    // Not every disk supports hard links.
    return await rename(temporary, realFile);
  }
  await rm(temporary, { force: true }).catch(() => undefined);
}

async function requireUnchanged(before: TextFile): Promise<void> {
  const now = await readTextFile(before.file);
  const isSame = now.realFile === before.realFile && now.text === before.text && now.mode === before.mode;
  if (!isSame) throw new ConcurrentChangeError(before.file);
}

/** An existing folder makes a client look installed, so folders created for a failed write are removed. */
async function removeMade(folder: string, firstMade: string): Promise<void> {
  try {
    for (let made = folder; made.length >= firstMade.length; made = path.dirname(made)) await rmdir(made);
  } catch {
    // Another program created something in the folder.
  }
}

/** Makes a new name in a folder durable. Not every system supports this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}

function overwrittenError(file: string): FileAccessError {
  const message = `${file} was changed as asked, but is not so now: another program may have changed it at once. Look at it before you try again.`;
  return new FileAccessError('not-kept', file, message);
}
