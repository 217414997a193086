import { workspaceFolders } from '../../../engine/base/folders.js';
import { findDependentEntries } from '../../../engine/installation/dependent-entries.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { removePackages } from '../../../engine/packages/remove.js';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderResults } from '../../shared/failure.js';
import { openWorkspace } from '../../shared/workspace.js';
import { removalData, removalLines } from './text.js';

export interface RemoveInput {
  readonly names: readonly string[];
  readonly force: boolean;
  readonly json: boolean;
}

/** Removes added packages. */
export async function removeCommand({ names, force, json }: RemoveInput, host: Host): Promise<ExitCode> {
  const { receipts } = installationFolders(host);
  const results = await removePackages(
    names,
    { force },
    {
      packagesFolder: workspaceFolders(host).packagesFolder,
      userServers: () => openWorkspace(host).userServers(),
      needsOf: (packageName) => findDependentEntries(packageName, receipts),
    },
  );
  host.stderr.write(removalLines(results));
  if (json)
    host.stdout.write(
      renderResults(results, { all: names.length > 1, data: () => results.map(removalData) }),
    );
  return toExitCode(results);
}
