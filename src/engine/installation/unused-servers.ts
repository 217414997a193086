import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { bundlesFolder, removeUnusedBundles } from '../bundles/unused-bundles.js';
import type { Receipts } from '../clients/receipts.js';
import { keptMark } from '../existing-servers/kept-folder.js';
import { npmServersFolder, removeUnusedNpmServers } from '../existing-servers/npm-servers.js';

/**
 * Removes npm servers and unpacked bundles that no entry of AgentTools starts any more: all of them, or those in the folders
 * `among`. If a record cannot be read, nothing is removed: it may have an entry that starts one.
 */
export async function removeUnusedServers(
  receipts: Receipts,
  dataFolder: string,
  among?: readonly string[],
): Promise<void> {
  const { records, notes } = await receipts.all();
  if (notes.length > 0) return;
  const entries = records.flatMap((record) => [
    ...record.receipts,
    ...(record.intent?.record.receipts ?? []),
    ...record.receipts.flatMap(({ displaced = [] }) => displaced),
  ]);
  const inEntries = entries.flatMap(({ entry, replaced = {} }) => textsIn([entry, replaced]));
  const folders = entries.flatMap(({ folder }) => (folder === undefined ? [] : [path.join(folder, 'entry')]));
  const used = [...inEntries, ...folders, ...(await pastedMarks(dataFolder))];
  await removeUnusedNpmServers(dataFolder, used, among);
  await removeUnusedBundles(dataFolder, used, among);
}

async function pastedMarks(dataFolder: string): Promise<readonly string[]> {
  const parents = [npmServersFolder(dataFolder), bundlesFolder(dataFolder)];
  const marks = await Promise.all(
    parents.map(async (parent) => {
      const names = await readdir(parent).catch((): string[] => []);
      return names.map((name) => path.join(parent, name, keptMark));
    }),
  );
  return marks.flat().filter((file) => existsSync(file));
}

/** All strings in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
