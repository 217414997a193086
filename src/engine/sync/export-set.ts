import path from 'node:path';
import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import { looksSecret } from '../base/looks-secret.js';
import { isString, isStringList } from '../base/value-checks.js';
import { isOwnVariable } from '../base/variable-name.js';
import { ReferenceReader } from '../bundles/config-references.js';
import type { WritableClient } from '../clients/client.js';
import { clientName } from '../clients/client-name.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { listEntryKeys, readEntry } from '../clients/edit/entries.js';
import { entryLayoutIn } from '../clients/locate-config.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import { writableClients } from '../clients/table/index.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import { shownUrl } from '../existing-servers/hide-secrets.js';
import { InputCollector } from '../existing-servers/registry-inputs.js';
import { isSecretHeader } from '../extension/upstream-secrets.js';
import { hideHeader, hideInWords, nameFor, storedName, withNames } from '../installation/declaration.js';
import { hasPlace, locateEntryTarget, type Scope } from '../installation/entry-target.js';
import type { InstallDeps } from '../installation/install-request.js';
import { escapeNames, type ServerDeclaration } from '../installation/server-declaration.js';
import { allReceipts, entryOfReceipt } from './entry-sides.js';
import { lostFields } from './translate-entry.js';

export interface ExportRequest {
  readonly scope: Scope;
  /** Keys to export; empty: all. */
  readonly keys: readonly string[];
  /** Ids of clients; undefined: all. */
  readonly clients: readonly string[] | undefined;
  /** True: also entries that AgentTools did not write. */
  readonly foreign: boolean;
  /** Folder of the set. Paths in it become relative. */
  readonly folder: string;
}

export type ExportDeps = Pick<InstallDeps, 'receipts' | 'surroundings'>;

