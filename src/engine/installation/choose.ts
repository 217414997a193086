import path from 'node:path';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';

/**
 * The server that is meant where none is named: the only one of the extension in this folder; else what `ask` says of
 * those that are there.
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
  const builtin = (await workspace.builtins()).flatMap(({ manifest }) =>
    manifest.declarations.servers.map(({ name }) => name),
  );
  return await ask([...local, ...builtin]);
}
