import { canonical } from '../base/canonical-json.js';
import type { Extension } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import { hashBase64, hashFiles } from './file-hashes.js';
import { type ItemState, readItems } from './items.js';

/** What tells whether a package is still the one that was looked at. */
export interface Fingerprint {
  /** By path in the package: SHA-256 of the bytes; of a data file that says something of items, of its value. */
  readonly files: Readonly<Record<string, string>>;
  readonly items: readonly ItemFingerprint[];
}

/** What tells whether a declared item is still the one that was looked at. */
export interface ItemFingerprint {
  readonly kind: Kind;
  readonly name: string;
  /** The file that defines it; absent: there is none. */
  readonly file?: string;
  /** SHA-256 of a data definition's value; absent: it is code, whose file tells, or cannot be had. */
  readonly value?: string;
  /** Files that a data definition names: handlers, contents. */
  readonly uses: readonly string[];
}

/** The fingerprint of an extension as it is on disk. Runs no code of it. */
export async function fingerprintExtension(extension: Extension): Promise<Fingerprint> {
  const items = await readItems(extension, kinds);
  const { packageJson, document, directory } = extension.manifest;
  const documents = new Map([packageJson, document].map(({ file, value }) => [file, value]));
  for (const file of items.flatMap((item) => item.documents)) {
    documents.set(file, (await extension.document(file)).value);
  }
  return { files: await filesIn(directory, documents), items: items.map(fingerprintItem) };
}

function fingerprintItem({ kind, name, file, value, uses }: ItemState): ItemFingerprint {
  return {
    kind,
    name,
    ...(file !== undefined && { file }),
    ...(value !== undefined && { value: hashBase64(canonical(value)) }),
    uses,
  };
}

async function filesIn(
  directory: string,
  documents: ReadonlyMap<string, unknown>,
): Promise<Fingerprint['files']> {
  const hashes = await hashFiles(directory);
  return Object.fromEntries(
    hashes.map(([file, hash]) => [
      file,
      documents.has(file) ? hashBase64(canonical(documents.get(file))) : hash,
    ]),
  );
}
