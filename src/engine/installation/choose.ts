import path from 'node:path';
import { type DiscoveryFolders, listServers } from '../discovery/list-servers.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/**
 * The server that is meant where none is named: the only one of the extension in this folder; else the only one there
 * is, or what `ask` says of those that are there.
 */
export async function chosenServer(
  folders: WorkspaceOptions & DiscoveryFolders,
  ask: (references: readonly string[]) => Promise<string>,
): Promise<string> {
  const workspace = new Workspace(folders);
  const here = await workspace.packageHere();
  const own = here?.manifest.declarations.servers.map(({ name }) => name) ?? [];
  if (here && own.length < 2) {
    const only = await workspace.findServer(here.manifest.directory).catch(() => undefined);
    if (only) return here.manifest.directory;
  }
  // What is wrong with one of them is told when it is named.
  const { servers } = await listServers({ folders, builtIn: true, ignoreProject: true });
  const known = [
    ...own.map((name) => path.join(here!.manifest.directory, name)),
    ...servers.map(({ name }) => name),
  ];
  return known.length === 1 ? known[0]! : await ask(known);
}
