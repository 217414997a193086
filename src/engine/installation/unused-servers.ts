import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../base/files/file-error.js';
import { bundlesFolder, findUnusedBundles, removeUnusedBundles } from '../bundles/unused-bundles.js';
import type { Receipts } from '../clients/receipts.js';
import { ExistingRecords } from '../existing-servers/existing-records.js';
import { keptMark } from '../existing-servers/kept-folder.js';
import {
  findUnusedNpmServers,
  npmServersFolder,
  removeUnusedNpmServers,
} from '../existing-servers/npm-servers.js';

/**
 * Removes npm servers and unpacked bundles that no entry of AgentTools and no user server starts any more: all of them, or only
 * the folders `among`. If a record or a definition cannot be read, nothing is removed: it may start one.
 */
export async function removeUnusedServers(
  receipts: Receipts,
  dataFolder: string,
  among?: readonly string[],
): Promise<void> {
  const used = await textsInUse(receipts, dataFolder);
  if (!used) return;
  await removeUnusedNpmServers(dataFolder, used, among);
  await removeUnusedBundles(dataFolder, used, among);
}

/** Folders that {@link removeUnusedServers} would remove; undefined if it cannot be known. */
export async function findUnusedServers(
  receipts: Receipts,
  dataFolder: string,
): Promise<readonly string[] | undefined> {
  const used = await textsInUse(receipts, dataFolder);
  if (!used) return undefined;
  return [...(await findUnusedNpmServers(dataFolder, used)), ...(await findUnusedBundles(dataFolder, used))];
}

/** All texts that can name a folder of a server; undefined if one cannot be read. */
async function textsInUse(receipts: Receipts, dataFolder: string): Promise<readonly string[] | undefined> {
  const { records, notes } = await receipts.all();
  if (notes.length > 0) return undefined;
  const entries = records.flatMap((record) => [
    ...record.receipts,
    ...(record.intent?.record.receipts ?? []),
    ...record.receipts.flatMap(({ displaced = [] }) => displaced),
  ]);
  const inEntries = entries.flatMap(({ entry, replaced = {} }) => textsIn([entry, replaced]));
  const folders = entries.flatMap(({ folder }) => (folder === undefined ? [] : [path.join(folder, 'entry')]));
  const definitions = await textsOfUserServers(dataFolder);
  return definitions && [...inEntries, ...folders, ...definitions, ...(await pastedMarks(dataFolder))];
}

/** Removes the records of existing servers without an entry. `removed`: the servers of removed entries. */
export async function removeUnusedRecords(
  removed: readonly string[],
  receipts: Receipts,
  dataFolder: string,
): Promise<void> {
  const { records, notes } = await receipts.all();
  if (notes.length > 0) return;
  const used = new Set(records.flatMap((record) => record.receipts.map(({ server }) => server)));
  const store = new ExistingRecords(dataFolder);
  for (const server of new Set(removed)) if (!used.has(server)) await store.remove(server);
}

/** All texts in the definitions of user servers; undefined if one cannot be read. */
async function textsOfUserServers(dataFolder: string): Promise<readonly string[] | undefined> {
  const folder = path.join(dataFolder, 'servers', 'agenttools');
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }) => await readFile(path.join(parentPath, name), 'utf8')),
    );
    return texts.flatMap((text) => textsIn(parseJson(text) ?? text));
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? [] : undefined;
  }
}

/** Undefined for other text, such as a definition in code. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
