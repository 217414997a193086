import { workspaceFolders } from '../../../engine/base/folders.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { prune } from '../../../engine/installation/prune.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { withProgress } from '../../shared/progress.js';
import { renderJson } from '../../shared/text/json.js';
import { pruneLines } from './text.js';

export interface PruneInput {
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Removes folders that nothing uses. */
export async function pruneCommand({ dryRun, json }: PruneInput, host: Host): Promise<ExitCode> {
  const { packagesFolder, dataFolder } = workspaceFolders(host);
  const { receipts } = installationFolders(host);
  const folders = await withProgress(host, async (tell) => {
    tell('Looking for unused packages and servers');
    return await prune({ dryRun }, { packagesFolder, dataFolder, receipts });
  });
  if (json) host.stdout.write(renderJson(folders.map(({ isKept, ...rest }) => ({ ...rest, kept: isKept }))));
  host.stderr.write(pruneLines(folders, { dryRun }));
  return ExitCode.Ok;
}
