import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import type { Client, WritableClient } from '../clients/client.js';
import { changeConfig, type Drafts } from '../clients/config-change.js';
import { isDetected } from '../clients/detect-client.js';
import { configValueAt } from '../clients/edit/config-path.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { listEntryKeys, readConfigDocument, readEntry } from '../clients/edit/entries.js';
import { isIntact } from '../clients/edit/merge-entry.js';
import type { ConfigState } from '../clients/ledger/config-plan.js';
import { planInstall } from '../clients/ledger/install.js';
import { planUninstall } from '../clients/ledger/uninstall.js';
import { currentLocation } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import { toUserError } from '../installation/config-fault.js';
import { type EntryTarget, locateEntryTarget, type Scope } from '../installation/entry-target.js';
import { readableByOthers } from '../installation/install-notes.js';
import type { InstallDeps } from '../installation/install-request.js';
import { decide } from './decide.js';
import { allReceipts, entryOfReceipt, type LocatedReceipt, presentEntry } from './entry-sides.js';
import type { SyncRow } from './sync-row.js';
import type { SyncChoice, SyncResult } from './sync-set.js';
import { type SourceEntry, type TranslatedEntry, translateEntry } from './translate-entry.js';

export interface ClientSync extends Pick<SyncChoice, 'keys' | 'force' | 'mode'> {
  readonly from: Client;
  readonly to: readonly Client[];
  readonly scope: Scope;
  /** Fields of entries that may be lost. */
  readonly leaveOut: readonly string[];
}

export type ClientSyncDeps = Pick<InstallDeps, 'receipts' | 'surroundings' | 'version' | 'now'>;

interface ClientSyncContext extends ClientSync {
  readonly from: WritableClient;
  /** Name of the source in receipts. */
  readonly set: string;
  readonly known: readonly LocatedReceipt[];
  readonly deps: ClientSyncDeps;
  readonly drafts: Drafts;
}

/** An entry of the source, and its record if AgentTools wrote it and it was not edited since. */
interface SourceServer extends SourceEntry {
  readonly written: Receipt | undefined;
}

/**
 * Brings entries of one client to others, in three ways: the source, the last written state, and the other client. The source
 * is only read. Entries without record, and entries that were edited by hand, stay unless `force`.
 * @throws AgentToolsError if the source cannot be read, or lacks a key
 */
export async function syncClients(request: ClientSync, deps: ClientSyncDeps): Promise<SyncResult> {
  const { from, to } = request;
  if (from.manual) throw refuse(`${from.name} has no config file that AgentTools can read.`);
  const { known, notes } = await allReceipts(deps.receipts);
  const set = `client ${from.id}`;
  const context: ClientSyncContext = { ...request, from, set, known, deps, drafts: new Map() };
  const sources = await readSources(context);
  const rows: SyncRow[] = [];
  for (const client of to) rows.push(...(await removals(client, sources, context)));
  for (const source of sources) {
    for (const client of to) rows.push(await syncEntry(source, client, context));
  }
  return { rows, notes };
}

function refuse(message: string): AgentToolsError {
  return new AgentToolsError('refused', message);
}

/** Chosen entries of the source. @throws AgentToolsError */
async function readSources(context: ClientSyncContext): Promise<readonly SourceServer[]> {
  const { from: client, scope, keys, known, deps } = context;
  const { surroundings } = deps;
  const target = await locateEntryTarget(client, scope, { key: 'key', surroundings });
  const { file, format, layout } = target;
  const place = (key: string) => ({ format, container: layout.container, key });
  try {
    const { text } = await readTextFile(file);
    const names = text === null ? [] : await listEntryKeys(text, place(''));
    const missing = keys.find((key) => !names.includes(key));
    if (missing !== undefined) {
      const message = `${client.name} has no entry "${missing}" in ${file}. It has: ${names.join(', ') || 'none'}.`;
      throw new AgentToolsError('not-found', message);
    }
    const inputs =
      text === null ? undefined : configValueAt(await readConfigDocument(text, format), ['inputs']);
    const sources: SourceServer[] = [];
    for (const key of keys.length > 0 ? keys : names) {
      const entry = await readEntry(text, place(key));
      if (!entry) continue;
      const { written } = await presentEntry({ client, key, scope }, known, deps).catch(() => ({
        written: undefined,
      }));
      const isOwn = written && isIntact(entry, written.entry);
      sources.push({ client, file, layout, key, entry, inputs, written: isOwn ? written : undefined });
    }
    return sources;
  } catch (error) {
    throw await toUserError(error, file);
  }
}

