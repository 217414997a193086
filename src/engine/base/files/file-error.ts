/**
 * Reason for not reading or changing a file. `not-kept`: the file was written, but its content is not the
 * intended one.
 */
export type RefusalReason =
  | 'folder'
  | 'special'
  | 'link-loop'
  | 'hard-link'
  | 'not-utf8'
  | 'too-large'
  | 'not-readable'
  | 'parent-not-folder'
  | 'read-only'
  | 'folder-not-writable'
  | 'disk-full'
  | 'busy'
  | 'changed'
  | 'not-written'
  | 'not-kept'
  | 'locked';

/** A file that was not read or not changed. The message states the file, the reason and the fix. */
export class FileAccessError extends Error {
  override readonly name: string = 'FileAccessError';
  readonly reason: RefusalReason;
  /** File path as requested. */
  readonly file: string;

  constructor(reason: RefusalReason, file: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.file = file;
  }
}

/**
 * Another program wrote to the file after it was read. Its content is kept. Read the file again and retry.
 */
export class ConcurrentChangeError extends FileAccessError {
  override readonly name = 'ConcurrentChangeError';

  constructor(file: string) {
    super(
      'changed',
      file,
      `${file} was changed by another program in the meantime, and was not overwritten. Try again.`,
    );
  }
}

/** Error for a symbolic link that forms a cycle. */
export function linkLoop(file: string, options?: ErrorOptions): FileAccessError {
  const message = `${file} does not resolve: its symbolic links form a cycle. Remove the link, or point it at a file.`;
  return new FileAccessError('link-loop', file, message, options);
}

/** Reason and explanation of each system error code on write. */
const writingFaults: Record<string, readonly [RefusalReason, string]> = {
  ENOSPC: ['disk-full', 'the disk is full. Free some space and try again.'],
  EDQUOT: ['disk-full', 'your share of the disk is used up. Free some space and try again.'],
  EFBIG: ['disk-full', 'the system allows no larger file here. Raise the limit and try again.'],
  EACCES: ['folder-not-writable', 'its folder is not writable. Change the permissions of the folder.'],
  EPERM: ['read-only', 'the system does not let it be replaced. See whether it is locked or immutable.'],
  EROFS: ['read-only', 'its disk is mounted read-only.'],
  EBUSY: [
    'busy',
    'it is in use, or a mount point. Close what uses it, or change it where it is mounted from.',
  ],
  ENOTDIR: ['parent-not-folder', 'a part of its path is a file, not a folder. Move that file away.'],
  EEXIST: ['parent-not-folder', 'a part of its path is a file, not a folder. Move that file away.'],
};

/** Converts a system error on read to a `FileAccessError`. Returns other errors unchanged. */
export function readingRefusal(error: unknown, file: string): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  if (code === 'ELOOP') return linkLoop(file, { cause: error });
  if (code === 'ENOTDIR') {
    const message = `${file} cannot be there: a part of its path is a file, not a folder. Move that file away.`;
    return new FileAccessError('parent-not-folder', file, message, { cause: error });
  }
  const message = `${file} cannot be read (${code}). See whether you have the permission to.`;
  return new FileAccessError('not-readable', file, message, { cause: error });
}

/**
 * Converts a system error on write to a `FileAccessError`; the file is unchanged. Returns other errors
 * unchanged.
 */
export function writingRefusal(error: unknown, file: string): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const [reason, why] = writingFaults[code] ?? ['not-written', 'the system refused it.'];
  return new FileAccessError(
    reason,
    file,
    `${file} could not be written (${code}) and is as it was: ${why}`,
    {
      cause: error,
    },
  );
}

/** System error code, such as `ENOENT`; undefined if the error is not a system error. */
export function systemErrorCode(error: unknown): string | undefined {
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error;
  return isSystemError && typeof error.code === 'string' ? error.code : undefined;
}
