import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { Client } from '../clients/client.js';
import { type DiscoveryFolders, listServers } from '../discovery/list-servers.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';
import type { ServersByKind } from './install-request.js';

/** The built-in server that serves each kind of client best: who chats asks for knowledge, who writes code for a language. */
const usualServers: ServersByKind = {
  chat: 'Wolfram',
  coding: 'WolframLanguage',
  ide: 'WolframLanguage',
};

/** What there is to choose from, where nothing was named. */
export interface ServerChoice {
  readonly references: readonly string[];
  /** What is taken where nothing is chosen, each for some of the clients; none: something has to be. */
  readonly usual: readonly string[];
}

/**
 * The server that is meant where none is named: the only one of the extension in this folder; else the only one there
 * is, or what `ask` says of those that are there. Where there is no extension it need not say anything: then it is the
 * usual one of each kind of client.
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
    const message = `The package in this folder cannot be read. ${error.message} Mend it, or name a server.`;
    throw new AgentToolsError(error.code, message);
  });
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
  if (known.length === 1) return known[0]!;
  const wanted = [...new Set(clients.map(({ kind }) => usualServers[kind]))];
  const isUsual = here === undefined && wanted.every((name) => known.includes(name));
  return (await ask({ references: known, usual: isUsual ? wanted : [] })) ?? usualServers;
}
