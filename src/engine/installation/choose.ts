import path from 'node:path';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/**
 * The server that is meant where none is named: the only one of the extension in this folder; else what `ask` says of
 * those that are there, of the user's and of the built-in ones.
 */
export async function chosenServer(
  options: WorkspaceOptions,
  ask: (references: readonly string[]) => Promise<string>,
): Promise<string> {
  const workspace = new Workspace(options);
  const here = await workspace.packageHere();
  const own = here ? here.manifest.declarations.servers.map(({ name }) => `./${name}`) : [];
  if (here && own.length < 2) {
    const only = await workspace.findServer(here.manifest.directory).catch(() => undefined);
    if (only) return here.manifest.directory;
  }
  const local = own.map((name) => path.join(here!.manifest.directory, name));
  // What is wrong with the user's is told when one of them is named.
  const made = await workspace.userServers().catch(() => undefined);
  const bare = [...(made ? [made] : []), ...(await workspace.builtins())].flatMap(({ manifest }) =>
    manifest.declarations.servers.map(({ name }) => name),
  );
  return await ask([...local, ...bare]);
}
