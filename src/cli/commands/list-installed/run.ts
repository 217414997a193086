import path from 'node:path';
import { followLinks } from '../../../engine/base/files/text-file.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { clientName } from '../../../engine/clients/client-name.js';
import { clients } from '../../../engine/clients/table/index.js';
import { ExistingRecords } from '../../../engine/existing-servers/existing-records.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { type InstalledEntry, listInstalled } from '../../../engine/installation/installed.js';
import { installedAddress } from '../../../engine/installation/installed-address.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { findSignIns } from '../../shared/signed-in.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { installedData, type ListedEntry, renderInstalled } from './text.js';

export interface ListInstalledInput {
  /** Folder of the project. Default: all entries, of the user and of projects. */
  readonly project: string | undefined;
  readonly check: boolean;
  readonly json: boolean;
}

/** Lists the entries that `install` wrote, and their state. */
export async function listInstalledCommand(
  { project, check, json }: ListInstalledInput,
  host: Host,
): Promise<ExitCode> {
  const { receipts } = installationFolders(host);
  const { installed: all, notes } = await listInstalled({
    receipts,
    workspace: workspaceOptions(host),
    clients,
  });
  const folder = project === undefined ? undefined : await followLinks(path.resolve(host.cwd, project));
  const folders = await Promise.all(all.map(({ receipt }) => followLinks(receipt.project ?? '/')));
  const installed = all.filter(
    ({ receipt }, index) =>
      folder === undefined || (receipt.scope === 'project' && folders[index] === folder),
  );
  for (const note of notes) host.stderr.write(`warning: ${note}\n`);
  const entries = await withSignIns(installed, host);
  host.stdout.write(
    json
      ? renderJson(entries.map(installedData))
      : renderInstalled(entries, { color: host.color, nameOf: clientName }),
  );
  const holds = installed.every(({ state }) => state === 'intact') && notes.length === 0;
  return check && !holds ? ExitCode.Failed : ExitCode.Ok;
}

async function withSignIns(
  installed: readonly InstalledEntry[],
  host: Host,
): Promise<readonly ListedEntry[]> {
  const find = await findSignIns(host);
  const records = new ExistingRecords(workspaceFolders(host).dataFolder);
  const entries = installed.map(async (entry) => {
    const signIn = find(await installedAddress(entry.receipt, records));
    return signIn ? { ...entry, signIn } : entry;
  });
  return await Promise.all(entries);
}
