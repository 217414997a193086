import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { type DiscoveryFolders, listServers } from '../discovery/list-servers.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/**
 * Returns the server if the command line names none: the only server of the extension in this folder, else the answer
 * of `ask`, which gets the servers to choose from.
 * @throws AgentToolsError if the extension in this folder cannot be read.
 */
export async function chosenServer(
  folders: WorkspaceOptions & DiscoveryFolders,
  ask: (references: readonly string[]) => Promise<string>,
): Promise<string> {
  const workspace = new Workspace(folders);
  const here = await workspace.extensionHere().catch((error: unknown) => {
    if (!(error instanceof AgentToolsError)) throw error;
    const message = `The package in this folder cannot be read. ${error.message} Fix it, or name a server.`;
    throw new AgentToolsError(error.code, message);
  });
  const own = here?.manifest.declarations.servers.map(({ name }) => name) ?? [];
  if (here && own.length < 2) {
    const only = await workspace.findServer(here.manifest.directory).catch(() => undefined);
    if (only) return here.manifest.directory;
  }
  // Faults of a server are reported when the command line names it.
  const { servers } = await listServers({ folders, builtIn: true, ignoreProject: true });
  return await ask([
    ...own.map((name) => path.join(here!.manifest.directory, name)),
    ...servers.map(({ name }) => name),
  ]);
}