/** A set as it is written. */
export interface ExportedSet {
  readonly set: Readonly<Record<string, unknown>>;
  /** Number of servers. */
  readonly count: number;
  /** Names of secrets that the set refers to. */
  readonly secrets: readonly string[];
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

interface ExportedServer {
  readonly client: string;
  readonly key: string;
  readonly declared: ServerDeclaration;
}

/**
 * Describes installed servers as a set. Secrets become names.
 * @throws AgentToolsError if a key is unknown, or a file of a client cannot be read
 */
export async function exportSet(request: ExportRequest, deps: ExportDeps): Promise<ExportedSet> {
  const { known, notes: unreadable } = await allReceipts(deps.receipts);
  const notes = [...unreadable];
  const found: ExportedServer[] = [];
  for (const located of known) {
    const { receipt } = located;
    if (!isRequested(receipt, request)) continue;
    const entry = await entryOfReceipt(located).catch(() => undefined);
    if (!entry) {
      notes.push(`"${receipt.key}" is not in ${clientName(receipt.client)} any more, and is left out.`);
      continue;
    }
    found.push({ client: receipt.client, key: receipt.key, declared: declaredBy(receipt, entry, deps) });
  }
  if (request.foreign) {
    for (const { client, key, declared, lost } of await foreignServers(request, deps)) {
      if (found.some((one) => one.client === client && one.key === key)) continue;
      const where = `"${key}" in ${clientName(client)}`;
      if (declared) found.push({ client, key, declared });
      else notes.push(`${where} is turned off, or has no command that AgentTools can read. It is left out.`);
      if (declared && lost.length > 0)
        notes.push(`${where} has settings that a set cannot express: ${lost.join(', ')}.`);
    }
  }
  const missing = request.keys.find((key) => !found.some((one) => one.key === key));
  if (missing !== undefined) {
    const message = `No entry "${missing}" is installed. To include entries of other programs, add --foreign.`;
    throw new AgentToolsError('not-found', message);
  }
  const { servers, differing } = groupServers(found);
  notes.push(...differing, ...servers.flatMap(({ key, declared }) => localNotes(key, declared, request)));
  const texts = JSON.stringify(servers);
  return {
    set: writtenSet(servers, request),
    count: servers.length,
    secrets: [...new Set([...texts.matchAll(/(?<!\$)\$\{([\w.-]+)\}/g)].map(([, name]) => name!))].sort(),
    notes,
  };
}

function isRequested(
  { scope: kind, project, client, key }: Receipt,
  { scope, clients, keys }: ExportRequest,
): boolean {
  if (kind !== scope.kind || (scope.kind === 'project' && project !== scope.folder)) return false;
  return (!clients || clients.includes(client)) && (keys.length === 0 || keys.includes(key));
}

function declaredBy(receipt: Receipt, entry: ConfigEntry, deps: ExportDeps): ServerDeclaration {
  const client = writableClients.find(({ id }) => id === receipt.client);
  const { from: _, ...recorded } = (receipt.declared ?? {}) as ServerDeclaration & {
    readonly from?: unknown;
  };
  const isForeign = receipt.kind === 'client-config' && recorded.server === undefined;
  if (!client || isForeign)
    return client ? (declaredEntry({ client, key: receipt.key, entry }, deps) ?? recorded) : recorded;
  const base =
    recorded.server === undefined && !recorded.command
      ? { server: withNames(receipt.kind === undefined ? receipt.reference : receipt.server), ...recorded }
      : recorded;
  const { env: variables = {}, args = [] } = client.launchOf(entry) ?? {};
  // `--header-env <header>=<variable>`: the declaration has the header. The same for `--arg-env`.
  const isOfInput = (name: string) =>
    args.some(
      (word, index) => /^--(?:arg|header)-env$/.test(args[index - 1] ?? '') && word.endsWith(`=${name}`),
    );
  const answers = Object.entries(variables).filter(
    ([name]) => !isOwnVariable(name) && base.env?.[name] === undefined && !isOfInput(name),
  );
  const env = {
    ...base.env,
    ...Object.fromEntries(answers.map(([name, value]) => [name, hideValue(name, value)])),
  };
  const shown = Object.entries(env).map(([name, value]) => [name, storedName(value)] as const);
  return shown.length === 0 ? base : { ...base, env: Object.fromEntries(shown) };
}

function hideValue(name: string, value: string): string {
  return looksSecret(name, value) ? nameFor(name) : escapeNames(value);
}

/** An entry of another program. `declared`: undefined if it is turned off, or has neither a command nor an address. */
interface ForeignServer extends Pick<ExportedServer, 'client' | 'key'> {
  readonly declared: ServerDeclaration | undefined;
  /** Fields that a set cannot express. */
  readonly lost: readonly string[];
}

/** Entries of other programs in the files of clients. */
async function foreignServers(request: ExportRequest, deps: ExportDeps): Promise<readonly ForeignServer[]> {
  const { scope, clients, keys } = request;
  const found: ForeignServer[] = [];
  for (const client of writableClients) {
    if (clients ? !clients.includes(client.id) : !hasPlace(client, scope, deps.surroundings)) continue;
    const { file, format, layout } = await locateEntryTarget(client, scope, {
      key: 'key',
      surroundings: deps.surroundings,
    });
    const { text } = await readTextFile(file);
    if (text === null) continue;
    const place = (key: string) => ({ format, container: layout.container, key });
    for (const key of await listEntryKeys(text, place(''))) {
      if (keys.length > 0 && !keys.includes(key)) continue;
      const entry = await readEntry(text, place(key));
      if (!entry) continue;
      const declared = declaredEntry({ client, key, entry }, deps);
      const lost = lostFields({ layout, key, entry });
      const isOff = entry.disabled === true || entry.enabled === false;
      found.push({ client: client.id, key, declared: isOff ? undefined : declared, lost });
    }
  }
  return found;
}

interface ClientEntry {
  readonly client: WritableClient;
  readonly key: string;
  readonly entry: ConfigEntry;
}

/** Declaration of any entry; undefined if it has neither a command nor an address. */
function declaredEntry(
  { client, key, entry }: ClientEntry,
  { surroundings }: ExportDeps,
): ServerDeclaration | undefined {
  const fills = client.secretReference?.('NAME', 'key', client.name).value !== undefined;
  const toText = (text: string) => (fills ? withReferences(text, key, surroundings) : escapeNames(text));
  const remote = remoteShapeOf(client)?.remoteOf(entry) ?? readRemoteEntry(entry);
  if (remote) {
    const { url, transport, headers, variableHeaders = {} } = remote;
    const named = Object.entries(variableHeaders).map(([name, { variable, prefix }]) => [
      name,
      `${prefix}\${${variable}}`,
    ]);
    const written = Object.entries(headers).map(([name, value]) => {
      const text = toText(value);
      return [name, text === value && isSecretHeader(name, value) ? hideHeader(name, value) : text];
    });
    const all = [...written, ...named];
    return {
      server: withNames(shownUrl(url)),
      ...(transport === 'sse' && { transport }),
      ...(all.length > 0 && { headers: Object.fromEntries(all) }),
    };
  }
  const launch = entryLayoutIn(client, undefined).launchOf(entry) ?? client.launchOf(entry);
  if (!launch) return undefined;
  const names = [entry.env_vars, entry.env_keys].flatMap((list) => (isStringList(list) ? list : []));
  const env = Object.fromEntries([
    ...Object.entries(launch.env).map(([name, value]) => {
      const text = toText(value);
      return [name, text === value && looksSecret(name, value) ? nameFor(name) : text];
    }),
    ...names.map((name) => [name, `\${${name}}`]),
  ]);
  return {
    command: hideInWords([launch.command, ...launch.args]),
    ...(Object.keys(env).length > 0 && { env }),
    ...(launch.cwd !== undefined && { cwd: launch.cwd }),
  };
}

/** References of a client as names. */
function withReferences(text: string, key: string, { home, platform }: ExportDeps['surroundings']): string {
  const collector = new InputCollector();
  const reader = new ReferenceReader(collector, {
    projectFolder: home,
    fileFolder: home,
    isForeign: true,
    home,
    platform,
    inputs: undefined,
  });
  const parts = reader.read(text);
  // AgentTools names inputs of Visual Studio Code after the entry and the variable.
  const prefix = `${key}_`.replace(/\W/g, '_');
  const nameOf = (id: string) => {
    const { name } = collector.inputs.find((input) => input.id === id)!;
    return name.startsWith(prefix) ? name.slice(prefix.length) : name;
  };
  return parts.map((part) => (isString(part) ? escapeNames(part) : nameFor(nameOf(part.input)))).join('');
}

interface GroupedServer {
  readonly key: string;
  readonly declared: ServerDeclaration;
  readonly clients: readonly string[];
}

/** Joins equal servers of several clients. Of different ones with one key, the first stays. */
function groupServers(found: readonly ExportedServer[]): {
  readonly servers: readonly GroupedServer[];
  readonly differing: readonly string[];
} {
  const servers = new Map<string, GroupedServer>();
  const differing: string[] = [];
  for (const { client, key, declared } of found) {
    const held = servers.get(key);
    if (!held) servers.set(key, { key, declared, clients: [client] });
    else if (canonical(held.declared) === canonical(declared))
      servers.set(key, { ...held, clients: [...held.clients, client] });
    else {
      const [first = ''] = held.clients;
      differing.push(
        `"${key}" differs between ${clientName(first)} and ${clientName(client)}. The set has the entry of ${clientName(first)}, without ${clientName(client)}.`,
      );
    }
  }
  return { servers: [...servers.values()], differing };
}

/** Paths that other machines may lack. */
function localNotes(
  key: string,
  { server, command }: ServerDeclaration,
  { folder }: ExportRequest,
): readonly string[] {
  const places = [server ?? '', ...(command ?? [])].filter(
    (word) => path.isAbsolute(word) && relativePath(word, folder) === word,
  );
  return places.map((place) => `"${key}" names ${place}, which other machines may lack.`);
}

function relativePath(place: string, folder: string): string {
  const relative = path.relative(folder, place);
  const isInside = path.isAbsolute(place) && !relative.startsWith('..') && !path.isAbsolute(relative);
  return isInside ? `./${relative.replaceAll(path.sep, '/')}` : place;
}

function writtenSet(servers: readonly GroupedServer[], { scope, folder }: ExportRequest): ExportedSet['set'] {
  const lists = servers.map(({ clients }) => [...clients].sort());
  const isShared = lists.every((list) => list.join() === lists[0]?.join());
  return {
    scope: scope.kind === 'project' ? 'project' : 'user',
    ...(isShared && lists[0] && { clients: lists[0] }),
    servers: Object.fromEntries(
      servers.map(({ key, declared }, index) => [
        key,
        {
          ...declared,
          ...(declared.server !== undefined && { server: relativePath(declared.server, folder) }),
          ...(!isShared && { clients: lists[index] }),
        },
      ]),
    ),
  };
}
