import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { didYouMean, inAnyCase } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import type { Extension } from '../extension/extension.js';
import { isPathArgument, serverName, Workspace } from '../extension/workspace.js';
import {
  type FileChange,
  planServerRemoval,
  readUserServers,
  removeServer,
  type UserServerFolders,
} from '../user-servers/store.js';
import {
  type UninstallDeps,
  type UninstallOutcome,
  type UninstallResult,
  uninstallServer,
} from './uninstall.js';

export interface DeletionRequest {
  readonly name: string;
  /** Also remove entries that were edited by hand. */
  readonly force: boolean;
  /** Report the deletion, and change nothing. */
  readonly dryRun: boolean;
}

/** Completed or planned deletion. */
export interface Deletion extends Pick<UninstallOutcome, 'results' | 'notes'> {
  readonly name: string;
  /** True if the server is deleted, or would be. False while one of its entries stays. */
  readonly deleted: boolean;
  /** The manifest and the definition. */
  readonly files: readonly FileChange[];
}

/**
 * Deletes a user server after removing it from every client. If an entry cannot be removed, nothing is
 * changed.
 * @throws AgentToolsError if it is not a user server, with the command to use instead.
 */
export async function deleteUserServer(
  { name: word, force, dryRun }: DeletionRequest,
  place: UserServerFolders,
  setting: UninstallDeps,
): Promise<Deletion> {
  const made = await readUserServers(place);
  const names = made.manifest.declarations.servers.map((server) => server.name);
  const name = names.includes(word) ? word : (inAnyCase(word, names) ?? word);
  if (!made.isDeclared('servers', name)) throw await explainNotUserServer(name, made, place);
  const files = await planServerRemoval(name, place);
  const planned = await uninstallServer(name, { force, dryRun: true }, setting);
  // An unreadable record may hold an entry of this server.
  const stays = planned.results.some(isFailure) || (planned.notes.length > 0 && !force);
  if (dryRun) return { name, ...planned, deleted: !stays, files };
  if (stays) return { name, ...planned, results: planned.results.filter(isFailure), deleted: false, files };
  const done = await uninstallServer(name, { force, dryRun: false }, setting);
  const deleted = !done.results.some(isFailure);
  if (deleted) await removeServer(name, place);
  return { name, ...done, deleted, files };
}

function isFailure(result: UninstallResult): boolean {
  return 'error' in result;
}

async function explainNotUserServer(
  name: string,
  made: Extension,
  place: UserServerFolders,
): Promise<AgentToolsError> {
  const workspace = new Workspace(place);
  const found = await workspace.findServer(name).catch(() => undefined);
  // A package with several servers is not a server.
  const extension = found?.extension ?? (await workspace.findPackage(name).catch(() => undefined));
  if (!extension) return noSuchServer(name, made);
  const known = found ? serverName(found) : name;
  const uninstalling = `agenttools uninstall --all ${known}`;
  if (extension.origin === 'builtin') {
    const message = `"${known}" is built in and cannot be deleted. Remove it from clients with: ${uninstalling}`;
    return new AgentToolsError('refused', message);
  }
  if (extension.origin === 'user') {
    const message = `"${name}" leads to your server by its path. Delete it by its name: agenttools delete-server ${known}`;
    return new AgentToolsError('refused', message);
  }
  if (isPathArgument(name)) {
    const message = `"${known}" belongs to the package in ${extension.manifest.directory}. Remove it from clients with: agenttools uninstall --all ${name}`;
    return new AgentToolsError('refused', message);
  }
  const advice = [
    `  to remove it from clients: ${uninstalling}`,
    `  to remove the package: ${await formatRemoveCommand(extension, place)}`,
  ];
  const message = `"${known}" belongs to the package ${extension.name} and goes with it only:\n${advice.join('\n')}`;
  return new AgentToolsError('refused', message);
}

/** Returns the command that removes a package from its location. */
async function formatRemoveCommand(
  { name, manifest }: Extension,
  { packagesFolder, globalFolder }: UserServerFolders,
): Promise<string> {
  const isIn = async (folder: string) =>
    manifest.directory === (await realpath(path.join(folder, name)).catch(() => undefined));
  if (await isIn(packagesFolder)) return `agenttools remove ${name}`;
  return (await isIn(globalFolder)) ? `npm uninstall --global ${name}` : `npm uninstall ${name}`;
}

function noSuchServer(name: string, made: Extension): AgentToolsError {
  const names = made.manifest.declarations.servers.map((server) => server.name);
  const meant = didYouMean(name, names);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  const message = `You have no server "${name}".${hint} Yours: ${names.join(', ') || 'none'}.`;
  return new AgentToolsError('not-found', message);
}
