import { workspaceFolders } from '../../../engine/base/folders.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import type { UninstallResult } from '../../../engine/installation/uninstall.js';
import { removeUnusedRecords, removeUnusedServers } from '../../../engine/installation/unused-servers.js';
import type { Host } from '../../../host.js';

/** Removes the packages and records that only these entries used. */
export async function removeUnused(results: readonly UninstallResult[], host: Host): Promise<void> {
  const { receipts } = installationFolders(host);
  const { dataFolder } = workspaceFolders(host);
  await removeUnusedServers(receipts, dataFolder);
  const servers = results.flatMap(({ receipt }) => receipt.server ?? []);
  await removeUnusedRecords(servers, receipts, dataFolder);
}
