import { AgentToolsError } from '../../engine/errors.js';
import { parseQualifiedName } from '../../engine/extension/names.js';
import { workspaceFolders } from '../../engine/folders.js';
import { installationFolders } from '../../engine/installation/setting.js';
import type { Reference } from '../../engine/packages/references.js';
import { removePackage } from '../../engine/packages/remove.js';
import type { Host } from '../../host.js';
import { clientName } from '../client-name.js';
import type { ExitCode } from '../exit-code.js';
import { exitCodeOf, hasData } from '../outcome.js';
import { renderJson } from '../render/json.js';
import { type RemoveResult, removalData, removalLines } from '../render/packages.js';

export interface RemoveInput {
  readonly names: readonly string[];
  readonly force: boolean;
  readonly json: boolean;
}

/** Removes packages that were added. */
export async function removeCommand({ names, force, json }: RemoveInput, host: Host): Promise<ExitCode> {
  const { packagesFolder, userServersFolder } = workspaceFolders(host);
  const setting = { packagesFolder, userServersFolder, referencesTo: entriesNeeding(host) };
  const results: RemoveResult[] = [];
  for (const name of new Set(names)) {
    const removal = removePackage(name, { force, together: names }, setting);
    results.push(
      await removal.catch((error: unknown) => {
        if (error instanceof AgentToolsError) return { name, error };
        throw error;
      }),
    );
  }
  host.stderr.write(removalLines(results));
  if (json && hasData(results, { all: names.length > 1 }))
    host.stdout.write(renderJson(results.map(removalData)));
  return exitCodeOf(results);
}

/** The entries that install wrote for servers of a package. */
function entriesNeeding(host: Host): (packageName: string) => Promise<readonly Reference[]> {
  return async (packageName) => {
    const { records } = await installationFolders(host).receipts.all();
    return records
      .flatMap(({ receipts }) => receipts)
      .filter(({ server }) => parseQualifiedName(server)?.package === packageName)
      .map(({ key, client, file, server }) => ({
        by: `"${key}" in ${clientName(client)} (${file})`,
        item: server,
      }));
  };
}
