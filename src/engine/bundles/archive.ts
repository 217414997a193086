import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { AgentToolsError } from '../base/errors.js';
import { visibleLine, visibleMessage } from '../base/visible-text.js';
import { entryPathFault, PathCollisions } from './entry-path.js';

/** Limits of an archive. */
export interface ArchiveLimits {
  /** Largest file, in bytes. */
  readonly fileBytes: number;
  readonly entries: number;
  /** Largest unpacked content, in bytes. */
  readonly unpackedBytes: number;
  /** Largest ratio of unpacked to packed content; checked from 16 MB on. */
  readonly ratio: number;
}

export const archiveLimits: ArchiveLimits = {
  fileBytes: 256 * 1024 ** 2,
  entries: 50_000,
  unpackedBytes: 1024 ** 3,
  ratio: 100,
};

/** Content up to this size may be compressed to any size. */
const smallContent = 16 * 1024 ** 2;

/** A file in an archive. */
export interface ArchiveFile {
  /** Relative, with `/`. */
  readonly path: string;
  /** Unpacked, in bytes. */
  readonly size: number;
  readonly isExecutable: boolean;
  /** Its content. The size is checked, the checksum is not. */
  readonly open: () => Promise<Readable>;
  /** CRC-32 of the content. */
  readonly checksum: number;
}

/** The checked entries of a zip file. */
export interface Archive {
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** Empty folders and others that have an entry. */
  readonly folders: readonly string[];
  /** True if a signature follows the archive. It is not verified. */
  readonly isSigned: boolean;
}

/**
 * Opens a zip file and checks all its entries before any content is read.
 * @throws AgentToolsError `refused` if it is malformed, exceeds a limit, or an entry is not safe to unpack
 */
export async function openArchive(
  bytes: Buffer,
  label: string,
  limits: ArchiveLimits = archiveLimits,
): Promise<Archive> {
  if (bytes.length > limits.fileBytes) throw refuse(label, `is larger than ${inMegabytes(limits.fileBytes)}`);
  const { default: yauzl } = await import('yauzl');
  const { zip, isSigned } = await openZip(bytes, label);
  if (zip.entryCount > limits.entries)
    throw refuse(label, `has ${zip.entryCount} entries. At most ${limits.entries} are unpacked`);
  const files = new Map<string, ArchiveFile>();
  const folders: string[] = [];
  const seen = new PathCollisions();
  const spans: Span[] = [];
  let unpacked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, extraFields, fileNameRaw } = entry;
      const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
      const fault = entryPathFault(name) ?? seen.add(name) ?? entryFault(entry, name);
      if (fault !== undefined) throw refuse(label, `has the entry "${visibleLine(name)}", which ${fault}`);
      unpacked += entry.uncompressedSize;
      if (unpacked > limits.unpackedBytes)
        throw refuse(label, `unpacks to more than ${inMegabytes(limits.unpackedBytes)}`);
      if (unpacked > Math.max(smallContent, bytes.length * limits.ratio))
        throw refuse(
          label,
          `unpacks to more than ${limits.ratio} times its size, as only a malicious file does`,
        );
      const header = await zip.readLocalFileHeaderPromise(entry);
      if (!header.fileName.equals(fileNameRaw))
        throw refuse(label, `has two names for the entry "${visibleLine(name)}"`);
      spans.push([entry.relativeOffsetOfLocalHeader, header.fileDataStart + entry.compressedSize]);
      if (name.endsWith('/')) folders.push(name.slice(0, -1));
      else files.set(name, archiveFile(zip, entry, name));
    }
  } catch (error) {
    if (error instanceof AgentToolsError) throw error;
    throw malformed(label, error);
  }
  if (overlap(spans)) throw refuse(label, 'has entries that share their content');
  return { files, folders, isSigned };
}

/** Start and end of an entry, in bytes. */
type Span = readonly [start: number, end: number];

function overlap(spans: readonly Span[]): boolean {
  const sorted = spans.toSorted(([a], [b]) => a - b);
  return sorted.some(([start], index) => index > 0 && start < sorted[index - 1]![1]);
}

interface OpenZip {
  readonly zip: ZipFile;
  readonly isSigned: boolean;
}

/** Opens a zip file. Content after its end is accepted only as the signature of a bundle. */
async function openZip(bytes: Buffer, label: string): Promise<OpenZip> {
  const { default: yauzl } = await import('yauzl');
  // Names are decoded and checked here, so that each fault has a reason.
  const options = { decodeStrings: false, autoClose: false };
  const open = async (content: Buffer) => await yauzl.fromBufferPromise(content, options);
  const signatureAt = findSignature(bytes);
  try {
    return { zip: await open(bytes), isSigned: signatureAt !== undefined };
  } catch (error) {
    if (signatureAt === undefined) throw malformed(label, error);
    try {
      return { zip: await open(bytes.subarray(0, signatureAt)), isSigned: true };
    } catch {
      throw malformed(label, error);
    }
  }
}

/**
 * Offset of the signature that packers append, usually without a change of the comment length in the zip file.
 * @see https://github.com/modelcontextprotocol/mcpb src/node/sign.ts
 */
function findSignature(bytes: Buffer): number | undefined {
  for (const name of ['MCPB', 'DXT']) {
    if (!bytes.subarray(-64).toString('latin1').trimEnd().endsWith(`${name}_SIG_END`)) continue;
    const start = bytes.lastIndexOf(`${name}_SIG_V1`);
    if (start !== -1) return start;
  }
  return undefined;
}

/** Unix file types, in the upper bits of an entry's mode. */
const fileTypes = { mask: 0xf000, folder: 0x4000, regular: 0x8000, link: 0xa000 } as const;

function entryFault(entry: Entry, name: string): string | undefined {
  const isFolder = name.endsWith('/');
  const type = (entry.externalFileAttributes >>> 16) & fileTypes.mask;
  if (type === fileTypes.link) return 'is a symbolic link';
  if (type !== 0 && type !== (isFolder ? fileTypes.folder : fileTypes.regular))
    return 'is neither a file nor a folder';
  if (entry.isEncrypted()) return 'is encrypted';
  if (!entry.canDecodeFileData())
    return `is compressed by the unknown method ${entry.compressionMethod}. Expected: stored or deflated`;
  return isFolder && entry.uncompressedSize > 0 ? 'is a folder with content' : undefined;
}

function archiveFile(zip: ZipFile, entry: Entry, path: string): ArchiveFile {
  return {
    path,
    size: entry.uncompressedSize,
    isExecutable: ((entry.externalFileAttributes >>> 16) & 0o111) !== 0,
    checksum: entry.crc32 >>> 0,
    open: async () => await zip.openReadStreamPromise(entry),
  };
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

function refuse(label: string, fault: string): AgentToolsError {
  const message = `${label} ${fault}. Nothing was unpacked. Ask its publisher for another file.`;
  return new AgentToolsError('refused', message);
}

function malformed(label: string, cause: unknown): AgentToolsError {
  const reason = visibleMessage((cause as Error).message.replace(/[.?]*$/, ''));
  return new AgentToolsError('refused', `${label} is not a readable zip file: ${reason}.`, { cause });
}
