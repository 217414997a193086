import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import { type FolderFacts, ownProgram, workspaceFolders } from '../base/folders.js';
import type { Client, ClientEnvironment } from '../clients/client.js';
import { isDetected } from '../clients/detect-client.js';
import { guessClient, guessOwner } from '../clients/guess-client.js';
import { findClient } from '../clients/locate-config.js';
import { Receipts } from '../clients/receipts.js';
import { clients } from '../clients/table/index.js';
import { isPathArgument } from '../extension/workspace.js';
import { toUserError } from './config-fault.js';
import { hasPlace, type Scope } from './entry-target.js';

/** What installing stands on, wherever it is asked for. */
export interface InstallationFolders {
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** A data folder other than the usual one, which entries must name. */
  readonly dataFolder: string | undefined;
}

export function installationFolders(facts: FolderFacts): InstallationFolders {
  const { dataFolder } = workspaceFolders(facts);
  const { env, home, platform } = facts;
  return {
    surroundings: { home, env, platform, exists: existsSync, namesIn: namesIfPresent },
    receipts: new Receipts({ folder: dataFolder }),
    program: ownProgram(),
    dataFolder: env.AGENTTOOLS_HOME ? dataFolder : undefined,
  };
}

function namesIfPresent(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Which files a command line means. */
export interface ScopeSelection {
  readonly client: string | undefined;
  readonly project: string | undefined;
  readonly config: string | undefined;
  readonly all: boolean;
}

/** What a command line names; a project need not be there any more. */
export function resolveScope({ project, config }: ScopeSelection, { cwd }: { readonly cwd: string }): Scope {
  if (config !== undefined) return { kind: 'config', file: path.resolve(cwd, config) };
  if (project === undefined) return { kind: 'user' };
  return { kind: 'project', folder: path.resolve(cwd, project) };
}

/**
 * The client a command line names; undefined where it names none.
 * @throws AgentToolsError if there is no such client; `usage` for a path, which is a server's place.
 */
export function namedClient({ client }: ScopeSelection): Client | undefined {
  if (client === undefined) return undefined;
  if (!isPathArgument(client)) return findClient(client);
  const message = `"${client}" is a path, but the client comes first, then the server. See all clients with: agenttools list-clients`;
  throw new AgentToolsError('usage', message);
}

interface ClientStateInput {
  readonly scope: Scope;
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
}

/**
 * The clients a command line means: the one it names, with `--all` those that are here, with `--config` the one whose
 * file it is.
 * @throws AgentToolsError if there is none, or no such project; `usage` if a file does not tell whose it is.
 */
export async function selectClients(
  words: ScopeSelection,
  { scope, surroundings, receipts }: ClientStateInput,
): Promise<readonly Client[]> {
  const named = namedClient(words);
  if (scope.kind === 'project' && !surroundings.exists(scope.folder)) {
    throw new AgentToolsError('not-found', `There is no folder ${scope.folder} to be the project.`);
  }
  if (named) return [named];
  if (scope.kind === 'config') return [await guessFileOwner(scope.file, { surroundings, receipts })];
  const here = clients.filter(
    (client) => isDetected(client, surroundings) && hasPlace(client, scope, surroundings),
  );
  if (here.length > 0) return here;
  const which = scope.kind === 'project' ? 'that keeps a file in the project ' : '';
  const message = `No client ${which}was found on this machine. See all that are known with: agenttools list-clients`;
  throw new AgentToolsError('not-found', message);
}

/** Whose a file is: that of the client it was written for, if it was by us; else whose it seems to be. */
async function guessFileOwner(
  file: string,
  { surroundings, receipts }: Omit<ClientStateInput, 'scope'>,
): Promise<Client> {
  const { text, realFile } = await readTextFile(file).catch(async (error) => {
    throw await toUserError(error, file);
  });
  const known = (await receipts.read(realFile)).receipts.map(({ client }) => client);
  const [ours, another] = clients.filter(({ id }) => known.includes(id));
  if (ours && !another) return ours;
  // An ending alone is no reason to make a file.
  const client = text === null ? guessOwner(file, surroundings) : guessClient(file, text, surroundings);
  if (client) return client;
  const problem =
    text === null
      ? `${file} is not there, and where it would be does not tell whose it is to be`
      : `${file} does not tell which client's it is`;
  throw new AgentToolsError('usage', `${problem}. Say it with --client <client>.`);
}
