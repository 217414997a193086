import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite, rethrowAsUserError } from '../base/file-fault.js';
import { statFile } from '../base/files/disk.js';
import { withLock } from '../base/files/lock.js';
import { temporaryFile } from '../base/files/temporary.js';
import { visibleLine } from '../base/visible-text.js';
import type { BundleContent } from '../existing-servers/existing-server.js';
import { type Archive, type ArchiveFile, openArchive } from './archive.js';
import { readBundleFile } from './bundle-file.js';

/** Files that are written at a time. */
const writesAtOnce = 8;

/**
 * Unpacks a bundle into its folder, unless it is there. The folder appears complete or not at all.
 * @throws AgentToolsError if the file changed since it was read, or its content is damaged
 */
export async function unpackBundle(
  { file, sha256, folder, executables }: BundleContent,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  if (statFile(folder)?.isDirectory()) return;
  const label = path.basename(file);
  const all = path.dirname(folder);
  await guardWrite(all, () => mkdir(all, { recursive: true, mode: 0o700 }));
  await rethrowAsUserError(() =>
    withLock(
      `${folder}.lock`,
      async () => {
        if (statFile(folder)?.isDirectory()) return;
        const bytes = await readBundleFile(file);
        const present = createHash('sha256').update(bytes).digest('hex');
        if (present !== sha256)
          throw new AgentToolsError(
            'refused',
            `${file} has changed since it was read. Run the command again.`,
          );
        const archive = await openArchive(bytes, label);
        const staged = temporaryFile(all);
        try {
          await guardWrite(staged, () => writeAll(archive, { staged, executables, signal, label }));
          await guardWrite(folder, () => rename(staged, folder));
        } finally {
          await rm(staged, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
        }
      },
      { signal },
    ),
  );
}

interface WriteOptions {
  readonly staged: string;
  readonly executables: readonly string[];
  readonly signal: AbortSignal;
  readonly label: string;
}

async function writeAll({ files, folders }: Archive, options: WriteOptions): Promise<void> {
  const { staged, executables, signal } = options;
  const parents = [...files.keys()].map((file) => path.posix.dirname(file));
  await mkdir(staged, { mode: 0o700 });
  for (const folder of new Set([...folders, ...parents]))
    await mkdir(path.join(staged, folder), { recursive: true, mode: 0o755 });
  await forEachLimited(files.values(), writesAtOnce, async (file) => {
    signal.throwIfAborted();
    const mode = file.isExecutable || executables.includes(file.path) ? 0o755 : 0o644;
    await writeEntry(file, { ...options, mode });
  });
}

async function writeEntry(
  file: ArchiveFile,
  { staged, signal, label, mode }: WriteOptions & { readonly mode: number },
): Promise<void> {
  const check = new ChecksumCheck();
  const target = createWriteStream(path.join(staged, file.path), { flags: 'wx', mode });
  try {
    await pipeline(await file.open(), check, target, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw damaged(label, file, error);
  }
  if (check.value !== file.checksum) throw damaged(label, file, undefined);
}

/** Computes the CRC-32 of passing data. */
class ChecksumCheck extends Transform {
  value = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.value = crc32(chunk, this.value);
    done(null, chunk);
  }
}

function damaged(label: string, { path: name }: ArchiveFile, cause: unknown): AgentToolsError {
  const message = `${label} is damaged: the content of "${visibleLine(name)}" does not match its size or checksum. Get the file again.`;
  return new AgentToolsError('refused', message, { cause });
}
