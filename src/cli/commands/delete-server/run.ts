import { AgentToolsError } from '../../../engine/base/errors.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { clientName } from '../../../engine/clients/client-name.js';
import { deleteUserServer } from '../../../engine/installation/delete-server.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { removeUnusedServers } from '../../../engine/installation/unused-servers.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderFailure } from '../../shared/failure.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { deletionData, deletionDiff, deletionLines, explainNotDeleted } from './text.js';

export interface DeleteServerInput {
  readonly name: string;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

/** Deletes a user server. Prints data to stdout and the report to stderr. */
export async function deleteServerCommand(
  { json, ...request }: DeleteServerInput,
  host: Host,
): Promise<ExitCode> {
  const { surroundings, receipts } = installationFolders(host);
  const setting = { cwd: host.cwd, home: host.home, surroundings, receipts };
  const deletion = await deleteUserServer(request, workspaceOptions(host), setting);
  if (deletion.deleted && !request.dryRun)
    await removeUnusedServers(receipts, workspaceFolders(host).dataFolder);
  const wording = { dryRun: request.dryRun, nameOf: clientName };
  host.stderr.write(deletionLines(deletion, wording));
  if (json && deletion.deleted) host.stdout.write(renderJson(deletionData(deletion, wording)));
  else if (json)
    host.stdout.write(renderFailure(new AgentToolsError('refused', explainNotDeleted(deletion))));
  else if (request.dryRun) host.stdout.write(deletionDiff(deletion, wording));
  return deletion.deleted ? ExitCode.Ok : ExitCode.Failed;
}
