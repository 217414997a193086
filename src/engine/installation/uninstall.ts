import path from 'node:path';
import { inAnyCase } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { followLinks } from '../base/files/text-file.js';
import type { Client, ClientEnvironment } from '../clients/client.js';
import { changeConfig, type Drafts, reconcileRecords } from '../clients/config-change.js';
import { keyFault } from '../clients/entry-keys.js';
import type { ConfigState, Plan } from '../clients/ledger/config-plan.js';
import { planRemoval, planUninstall } from '../clients/ledger/uninstall.js';
import { currentLocation } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { toUserError } from './config-fault.js';
import { hasPlace, locateEntryTarget, type Scope } from './entry-target.js';
import { receiptMatcher } from './match-receipt.js';

export interface UninstallRequest {
  /** Undefined: every client. */
  readonly clients: readonly Client[] | undefined;
  readonly scope: Scope;
  /**
   * Reference in any spelling, qualified name, or key; undefined: every entry of AgentTools in the
   * scope.
   */
  readonly reference: string | undefined;
  /** Key of the entry. */
  readonly name: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface UninstallDeps {
  readonly cwd: string;
  readonly home: string;
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  /** Planned states of files, for several dry runs. */
  readonly drafts?: Drafts | undefined;
}

/** Known facts of an entry. The server of a foreign entry is unknown. */
interface NamedEntry {
  readonly client: string;
  readonly scope: Receipt['scope'];
  readonly file: string;
  readonly key: string;
  readonly server?: string;
}

/** Completed or planned removal of an entry. */
interface UninstallReport {
  readonly receipt: NamedEntry;
  readonly outcome: Plan['outcome'];
  readonly before: string | null;
  readonly after: string | null;
}

interface UninstallFailure {
  readonly receipt: NamedEntry;
  readonly error: Error;
}

export type UninstallResult = UninstallReport | UninstallFailure;

export interface UninstallOutcome {
  readonly results: readonly UninstallResult[];
  /** Notes on unreadable records, in sentences. */
  readonly notes: readonly string[];
  /** Of all clients: matching entries of other scopes. If nothing matches: these, or else all entries. */
  readonly elsewhere: readonly Receipt[];
}

/** A receipt, and the file that was written to. */
interface LocatedReceipt {
  readonly receipt: Receipt;
  readonly realFile: string;
}

/**
 * Removes entries by their receipts. Neither the package nor the client need be installed any more.
 * @throws AgentToolsError if the request is ambiguous, or the entry is foreign.
 */
export async function uninstall(
  request: UninstallRequest,
  setting: UninstallDeps,
): Promise<UninstallOutcome> {
  const { known, notes } = await everythingKnown(setting);
  const inPlace = await filterByTarget(request, known, setting);
  const meant = await filterByRequest(request, inPlace, setting);
  requireClear(request, meant);
  if (meant.length === 0) {
    const foreign = await removeForeign(request, setting);
    const elsewhere = (await filterByRequest(request, known, setting)).map(({ receipt }) => receipt);
    const all = known.map(({ receipt }) => receipt);
    return { results: foreign ? [foreign] : [], notes, elsewhere: elsewhere.length > 0 ? elsewhere : all };
  }
  const results = await uninstallEach(
    meant,
    { ...request, goes: () => request.reference === undefined },
    setting,
  );
  const isAll = request.clients === undefined && request.scope.kind === 'user';
  const others = isAll ? await filterByRequest(request, known, setting) : [];
  const elsewhere = others.filter((one) => !meant.includes(one)).map(({ receipt }) => receipt);
  return { results, notes, elsewhere };
}

/** Removes a server from all files that it was written to, of any client and any project. */
export async function uninstallServer(
  server: string,
  options: Pick<UninstallRequest, 'force' | 'dryRun'>,
  setting: UninstallDeps,
): Promise<Pick<UninstallOutcome, 'results' | 'notes'>> {
  const goes = (receipt: Receipt) => receipt.server === server;
  return await uninstallEntries(goes, { ...options, goes }, setting);
}

/** Removes the entries of matching receipts, of any client and any project. */
export async function uninstallEntries(
  isMeant: (receipt: Receipt) => boolean,
  options: EntryRemovalOptions,
  setting: UninstallDeps,
): Promise<Pick<UninstallOutcome, 'results' | 'notes'>> {
  const { known, notes } = await everythingKnown(setting);
  const meant = known.filter(({ receipt }) => isMeant(receipt));
  return { results: await uninstallEach(meant, options, setting), notes };
}

async function everythingKnown({
  receipts: store,
}: UninstallDeps): Promise<{ readonly known: readonly LocatedReceipt[]; readonly notes: readonly string[] }> {
  const { records, notes } = await reconcileRecords(store);
  const known = records.flatMap(({ receipts, realFile }) =>
    receipts.map((receipt) => ({ receipt, realFile })),
  );
  return { known, notes };
}

interface EntryRemovalOptions extends Pick<UninstallRequest, 'force' | 'dryRun'> {
  /** True if a restored entry of AgentTools is removed too. */
  readonly goes: (former: Receipt) => boolean;
}

async function uninstallEach(
  meant: readonly LocatedReceipt[],
  options: EntryRemovalOptions,
  setting: UninstallDeps,
): Promise<readonly UninstallResult[]> {
  const results: UninstallResult[] = [];
  for (const one of meant) {
    const { receipt } = one;
    const result = await uninstallOne(one, options, setting).catch((error: unknown) => {
      if (error instanceof AgentToolsError) return { receipt, error };
      throw error;
    });
    results.push(result);
  }
  return results;
}

/** Changes the file that was written to, also if the client's path leads to another file now. */
async function uninstallOne(
  { receipt, realFile }: LocatedReceipt,
  { force, dryRun, goes }: EntryRemovalOptions,
  { receipts, drafts }: UninstallDeps,
): Promise<UninstallReport> {
  const plan = (state: ConfigState) => planUninstallEdit(state, receipt, { force, goes });
  const change = await changeConfig(realFile, plan, { receipts, dryRun, drafts }).catch(async (error) => {
    throw await toUserError(error, realFile);
  });
  return { receipt, outcome: change.outcome, before: change.before, after: change.after };
}

/** Removes a restored entry too, if AgentTools wrote it and `goes` accepts it. */
async function planUninstallEdit(
  state: ConfigState,
  receipt: Receipt,
  { force, goes }: Pick<EntryRemovalOptions, 'force' | 'goes'>,
): Promise<Plan> {
  const place = await currentLocation(receipt, state.text);
  const plan = await planUninstall(state, { receipt, place, force });
  if (plan.outcome !== 'restored') return plan;
  const former = receipt.displaced?.find(({ client }) => client === receipt.client);
  return former && goes(former) ? await planUninstallEdit(plan, former, { force, goes }) : plan;
}

/** Receipts of the requested client and file. */
async function filterByTarget(
  { clients, scope }: UninstallRequest,
  known: readonly LocatedReceipt[],
  { cwd }: UninstallDeps,
): Promise<readonly LocatedReceipt[]> {
  const ofClient = clients
    ? known.filter(({ receipt }) => clients.some(({ id }) => id === receipt.client))
    : known;
  if (scope.kind === 'config') {
    const file = await followLinks(path.resolve(cwd, scope.file));
    return ofClient.filter(({ receipt, realFile }) => realFile === file || receipt.file === scope.file);
  }
  if (scope.kind === 'project') {
    const folder = await followLinks(scope.folder);
    const folders = await Promise.all(
      ofClient.map(({ receipt: { project } }) => (project === undefined ? '' : followLinks(project))),
    );
    return ofClient.filter(({ receipt }, index) => receipt.scope === 'project' && folders[index] === folder);
  }
  return ofClient.filter(({ receipt }) => receipt.scope === 'user');
}

async function filterByRequest(
  { reference, name }: UninstallRequest,
  known: readonly LocatedReceipt[],
  setting: UninstallDeps,
): Promise<readonly LocatedReceipt[]> {
  const named = name === undefined ? known : known.filter(({ receipt }) => receipt.key === name);
  if (reference === undefined) return named;
  const isMeant = await receiptMatcher(reference, setting);
  const meant = named.filter(({ receipt }) => isMeant(receipt));
  if (meant.length > 0) return meant;
  const server = inAnyCase(
    reference,
    named.map(({ receipt }) => receipt.server),
  );
  return named.filter(({ receipt }) => receipt.server === server);
}

/** One reference may match several entries of one file. Their keys distinguish them. */
function requireClear(
  { reference, name, clients }: UninstallRequest,
  known: readonly LocatedReceipt[],
): void {
  if (reference === undefined || name !== undefined) return;
  const meant = known.map(({ receipt }) => receipt);
  const doubled = meant.filter((one) =>
    meant.some((other) => other !== one && other.client === one.client && other.file === one.file),
  );
  if (doubled.length === 0) return;
  const lines = doubled.map(({ key, file }) => `  ${key} in ${file}`);
  const what = clients ? ` in ${clients.map((client) => client.name).join(', ')}` : '';
  throw new AgentToolsError(
    'ambiguous',
    `"${reference}" was installed more than once${what}:\n${lines.join('\n')}\nChoose one with --name <key>.`,
  );
}

/**
 * Removes an entry without receipt. Undefined if there is no such entry.
 * @throws AgentToolsError unless `force`.
 */
async function removeForeign(
  request: UninstallRequest,
  setting: UninstallDeps,
): Promise<UninstallReport | undefined> {
  const { clients, scope, reference, name, force, dryRun } = request;
  const key = name ?? reference;
  const { surroundings, receipts } = setting;
  const [client, ...others] = clients ?? [];
  if (!client || others.length > 0 || client.manual || key === undefined) return undefined;
  // No file has an entry under an invalid key.
  if (keyFault(client, key) !== undefined) return undefined;
  if (!hasPlace(client, scope, surroundings)) return undefined;
  const { file, format, layout } = await locateEntryTarget(client, scope, { key, surroundings });
  const { container } = layout;
  const plan = planRemoval({ file, key, place: { format, container, key }, force });
  const remove = (options: { readonly dryRun: boolean }) =>
    changeConfig(file, plan, { receipts, ...options }).catch(async (error) => {
      throw await toUserError(error, file);
    });
  if ((await remove({ dryRun: true })).outcome === 'gone') return undefined;
  const change = await remove({ dryRun });
  const receipt = { client: client.id, scope: scope.kind, file, key };
  return { receipt, outcome: change.outcome, before: change.before, after: change.after };
}
