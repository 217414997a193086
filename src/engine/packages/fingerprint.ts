import { canonical } from '../base/canonical-json.js';
import type { Extension } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import { hashBase64, hashFiles } from './file-hashes.js';
import { type ItemState, readItems } from './items.js';

/** Hashes that show if a package has changed. */
export interface Fingerprint {
  /** By path in the package: SHA-256 of the bytes; for data files that define items, of the value. */
  readonly files: Readonly<Record<string, string>>;
  readonly items: readonly ItemFingerprint[];
}

/** Hashes that show if a declared item has changed. */
export interface ItemFingerprint {
  readonly kind: Kind;
  readonly name: string;
  /** File that defines the item; undefined if missing. */
  readonly file?: string;
  /**
   * SHA-256 of the value of a data definition; undefined if the definition is code, covered by the hash of
   * its file, or is unavailable.
   */
  readonly value?: string;
  /** Files that a data definition names: handlers, contents. */
  readonly uses: readonly string[];
}

/** Computes the fingerprint of an extension on disk. Runs no code of the extension. */
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
