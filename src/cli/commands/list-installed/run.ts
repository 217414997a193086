import { clientName } from '../../../engine/clients/client-name.js';
import { clients } from '../../../engine/clients/table/index.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { listInstalled } from '../../../engine/installation/installed.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { installedData, renderInstalled } from './text.js';

export interface ListInstalledInput {
  readonly check: boolean;
  readonly json: boolean;
}

/** Lists the entries that `install` wrote, and their state. */
export async function listInstalledCommand(
  { check, json }: ListInstalledInput,
  host: Host,
): Promise<ExitCode> {
  const { receipts } = installationFolders(host);
  const { installed, notes } = await listInstalled({ receipts, workspace: workspaceOptions(host), clients });
  for (const note of notes) host.stderr.write(`warning: ${note}\n`);
  host.stdout.write(
    json
      ? renderJson(installed.map(installedData))
      : renderInstalled(installed, { color: host.color, nameOf: clientName }),
  );
  const holds = installed.every(({ state }) => state === 'intact') && notes.length === 0;
  return check && !holds ? ExitCode.Failed : ExitCode.Ok;
}
