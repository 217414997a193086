import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import type {
  Client,
  ClientEnvironment,
  ConfigFormat,
  EntryContainer,
  EntryLayout,
  FileScope,
  SyntaxTolerance,
  WritableClient,
} from './client.js';
import { type EntryLocator, readConfigDocument, readEntry } from './edit/entries.js';
import { entryLocator } from './ledger/slot.js';
import type { Receipt } from './receipt.js';
import { platformPaths } from './table/folders.js';
import { clients } from './table/index.js';

/** A config file of a client, existing or not. */
export interface ConfigFile {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly container: EntryContainer;
  readonly tolerance: SyntaxTolerance;
  /** Initial content of a new file. */
  readonly template?: string;
}

/** The client has no such file; the reason is for the user. */
export interface NoConfigFile {
  readonly file?: undefined;
  readonly reason: string;
}

/**
 * Finds a client by id, name or alias. Compares letters and digits only, ignoring case. @throws
 * AgentToolsError if there is no such client.
 */
export function findClient(name: string): Client {
  const wanted = normalizeName(name);
  const found = clients.find((client) =>
    clientNames(client).some((known) => normalizeName(known) === wanted),
  );
  if (found) return found;
  const meant = didYouMean(name, clients.flatMap(clientNames));
  const hint = meant
    ? `Did you mean "${meant}"?`
    : `Known clients: ${clients.map(({ id }) => id).join(', ')}.`;
  throw new AgentToolsError('not-found', `There is no client "${name}". ${hint}`);
}

function clientNames({ id, name, aliases }: Client): readonly string[] {
  return [id, name, ...aliases];
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The user's config file of a client, for an entry under a key. */
export function userFile(
  client: Client,
  surroundings: ClientEnvironment,
  key: string,
): ConfigFile | NoConfigFile {
  if (client.manual) return noWritableFile(client);
  const [file] = client.userFiles(surroundings);
  return file === undefined ? noUserFile(client, surroundings) : configFile(client, withKey(file, key), key);
}

/** The config file of a client in a project. */
export function projectFile(
  client: Client,
  folder: string,
  surroundings: ClientEnvironment,
  key: string,
): ConfigFile | NoConfigFile {
  if (client.manual) return noWritableFile(client);
  const { name, projectFiles = [], newProjectFile } = client;
  const { join } = platformPaths(surroundings);
  const at = (file: string) => join(folder, withKey(file, key));
  const chosen =
    projectFiles.find((file) => surroundings.exists(at(file))) ?? newProjectFile ?? projectFiles[0];
  if (chosen !== undefined) return configFile(client, at(chosen), key);
  return { reason: `${name} has no config file for projects. Leave out --project to use the user's own.` };
}

/** A given file, read as a config file of a client. */
export function configFile(client: WritableClient, file: string, key: string): ConfigFile {
  const { format, container, tolerance, template } = client;
  return { file, format, container, tolerance, ...(template && { template: template(file, key) }) };
}

/** Layout of a client's file with the given data. */
export function entryLayoutIn(client: WritableClient, data: unknown): EntryLayout {
  return client.layoutIn?.(data) ?? client;
}

/** Present position of an entry of AgentTools. A client may have moved it when it migrated its file. */
export async function currentLocation(receipt: Receipt, text: string | null): Promise<EntryLocator> {
  const place = entryLocator(receipt);
  const client = clients.find(({ id }) => id === receipt.client);
  if (text === null || !client || client.manual || (await readEntry(text, place))) return place;
  if (!client.layoutIn) return { ...place, container: client.container };
  const { container } = entryLayoutIn(client, await readConfigDocument(text, receipt.format));
  return { ...place, container };
}

/** Warnings to show when an entry of a client is written. */
export function listWarnings(
  { cautions = [] }: WritableClient,
  scope: FileScope,
  surroundings: ClientEnvironment,
): readonly string[] {
  const told = cautions.filter(
    (one) => (one.scope ?? scope) === scope && (one.applies?.(surroundings) ?? true),
  );
  return told.map(({ text }) => text);
}

/** `checkKey` ensures that a key has only characters that a file name may have. */
function withKey(file: string, key: string): string {
  return file.replace('<key>', () => key);
}

function noWritableFile({ name }: Client): NoConfigFile {
  return { reason: `${name} has no config file that a program may write.` };
}

const systems = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;

function noUserFile(client: WritableClient, { platform, home }: ClientEnvironment): NoConfigFile {
  const nothing = { home, env: {}, exists: () => false, namesIn: () => [] };
  const others = Object.entries(systems).filter(
    ([other]) => client.userFiles({ ...nothing, platform: other as keyof typeof systems }).length > 0,
  );
  const here = Object.hasOwn(systems, platform) ? systems[platform as keyof typeof systems] : platform;
  const where = others.map(([, system]) => system).join(' and ');
  return {
    reason: `${client.name} has no config file on ${here} that AgentTools knows, only on ${where}. Name the file with --config.`,
  };
}
