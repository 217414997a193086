import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { Client } from '../clients/client.js';
import { type DiscoveryFolders, listServers } from '../discovery/list-servers.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';
import type { ServersByKind } from './install-request.js';

/** Default built-in server for each kind of client: knowledge for chat, a language for coding. */
const usualServers: ServersByKind = {
  chat: 'Wolfram',
  coding: 'WolframLanguage',
  ide: 'WolframLanguage',
};

/** Servers to choose from if the command line names none. */
export interface ServerChoice {
  readonly references: readonly string[];
  /** Default servers, each for some of the clients; empty: the user must choose. */
  readonly usual: readonly string[];
}

/**
 * Returns the server if the command line names none: the only server of the extension in this folder, else
 * the only available server, else the answer of `ask`. If `ask` returns undefined, the result is the default
 * server of each kind of client.
 * @throws AgentToolsError if the extension in this folder cannot be read.
 */
export async function chosenServer(
  folders: WorkspaceOptions & DiscoveryFolders,
  clients: readonly Pick<Client, 'kind'>[],
  ask: (choice: ServerChoice) => Promise<string | undefined>,
): Promise<string | ServersByKind> {
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
  const known = [
    ...own.map((name) => path.join(here!.manifest.directory, name)),
    ...servers.map(({ name }) => name),
  ];
  if (known.length === 1) return known[0]!;
  const wanted = [...new Set(clients.map(({ kind }) => usualServers[kind]))];
  const isUsual = here === undefined && wanted.every((name) => known.includes(name));
  return (await ask({ references: known, usual: isUsual ? wanted : [] })) ?? usualServers;
}
