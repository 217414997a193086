import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type DataDocument, DocumentError, parseDocument } from '../base/files/document.js';
import { isRecord } from '../base/value-checks.js';
import { RegistryError } from '../npm/registry.js';
import type { RegistryEndpoint } from '../npm/settings.js';
import type { Registries } from './registries.js';

/** Version of a package, and the registry of its tarball. */
export interface TarballRequest {
  readonly version: Readonly<Record<string, unknown>>;
  readonly registries: Registries;
  readonly place: RegistryEndpoint;
  readonly signal: AbortSignal;
}

const maxTarballBytes = 20 * 1024 * 1024;
const maxUnpackedBytes = 100 * 1024 * 1024;
const maxEntries = 20_000;
const maxFileBytes = 5 * 1024 * 1024;

/**
 * Reads one data file of a published package. The tarball is verified and stays in memory. Its size is
 * limited, also after decompression.
 * @throws RegistryError
 */
export async function readFileOfTarball(file: string, request: TarballRequest): Promise<DataDocument> {
  const wanted = path.posix.normalize(file.replaceAll('\\', '/'));
  const text = await findInTarball(wanted, request);
  if (text === undefined) {
    throw new RegistryError('malformed', `its manifest "${wanted}" is not in the package`);
  }
  try {
    return { file: wanted, text, value: await parseDocument(text, wanted) };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new RegistryError('malformed', `its manifest "${wanted}" cannot be read: ${error.message}`);
  }
}

/** Text of one file of a published package, read as in {@link readFileOfTarball}; undefined without it. @throws RegistryError */
export async function findInTarball(
  file: string,
  { version, registries, place, signal }: TarballRequest,
): Promise<string | undefined> {
  const { tarball, integrity } = readDist(version);
  const packed = await registries.tarball({
    place,
    path: tarball,
    integrity,
    maxBytes: maxTarballBytes,
    signal,
  });
  return await fileIn(await unpackTarball(packed), file);
}

function readDist({ dist }: TarballRequest['version']): {
  readonly tarball: string;
  readonly integrity: string;
} {
  const { tarball, integrity, shasum } = isRecord(dist) ? dist : {};
  const checksum = [integrity, sha1(shasum)].find((one) => typeof one === 'string' && one !== '');
  if (typeof tarball === 'string' && /^https?:/.test(tarball) && typeof checksum === 'string') {
    return { tarball, integrity: checksum };
  }
  throw new RegistryError('malformed', 'the registry has no tarball with a checksum');
}

function sha1(hex: unknown): string | undefined {
  const isHash = typeof hex === 'string' && /^[0-9a-f]{40}$/.test(hex);
  return isHash ? `sha1-${Buffer.from(hex, 'hex').toString('base64')}` : undefined;
}

/**
 * Decompresses the archive. Rejects one that is compressed twice: the parser would decompress it again,
 * without a size limit.
 */
async function unpackTarball(packed: Buffer): Promise<Buffer> {
  const archive = startsWith(packed, gzipStart) ? await gunzipWithin(packed) : packed;
  if (!compressedStarts.some((start) => startsWith(archive, start))) return archive;
  throw new RegistryError('malformed', 'its tarball has an unsupported format');
}

const gzipStart = [0x1f, 0x8b] as const;
const zstdStart = [0x28, 0xb5, 0x2f, 0xfd] as const;
const compressedStarts = [gzipStart, zstdStart] as const;

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

async function gunzipWithin(packed: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maxUnpackedBytes });
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isLarge) throw new RegistryError('too-large', 'it is too large to be read', { cause });
    throw new RegistryError('malformed', 'its tarball cannot be unpacked', { cause });
  }
}

/** The last file of that name, which would remain after an installation. */
async function fileIn(archive: Buffer, wanted: string): Promise<string | undefined> {
  const { Parser } = await import('tar');
  let found: Buffer[] | undefined;
  let entries = 0;
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      onReadEntry(entry) {
        entries += 1;
        if (entries > maxEntries) return refuse();
        // The root folder of a package archive has any name.
        const name = path.posix.normalize(entry.path).replace(/^[^/]+\//, '');
        const isWanted = name === wanted && (entry.type === 'File' || entry.type === 'OldFile');
        if (!isWanted) return void entry.resume();
        if (entry.size > maxFileBytes) return refuse();
        const parts: Buffer[] = [];
        found = parts;
        entry.on('data', (part: Buffer) => void parts.push(part));
      },
    });
    const refuse = () => {
      const error = new RegistryError('too-large', 'it is too large to be read');
      reject(error);
      parser.abort(error);
    };
    parser.on('end', resolve);
    parser.on('error', (cause: unknown) => {
      reject(new RegistryError('malformed', 'its tarball cannot be read', { cause }));
    });
    parser.end(archive);
  });
  return found && Buffer.concat(found).toString('utf8');
}
