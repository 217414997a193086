import { AgentToolsError } from '../base/errors.js';
import type { Client, WritableClient } from '../clients/client.js';
import type { Drafts } from '../clients/config-change.js';
import { isDetected } from '../clients/detect-client.js';
import { findClient } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import { clients as allClients } from '../clients/table/index.js';
import { shownUrl, shownWords } from '../existing-servers/hide-secrets.js';
import { referenceOfCommand } from '../existing-servers/resolve-command.js';
import { withNames } from '../installation/declaration.js';
import { hasPlace } from '../installation/entry-target.js';
import { install } from '../installation/install.js';
import type { InstallDeps } from '../installation/install-request.js';
import type { InstallResult } from '../installation/install-result.js';
import { receiptMatcher } from '../installation/match-receipt.js';
import { missingProgram } from '../installation/missing-program.js';
import { fillNames, namesIn } from '../installation/server-declaration.js';
import { uninstall } from '../installation/uninstall.js';
import { type Decision, decide } from './decide.js';
import { declaredRequest, textsOf } from './declared-request.js';
import { allReceipts, entryOfReceipt, type LocatedReceipt, presentEntry } from './entry-sides.js';
import { findNameValues, type NameSource, type NameValues } from './name-values.js';
import type { DeclaredServer, ServerSet } from './server-set.js';
import type { SyncRow } from './sync-row.js';

export interface SyncChoice {
  /** Keys to synchronise; empty: all. */
  readonly keys: readonly string[];
  /** Clients to synchronise; undefined: all clients of the set. */
  readonly clients: readonly Client[] | undefined;
  /** True: the set wins over changes in clients and over entries of other programs. */
  readonly force: boolean;
  /** `check`: neither plans edits nor writes. */
  readonly mode: 'write' | 'dry-run' | 'check';
  /** Timeout for the answer of a server; undefined: servers are not started. */
  readonly verifyTimeoutMs: number | undefined;
  readonly yes: boolean;
}

export interface SyncResult {
  readonly rows: readonly SyncRow[];
  /** Notes on unreadable records, in sentences. */
  readonly notes: readonly string[];
}

/** One entry of the set in one client. */
interface SyncJob {
  readonly server: DeclaredServer;
  readonly client: Client;
}

interface SetSyncContext extends SyncChoice {
  readonly set: ServerSet;
  readonly known: readonly LocatedReceipt[];
  readonly deps: InstallDeps;
  readonly drafts: Drafts;
  /** Values of names, by the keys of servers. */
  readonly values: Map<string, NameValues>;
  /** Names of stored secrets that entries may refer to. */
  readonly stored: ReadonlySet<string>;
}

/**
 * Brings the entries of clients to the state of a set, in three ways: the set, the last written state, and the client. Entries
 * without record, and entries that were edited by hand, stay unless `force`.
 * @throws AgentToolsError if the set names an unknown client or key
 */
export async function syncSet(set: ServerSet, choice: SyncChoice, deps: InstallDeps): Promise<SyncResult> {
  requireKeys(set, choice.keys);
  const { known, notes } = await allReceipts(deps.receipts);
  const secrets = set.scope.kind === 'user' ? await deps.secrets.list() : [];
  const stored = new Set(secrets.map(({ name }) => name));
  const context: SetSyncContext = {
    ...choice,
    set,
    known,
    deps,
    drafts: new Map(),
    values: new Map(),
    stored,
  };
  const jobs = set.servers.flatMap((server) =>
    clientsOf(server, context).map((client) => ({ server, client })),
  );
  const rows: SyncRow[] = [...(await removals(jobs, context))];
  for (const server of set.servers) {
    if (!isChosen(server.key, context)) continue;
    const own = jobs.filter((job) => job.server === server && isChosenClient(job.client, context));
    const found = await syncServer(server, own, context);
    rows.push(...own.flatMap(({ client }) => found.filter((row) => row.client === client)));
  }
  return { rows, notes };
}

function requireKeys({ servers, file }: ServerSet, keys: readonly string[]): void {
  const unknown = keys.find((key) => !servers.some((server) => server.key === key));
  if (unknown === undefined) return;
  const declared = servers.map(({ key }) => key).join(', ');
  throw new AgentToolsError(
    'not-found',
    `${file} has no server "${unknown}". It has: ${declared || 'none'}.`,
  );
}

function isChosen(key: string, { keys }: SyncChoice): boolean {
  return keys.length === 0 || keys.includes(key);
}

function isChosenClient({ id }: Client, { clients }: SyncChoice): boolean {
  return !clients || clients.some((one) => one.id === id);
}

