import { isUtf8 } from 'node:buffer';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { FileAccessError, linkLoop, readingRefusal, systemErrorCode } from './file-error.js';

/** Snapshot of a text file. */
export interface TextFile {
  /** File path as requested. */
  readonly file: string;
  /** Path after following symbolic links, also of a link with a missing target. */
  readonly realFile: string;
  /** Includes the byte order mark. Null if the file does not exist. */
  readonly text: string | null;
  /** Permission bits; undefined if the file does not exist. */
  readonly mode: number | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** True if the file has other names, which are hard links. */
  readonly hasOtherNames: boolean;
}

/** Bytes to read at once. */
const highWaterMark = 1024 * 1024;

/** Largest configuration file, in bytes. */
const maxConfigBytes = 20 * 1024 * 1024;

export interface TextReadOptions {
  /** Largest accepted file, in bytes. Default: 20 MB. */
  readonly maxBytes?: number;
}

/**
 * Reads a text file. If the file is missing, returns its path with `text: null`.
 * @throws FileAccessError if the file is not a regular file of UTF-8 text, or cannot be read. Never opens a
 *   file that could block.
 */
export async function readTextFile(
  file: string,
  { maxBytes = maxConfigBytes }: TextReadOptions = {},
): Promise<TextFile> {
  try {
    const realFile = await followLinks(file);
    const info = await unlessAbsent(lstat(realFile));
    if (info === undefined) {
      return { file, realFile, text: null, mode: undefined, owner: undefined, hasOtherNames: false };
    }
    if (info.isSymbolicLink()) throw linkLoop(file);
    requireRegular(info, file, maxBytes);
    const handle = await open(realFile, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const { mode, uid, gid, nlink } = requireRegular(await handle.stat(), file, maxBytes);
      const text = decodeText(
        await readBytes(handle.createReadStream({ autoClose: false, highWaterMark }), file, maxBytes),
        file,
      );
      return { file, realFile, text, mode: mode & 0o7777, owner: { uid, gid }, hasOtherNames: nlink > 1 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw readingRefusal(error, file);
  }
}

/**
 * Checks that a file may be replaced. Mode bits count also for a superuser, since they show intent.
 * @throws FileAccessError
 */
export async function checkWritable({ file, realFile, mode }: TextFile): Promise<void> {
  if (mode !== undefined && !((mode & 0o200) !== 0 && (await isAllowed(realFile, constants.W_OK)))) {
    const bits = mode.toString(8).padStart(4, '0');
    const message = `${file} is read-only (mode ${bits}). Make it writable first, if it is meant to change.`;
    throw new FileAccessError('read-only', file, message);
  }
  const folder = await nearestFolder(realFile);
  if (!(await isFolderWritable(folder))) {
    const message = `${file} cannot be written: its folder ${folder} is not writable. Make the folder writable first.`;
    throw new FileAccessError('folder-not-writable', file, message);
  }
}

/**
 * A replaced file would lose its hard links: the other names would keep the old text.
 * @throws FileAccessError
 */
export function requireOneName({ file, hasOtherNames }: TextFile): void {
  if (!hasOtherNames) return;
  const message = `${file} has hard links, which a change would separate from it. Replace them with symbolic links, or make the file a copy, and try again.`;
  throw new FileAccessError('hard-link', file, message);
}

/** The real path of a file. The file, and targets of links on the way, may be missing. */
export async function followLinks(file: string, hops = 0): Promise<string> {
  const real = await unlessAbsent(realpath(file));
  if (real !== undefined) return real;
  const folder = path.dirname(file);
  if (folder === file) return file;
  const target = await unlessAbsent(readlink(file)).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EINVAL') throw error;
    // The file exists by now, and is not a link.
    return file;
  });
  if (target === undefined) return path.join(await followLinks(folder, hops), path.basename(file));
  if (hops === maxLinks) throw linkLoop(file);
  // Not normalised: after a link, only the system can resolve `..`.
  return await followLinks(path.isAbsolute(target) ? target : folder + path.sep + target, hops + 1);
}

/** Limit of Linux on followed links. */
const maxLinks = 40;

async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function requireRegular(info: Stats, file: string, maxBytes: number): Stats {
  if (info.isDirectory()) {
    throw new FileAccessError(
      'folder',
      file,
      `${file} is a folder, not a file. Move it away, or name a file.`,
    );
  }
  if (!info.isFile()) {
    const message = `${file} is ${describeFileType(info)}, not a regular file. Move it away, or name a file.`;
    throw new FileAccessError('special', file, message);
  }
  if (info.size > maxBytes) throw tooLarge(file, maxBytes);
  return info;
}

function describeFileType(info: Stats): string {
  if (info.isFIFO()) return 'a named pipe';
  if (info.isSocket()) return 'a socket';
  return 'a device';
}

function tooLarge(file: string, maxBytes: number): FileAccessError {
  const message = `${file} is larger than ${maxBytes / 1024 / 1024} MB. See whether it is the right file.`;
  return new FileAccessError('too-large', file, message);
}

/**
 * Reads all bytes of a file, which may grow during the read, or of a stream that may never end.
 * @throws FileAccessError
 */
export async function readBytes(
  stream: AsyncIterable<string | Buffer>,
  file: string,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > maxBytes) throw tooLarge(file, maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** Decodes UTF-8. @throws FileAccessError with the position of the first invalid byte */
export function decodeText(bytes: Buffer, file: string): string {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return text;
  const fault = firstDifference(bytes, Buffer.from(text));
  const before = bytes.toString('utf8', 0, fault);
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  const place = `byte ${fault} (line ${line}, column ${column})`;
  const message = `${file} is not UTF-8: ${place} does not belong. Save it as UTF-8 first.`;
  throw new FileAccessError('not-utf8', file, message);
}

/** Offset of the first character that decoding replaced because it is not UTF-8. */
function firstDifference(bytes: Buffer, again: Buffer): number {
  let place = 0;
  while (bytes[place] === again[place]) place++;
  while ((again[place]! & 0b1100_0000) === 0b1000_0000) place--;
  return place;
}

/** Folder of a file, or the nearest existing folder above it. */
async function nearestFolder(file: string): Promise<string> {
  const folder = path.dirname(file);
  const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
  return isThere || folder === file ? folder : await nearestFolder(folder);
}

async function isFolderWritable(folder: string): Promise<boolean> {
  // On Windows, the read-only attribute of a folder means something else.
  if (platform() !== 'win32') {
    const info = await stat(folder).catch(() => undefined);
    if (info !== undefined && (info.mode & 0o200) === 0) return false;
  }
  return await isAllowed(folder, constants.W_OK | constants.X_OK);
}

const denials = ['EACCES', 'EPERM', 'EROFS'];

async function isAllowed(target: string, what: number): Promise<boolean> {
  try {
    await access(target, what);
    return true;
  } catch (error) {
    return !denials.includes(systemErrorCode(error) ?? '');
  }
}
