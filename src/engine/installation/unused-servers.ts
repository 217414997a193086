import { removeUnusedBundles } from '../bundles/unused-bundles.js';
import type { Receipts } from '../clients/receipts.js';
import { removeUnusedNpmServers } from '../existing-servers/npm-servers.js';

/**
 * Removes npm servers and unpacked bundles that no entry of AgentTools starts any more. If a record cannot be read, nothing is removed: it may
 * have an entry that starts one.
 */
export async function removeUnusedServers(receipts: Receipts, dataFolder: string): Promise<void> {
  const { records, notes } = await receipts.all();
  if (notes.length > 0) return;
  const entries = records.flatMap((record) => [
    ...record.receipts,
    ...(record.intent?.record.receipts ?? []),
    ...record.receipts.flatMap(({ displaced = [] }) => displaced),
  ]);
  const used = entries.flatMap(({ entry, replaced = {} }) => textsIn([entry, replaced]));
  await removeUnusedNpmServers(dataFolder, used);
  await removeUnusedBundles(dataFolder, used);
}

/** All strings in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