/** @throws AgentToolsError for an unknown client */
function clientsOf({ clients: names }: DeclaredServer, { set, deps }: SetSyncContext): readonly Client[] {
  const found = names.flatMap((name) =>
    name === 'all'
      ? allClients.filter(
          (client) => isDetected(client, deps.surroundings) && hasPlace(client, set.scope, deps.surroundings),
        )
      : [findClient(name)],
  );
  return [...new Set(found)];
}

/** Removes entries that the set had before. */
async function removals(jobs: readonly SyncJob[], context: SetSyncContext): Promise<readonly SyncRow[]> {
  const { set, known, deps, drafts, mode } = context;
  const left = known.filter(
    ({ receipt: { set: name, key, client } }) =>
      name === set.file &&
      isChosen(key, context) &&
      (!context.clients || context.clients.some(({ id }) => id === client)) &&
      !jobs.some((job) => job.server.key === key && job.client.id === client),
  );
  const rows: SyncRow[] = [];
  for (const located of left) {
    const { receipt } = located;
    const client = allClients.find(({ id }) => id === receipt.client);
    if (!client) continue;
    const row = { client, key: receipt.key, server: receipt.server, file: receipt.file };
    try {
      const current = await entryOfReceipt(located);
      const sides = { wanted: undefined, written: receipt, current, set: set.file };
      const { action, reason, isForced = false } = decide(sides, context);
      if (action !== 'remove' || mode === 'check') {
        rows.push({ ...row, action: action as SyncRow['action'], ...(reason !== undefined && { reason }) });
        continue;
      }
      const { scope, project, file } = receipt;
      const place =
        scope === 'project'
          ? { kind: scope, folder: project! }
          : scope === 'config'
            ? { kind: scope, file }
            : { kind: scope };
      const { results } = await uninstall(
        {
          clients: [client],
          scope: place,
          reference: undefined,
          name: receipt.key,
          force: isForced,
          dryRun: mode === 'dry-run',
        },
        { ...deps, cwd: deps.workspace.cwd, home: deps.surroundings.home, drafts },
      );
      for (const result of results) {
        if ('error' in result) rows.push({ ...row, action: 'failed', reason: result.error.message });
        else rows.push({ ...row, action: 'remove', before: result.before, after: result.after });
      }
    } catch (error) {
      if (!(error instanceof AgentToolsError)) throw error;
      rows.push({ ...row, action: 'failed', reason: error.message });
    }
  }
  return rows;
}

async function syncServer(
  server: DeclaredServer,
  jobs: readonly SyncJob[],
  context: SetSyncContext,
): Promise<readonly SyncRow[]> {
  const decided: { readonly client: Client; readonly decision: Decision; readonly file: string }[] = [];
  const rows: SyncRow[] = [];
  const row = (client: Client) => ({ client, key: server.key, server: shownServer(server) });
  const { fault } = server;
  if (fault !== undefined)
    return jobs.map(({ client }) => ({ ...row(client), action: 'refused', reason: fault }));
  const isSameServer = await serverMatcher(server, context);
  for (const { client } of jobs) {
    const reason = absence(client, context);
    if (reason !== undefined) {
      rows.push({ ...row(client), action: client.manual ? 'refused' : 'skipped', reason });
      continue;
    }
    try {
      const place = { client: client as WritableClient, key: server.key, scope: context.set.scope };
      const { target, written, current } = await presentEntry(place, context.known, context.deps);
      const wanted = { declared: server.declared, isSameServer };
      const isStale =
        written !== undefined &&
        (missingProgram(written) !== undefined || lacksStored(written, server, context));
      const sides = { wanted, written, current, set: context.set.file, isStale };
      const decision = decide(sides, context);
      decided.push({ client, decision, file: target.file });
    } catch (error) {
      if (!(error instanceof AgentToolsError)) throw error;
      rows.push({ ...row(client), action: 'refused', reason: error.message });
    }
  }
  const clientsFor = (actions: readonly Decision['action'][], isForced = false) =>
    decided
      .filter(
        ({ decision }) => actions.includes(decision.action) && (decision.isForced ?? false) === isForced,
      )
      .map(({ client }) => client);
  const compared = await compare(server, clientsFor(['compare']), context);
  const isWriting = context.mode !== 'check';
  const equal = compared.filter(({ action }) => action === 'adopt').map(({ client }) => client);
  const foreign = compared.filter(({ action }) => action === 'conflict').map(({ client }) => client);
  const written = isWriting
    ? [
        ...(await write(server, [...clientsFor(['add', 'update']), ...equal], { ...context, force: false })),
        ...(await write(server, [...clientsFor(['add', 'update'], true), ...(context.force ? foreign : [])], {
          ...context,
          force: true,
        })),
      ]
    : [];
  for (const { client, decision, file } of decided) {
    const isOfClient = (one: SyncRow) => one.client === client;
    const { action, reason } = decision;
    const { action: done, ...found } = written.find(isOfClient) ??
      compared.find(isOfClient) ?? {
        action: action as SyncRow['action'],
        ...(reason !== undefined && { reason }),
      };
    rows.push({ ...row(client), file, ...found, action: done === 'adopt' && !isWriting ? 'none' : done });
  }
  return rows;
}

