import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { Receipts } from '../clients/receipts.js';
import { PackageStore } from '../packages/package-store.js';
import { findUnusedServers, removeUnusedServers } from './unused-servers.js';

/** A folder that nothing uses. */
export interface UnusedFolder {
  /** `previous version` of an added package; `server` of npm or a bundle without an entry. */
  readonly kind: 'previous version' | 'server';
  readonly folder: string;
  readonly bytes: number;
  /** True if a server may still run from it, so that it stays. */
  readonly isKept: boolean;
}

interface PruneDeps {
  readonly packagesFolder: string;
  readonly dataFolder: string;
  readonly receipts: Receipts;
}

/**
 * Removes folders that no entry, user server or added package uses. Returns them, and the folders that stay for servers
 * that may run.
 * @throws AgentToolsError if a record cannot be read: it may name one of them
 */
export async function prune(
  { dryRun }: { readonly dryRun: boolean },
  { packagesFolder, dataFolder, receipts }: PruneDeps,
): Promise<readonly UnusedFolder[]> {
  const servers = await findUnusedServers(receipts, dataFolder);
  if (!servers) {
    const { notes } = await receipts.all();
    const reason = notes.join(' ') || 'The definition of a user server cannot be read.';
    throw new AgentToolsError('refused', `Nothing was removed, because it may be in use. ${reason}`);
  }
  const store = new PackageStore(packagesFolder);
  const versions = await store.inactive();
  const found = await Promise.all([
    ...versions.map((one) => describe('previous version', one.folder, one.mayRun)),
    ...servers.map((folder) => describe('server', folder, false)),
  ]);
  if (dryRun) return found;
  if (versions.some(({ mayRun }) => !mayRun)) await store.prune();
  await removeUnusedServers(receipts, dataFolder);
  return found;
}

async function describe(kind: UnusedFolder['kind'], folder: string, isKept: boolean): Promise<UnusedFolder> {
  return { kind, folder, bytes: await sizeOf(folder), isKept };
}

/** Bytes of all files in a folder. Removed files do not count. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files)
    bytes += (await stat(path.join(parentPath, name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}