async function syncEntry(source: SourceServer, client: Client, context: ClientSyncContext): Promise<SyncRow> {
  const { key } = source;
  const { deps, scope, set, mode } = context;
  const row = { client, key, server: serverOf(source) };
  const absent = absence(client, context);
  if (absent !== undefined) return { ...row, action: client.manual ? 'refused' : 'skipped', reason: absent };
  const target = client as WritableClient;
  try {
    const present = await presentEntry({ client: target, key, scope }, context.known, deps);
    const { current, written } = present;
    const { file } = present.target;
    const declared = declaredBy(source);
    const isSameServer = ({ server }: Receipt) => server === row.server;
    const decision = decide({ wanted: { declared, isSameServer }, written, current, set }, context);
    if (['none', 'keep', 'conflict'].includes(decision.action))
      return {
        ...row,
        file,
        action: decision.action as SyncRow['action'],
        ...(decision.reason !== undefined && { reason: decision.reason }),
      };
    const options = { leaveOut: context.leaveOut, surroundings: deps.surroundings };
    const translated = translateEntry(source, { client: target, scope, target: present.target }, options);
    if (decision.action === 'compare' && !isEqual(current, translated) && !context.force)
      return { ...row, file, action: 'conflict', reason: 'It is not from AgentTools.' };
    const isEqualEntry = decision.action === 'compare' && isEqual(current, translated);
    const action = decision.action === 'compare' ? (isEqualEntry ? 'adopt' : 'update') : decision.action;
    if (mode === 'check')
      return { ...row, file, action: (isEqualEntry ? 'none' : action) as SyncRow['action'] };
    const receipt = receiptFor({ source, client: target, translated, target: present.target }, context);
    const force = (decision.isForced ?? false) || (decision.action === 'compare' && !isEqualEntry);
    const change = await writeEntry(receipt, present.target, force, context);
    return {
      ...row,
      file,
      action: action as SyncRow['action'],
      before: change.before,
      after: change.after,
      notes: [
        ...translated.notes,
        ...(await readableByOthers(file, {
          scope,
          secrets: translated.secrets,
          platform: deps.surroundings.platform,
        })),
      ],
    };
  } catch (error) {
    if (!(error instanceof AgentToolsError)) throw error;
    return { ...row, action: 'refused', reason: error.message };
  }
}

function isEqual(current: ConfigEntry | undefined, { entry }: TranslatedEntry): boolean {
  return current !== undefined && isIntact(current, entry);
}

function absence(client: Client, { from, scope, deps }: ClientSyncContext): string | undefined {
  if (client.manual) return `${client.name} has no config file that a program may write.`;
  if (client.id === from.id) return 'It is the source.';
  if (scope.kind === 'project' || isDetected(client, deps.surroundings)) return undefined;
  return `${client.name} was not found on this machine.`;
}

/** Server of an entry, as records name it. */
function serverOf({ written, file, key }: SourceServer): string {
  return written?.server ?? `${file}#${key}`;
}

/** Side of the source: its options if known, and the entry itself. */
function declaredBy({ written, entry }: SourceServer): Readonly<Record<string, unknown>> {
  return { ...written?.declared, from: entry };
}

interface NewEntry {
  readonly source: SourceServer;
  readonly client: WritableClient;
  readonly translated: TranslatedEntry;
  readonly target: EntryTarget;
}

function receiptFor(
  { source, client, translated, target }: NewEntry,
  { scope, set, deps: { version, now } }: ClientSyncContext,
): Receipt {
  const { written, key } = source;
  const server = serverOf(source);
  const {
    replaced: _,
    displaced: __,
    additions: ___,
    template: ____,
    project: _____,
    ...known
  } = written ?? {
    server,
    existing: true,
    kind: 'client-config',
    reference: server,
    argument: server,
  };
  const { entry, additions, variables } = translated;
  return {
    ...known,
    client: client.id,
    scope: scope.kind,
    ...(scope.kind === 'project' && { project: scope.folder }),
    file: target.file,
    key,
    declared: declaredBy(source),
    set,
    variables,
    entry,
    ...(additions.length > 0 && { additions }),
    ...(target.template !== undefined && { template: target.template }),
    format: target.format,
    container: target.layout.container,
    version,
    time: now().toISOString(),
  };
}

async function writeEntry(
  receipt: Receipt,
  { file, format, layout, tolerance }: EntryTarget,
  force: boolean,
  { mode, deps, drafts }: ClientSyncContext,
) {
  const place = { format, container: layout.container, key: receipt.key, ...(force ? {} : { tolerance }) };
  const plan = (state: ConfigState) => planInstall(state, { receipt, place, force });
  const options = { receipts: deps.receipts, dryRun: mode === 'dry-run', drafts };
  return await changeConfig(file, plan, options).catch(async (error: unknown) => {
    throw await toUserError(error, file);
  });
}

/** Removes entries that the source had before. */
async function removals(
  client: Client,
  sources: readonly SourceServer[],
  context: ClientSyncContext,
): Promise<readonly SyncRow[]> {
  const { known, keys, set, scope, mode, deps, drafts } = context;
  const left = known.filter(
    ({ receipt }) =>
      receipt.set === set &&
      receipt.client === client.id &&
      receipt.scope === scope.kind &&
      (scope.kind !== 'project' || receipt.project === scope.folder) &&
      keys.length === 0 &&
      !sources.some(({ key }) => key === receipt.key),
  );
  const rows: SyncRow[] = [];
  for (const located of left) {
    const { receipt, realFile } = located;
    const row = { client, key: receipt.key, server: receipt.server, file: receipt.file };
    try {
      const current = await entryOfReceipt(located);
      const {
        action,
        reason,
        isForced: force = false,
      } = decide({ wanted: undefined, written: receipt, current, set }, context);
      const isPlanned = action === 'remove' && mode !== 'check';
      const plan = async (state: ConfigState) =>
        await planUninstall(state, { receipt, place: await currentLocation(receipt, state.text), force });
      const options = { receipts: deps.receipts, dryRun: mode === 'dry-run', drafts };
      const change = isPlanned ? await changeConfig(realFile, plan, options) : undefined;
      rows.push({
        ...row,
        action: action as SyncRow['action'],
        ...(reason !== undefined && { reason }),
        ...(change && { before: change.before, after: change.after }),
      });
    } catch (error) {
      const fault = await toUserError(error, realFile);
      if (!(fault instanceof AgentToolsError)) throw fault;
      rows.push({ ...row, action: 'failed', reason: fault.message });
    }
  }
  return rows;
}
