import path from 'node:path';
import { readTextFile } from '../base/files/text-file.js';
import { findSecretReferences } from '../base/secret-reference.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { definitionFile, readUserServers, type UserServerFolders } from '../user-servers/store.js';

/** An entry of a client, or a server of the user, that refers to a secret. */
export type SecretUse =
  | { readonly secret: string; readonly receipt: Receipt }
  | { readonly secret: string; readonly server: string };

/** The secrets that an entry refers to. */
export function secretsOf({ entry }: Pick<Receipt, 'entry'>): readonly string[] {
  return [...new Set(textsOf(entry).flatMap(findSecretReferences))].sort();
}

/** All entries and servers that refer to secrets. Notes name the records that cannot be read. */
export async function findSecretUses(
  receipts: Receipts,
  folders: UserServerFolders,
): Promise<{ readonly uses: readonly SecretUse[]; readonly notes: readonly string[] }> {
  const { records, notes } = await receipts.all();
  const entries = records
    .flatMap((record) => record.receipts)
    .flatMap((receipt) => secretsOf(receipt).map((secret) => ({ secret, receipt })));
  const { manifest } = await readUserServers(folders);
  const servers = await Promise.all(
    manifest.declarations.servers.map(async ({ name }) => {
      const text = await definitionText(path.join(folders.userServersFolder, definitionFile(name)));
      const secrets = new Set(textsOf(parseJson(text)).flatMap(findSecretReferences));
      return [...secrets].map((secret) => ({ secret, server: name }));
    }),
  );
  return { uses: [...entries, ...servers.flat()], notes };
}

async function definitionText(file: string): Promise<string> {
  return await readTextFile(file).then(
    ({ text }) => text ?? '',
    () => '',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
