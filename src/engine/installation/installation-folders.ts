import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import { type FolderFacts, ownProgram, workspaceFolders } from '../base/folders.js';
import type { Client, ClientEnvironment } from '../clients/client.js';
import { isDetected } from '../clients/detect-client.js';
import { guessClient, guessOwner } from '../clients/guess-client.js';
import { findClient, projectFile } from '../clients/locate-config.js';
import { Receipts } from '../clients/receipts.js';
import { clients } from '../clients/table/index.js';
import { isPathArgument } from '../extension/workspace.js';
import { toUserError } from './config-fault.js';
import { hasPlace, type Scope } from './entry-target.js';

/** Environment of the installation commands. */
export interface InstallationFolders {
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** Data folder that entries must name; undefined: the default folder. */
  readonly dataFolder: string | undefined;
}

/** `command`: name of the command that runs, for the history. */
export function installationFolders(facts: FolderFacts & { readonly command?: string }): InstallationFolders {
  const { dataFolder } = workspaceFolders(facts);
  const { env, home, platform } = facts;
  return {
    surroundings: { home, env, platform, exists: existsSync, namesIn: namesIfPresent },
    receipts: new Receipts({ folder: dataFolder, command: facts.command }),
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

/** Options that select config files. */
export interface ScopeSelection {
  readonly client: string | undefined;
  readonly project: string | undefined;
  readonly config: string | undefined;
  readonly all: boolean;
}

/** Returns the scope of the options. The project need not exist. */
export function resolveScope({ project, config }: ScopeSelection, { cwd }: { readonly cwd: string }): Scope {
  if (config !== undefined) return { kind: 'config', file: path.resolve(cwd, config) };
  if (project === undefined) return { kind: 'user' };
  return { kind: 'project', folder: path.resolve(cwd, project) };
}

/** Clients that the options name: one, or a list with commas. */
export interface NamedClients {
  /** Each client once. */
  readonly clients: readonly [Client, ...Client[]];
  readonly isList: boolean;
}

/**
 * Returns the clients that the options name; undefined if they name none.
 * @throws AgentToolsError if there is no such client; `usage` for a path, which is a server.
 */
export function namedClients({ client: words }: ScopeSelection): NamedClients | undefined {
  if (words === undefined) return undefined;
  if (isPathArgument(words)) {
    const message = `"${words}" is a path, but the client comes first, then the server. See all clients with: agenttools list-clients`;
    throw new AgentToolsError('usage', message);
  }
  const names = words.split(',').map((name) => name.trim());
  const [first = '', ...others] = names.filter((name) => name !== '');
  const found = new Set([first, ...others].map((name) => findClient(name)));
  return { clients: [...found] as [Client, ...Client[]], isList: names.length > 1 };
}

interface ClientStateInput {
  readonly scope: Scope;
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
}

/** Clients to write to. */
export interface ClientSelection {
  readonly clients: readonly Client[];
  /** True for `--all` and for a list of clients, also with one item. */
  readonly isList: boolean;
  /** Clients of the list that were not found on this machine. */
  readonly skipped: readonly Client[];
  /** The only named client, if it was not found on this machine. */
  readonly absent?: Client;
}

/**
 * Returns the clients that the options select: the named one, the installed ones of a list, with `--all` those that
 * are installed, with `--config` the client of the file.
 * @throws AgentToolsError if there is no client or project; `usage` if the client of a file is unknown.
 */
export async function selectClients(
  words: ScopeSelection,
  { scope, surroundings, receipts }: ClientStateInput,
): Promise<ClientSelection> {
  const named = namedClients(words);
  if (scope.kind === 'project' && !surroundings.exists(scope.folder)) {
    throw new AgentToolsError('not-found', `The project folder ${scope.folder} does not exist.`);
  }
  const hasProjectFile = (client: Client): boolean => {
    const file = scope.kind === 'project' && projectFile(client, scope.folder, surroundings, 'key').file;
    return file !== undefined && file !== false && surroundings.exists(file);
  };
  // A client without a config file leaves no traces.
  const isHere = (client: Client): boolean =>
    client.manual !== undefined || isDetected(client, surroundings) || hasProjectFile(client);
  if (scope.kind === 'config') {
    const owner = named?.clients[0] ?? (await guessFileOwner(scope.file, { surroundings, receipts }));
    return { clients: [owner], isList: false, skipped: [] };
  }
  if (named?.isList) return selectFromList(named.clients, isHere);
  if (named) {
    const [only] = named.clients;
    return { clients: [only], isList: false, skipped: [], ...(!isHere(only) && { absent: only }) };
  }
  const here = clients.filter(
    (client) => isDetected(client, surroundings) && hasPlace(client, scope, surroundings),
  );
  const skipped = clients.filter((client) => !isHere(client));
  if (here.length > 0) return { clients: here, isList: true, skipped };
  const which = scope.kind === 'project' ? 'that keeps a file in the project ' : '';
  const message = `No client ${which}was found on this machine. See all known clients with: agenttools list-clients`;
  throw new AgentToolsError('not-found', message);
}

/** @throws AgentToolsError if no client of the list is installed */
function selectFromList(listed: readonly Client[], isHere: (client: Client) => boolean): ClientSelection {
  const skipped = listed.filter((client) => !isHere(client));
  if (skipped.length < listed.length) return { clients: listed.filter(isHere), isList: true, skipped };
  const names = skipped.map(({ name }) => name).join(', ');
  const message = `None of these clients was found on this machine: ${names}. To write the file of one anyway, name it alone.`;
  throw new AgentToolsError('not-found', message);
}

/** Returns the client of a file: from the receipts if AgentTools wrote to the file, else by a guess. */
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
  // A file extension alone is no reason to create a file.
  const client = text === null ? guessOwner(file, surroundings) : guessClient(file, text, surroundings);
  if (client) return client;
  const problem =
    text === null
      ? `${file} does not exist, and its location fits no client`
      : `The client of ${file} is unknown`;
  throw new AgentToolsError('usage', `${problem}. Name the client with --client <client>.`);
}
