import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip file to write. The defaults make a plain file. */
export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** Unix mode with the file type. Default: a regular file with 0644. */
  readonly mode?: number;
  /** True to compress. Default: false. */
  readonly deflate?: boolean;
  /** Faults to write. */
  readonly localName?: string;
  readonly checksum?: number;
  readonly size?: number;
  readonly method?: number;
  readonly isEncrypted?: boolean;
  /** Offset of another entry to point to. */
  readonly offset?: number;
}

/** Writes a zip file, also one with faults. Nothing is checked. */
export function writeZip(entries: readonly ZipEntry[], { count }: { count?: number } = {}): Buffer {
  const parts: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, content = '', mode = 0o100644, deflate = false, localName = name } = entry;
    const plain = Buffer.from(content);
    const data = deflate ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (entry.isEncrypted ? 1 : 0), 2);
    common.writeUInt16LE(entry.method ?? (deflate ? 8 : 0), 4);
    common.writeUInt32LE(0x00210000, 6);
    common.writeUInt32LE(entry.checksum ?? crc32(plain), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.size ?? plain.length, 18);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(localName), data]);
    local.writeUInt16LE(Buffer.byteLength(localName), 26);
    const record = Buffer.alloc(46);
    record.write('PK\x01\x02');
    record.writeUInt16LE((3 << 8) | 20, 4);
    common.copy(record, 6, 0, 22);
    record.writeUInt16LE(Buffer.byteLength(name), 28);
    record.writeUInt32LE((mode << 16) >>> 0, 38);
    record.writeUInt32LE(entry.offset ?? offset, 42);
    records.push(record, Buffer.from(name));
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(count ?? entries.length, 8);
  end.writeUInt16LE(count ?? entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

/** Appends a signature block, as `mcpb sign` does. The signature itself is arbitrary. */
export function signZip(bytes: Buffer): Buffer {
  const signature = Buffer.from('not a signature');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(signature.length);
  return Buffer.concat([bytes, Buffer.from('MCPB_SIG_V1'), length, signature, Buffer.from('MCPB_SIG_END')]);
}

/** A bundle with a manifest and further files. */
export function writeBundle(
  manifest: unknown,
  files: Readonly<Record<string, string>> = {},
  more: readonly ZipEntry[] = [],
): Buffer {
  const named = Object.entries(files).map(([name, content]) => ({ name, content, deflate: true }));
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest, undefined, 2);
  return writeZip([{ name: 'manifest.json', content: text, deflate: true }, ...named, ...more]);
}