/** True if a secret of the server was stored after the entry was written. */
function lacksStored({ entry }: Receipt, { declared }: DeclaredServer, { stored }: SetSyncContext): boolean {
  const text = JSON.stringify(entry);
  const names = textsOf(declared).flatMap(namesIn);
  return names.some((name) => stored.has(name) && !text.includes(`secret:${name}`));
}

/** Server of a declaration for people, without secrets. */
function shownServer({ declared: { server, command = [] } }: DeclaredServer): string {
  return withNames(server === undefined ? shownWords(command) : shownUrl(server));
}

/** Reason why a client gets nothing; undefined if it can. */
function absence(client: Client, { set, deps }: SetSyncContext): string | undefined {
  if (client.manual) return `${client.name} has no config file that a program may write.`;
  // Files of a project are shared with other machines.
  if (set.scope.kind === 'project' || isDetected(client, deps.surroundings)) return undefined;
  return `${client.name} was not found on this machine.`;
}

async function serverMatcher(
  { declared: { server, command } }: DeclaredServer,
  { deps }: SetSyncContext,
): ReturnType<typeof receiptMatcher> {
  const text = command ? referenceOfCommand(command) : server!;
  const place = { cwd: deps.workspace.cwd, home: deps.surroundings.home };
  return await receiptMatcher(
    fillNames(text, () => ''),
    place,
  );
}

/** Compares entries without record with the ones that would be written. */
async function compare(
  server: DeclaredServer,
  clients: readonly Client[],
  context: SetSyncContext,
): Promise<readonly SyncRow[]> {
  if (clients.length === 0) return [];
  const results = await installDeclared(server, clients, {
    ...context,
    mode: context.mode === 'write' ? 'dry-run' : context.mode,
    drafts: new Map(),
    force: false,
  });
  const byHand = 'It is not from AgentTools.';
  return results.map((result) => {
    const base = { client: result.client, key: server.key, server: shownServer(server) };
    if ('outcome' in result && result.outcome === 'adopted') return { ...base, action: 'adopt' };
    const reason =
      'error' in result && !/did not write/.test(result.error.message) ? result.error.message : byHand;
    return { ...base, action: 'conflict', reason };
  });
}

async function write(
  server: DeclaredServer,
  clients: readonly Client[],
  context: SetSyncContext,
): Promise<readonly SyncRow[]> {
  if (clients.length === 0) return [];
  const results = await installDeclared(server, clients, context);
  return results.map((result) => toRow(result, server));
}

function toRow(result: InstallResult, server: DeclaredServer): SyncRow {
  const base = { client: result.client, key: server.key, server: shownServer(server) };
  if ('error' in result) return { ...base, action: 'failed', reason: result.error.message };
  if (!('outcome' in result)) return { ...base, action: 'refused' };
  const { outcome, before, after, notes } = result;
  const action = outcome === 'added' ? 'add' : outcome === 'adopted' ? 'adopt' : 'update';
  return { ...base, action, before, after, notes };
}

async function installDeclared(
  { key, declared }: DeclaredServer,
  clients: readonly Client[],
  { set, deps, drafts, values: cached, force, mode, verifyTimeoutMs, yes }: SetSyncContext,
): Promise<readonly InstallResult[]> {
  const source: NameSource = {
    secrets: deps.secrets,
    user: deps.user,
    env: deps.surroundings.env,
    isPrivate: set.scope.kind === 'user',
    isCheck: mode === 'check',
  };
  try {
    const values = cached.get(key) ?? (await findNameValues(key, textsOf(declared), source));
    cached.set(key, values);
    return await install(
      {
        ...declaredRequest(declared, values),
        clients,
        scope: set.scope,
        name: key,
        verifyTimeoutMs: mode === 'write' ? verifyTimeoutMs : undefined,
        force,
        dryRun: mode !== 'write',
        yes,
        set: { name: set.file, declared },
      },
      { ...deps, ...(mode === 'dry-run' && { drafts }) },
    );
  } catch (error) {
    if (!(error instanceof AgentToolsError)) throw error;
    return clients.map((client) => ({ client, error }));
  }
}
