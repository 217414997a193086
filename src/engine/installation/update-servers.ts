import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { unpackBundle } from '../bundles/unpack-bundle.js';
import { changeConfig } from '../clients/config-change.js';
import { planInstall } from '../clients/ledger/install.js';
import { findClient } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { ExistingRecords, upstreamRecordKey } from '../existing-servers/existing-records.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import {
  type InstalledNpmServer,
  installNpmServer,
  readNpmServerOrigin,
} from '../existing-servers/npm-servers.js';
import { NoVersionsError, pinReference } from '../existing-servers/package-index.js';
import {
  type ExistingReference,
  type ResolveDeps,
  resolveExisting,
} from '../existing-servers/resolve-existing.js';
import type { ServerRoute } from '../existing-servers/server-json.js';
import { weakerOrigin } from '../npm/signatures.js';
import type { ListedItem } from '../preflight/read-record.js';
import { verifyServer } from '../preflight/verify-server.js';
import { listedKinds } from '../runtime/served-kind.js';
import { type UpstreamRecord, UpstreamRecords } from '../runtime/upstream-records.js';
import { compareSurfaces, type ModelSurface, type SurfaceDifference } from '../surface/model-surface.js';
import { withSurfaceFile } from '../surface/surface-file.js';
import { type KeyedSurface, SurfaceRecords } from '../surface/surface-records.js';
import { findTexts, type TextFinding } from '../text-checks/text-findings.js';
import { groupByReference, installedFrom } from './outdated.js';
import { askRemote } from './remote-version.js';
import { removeUnusedServers } from './unused-servers.js';
import {
  isBridged,
  isFrozen,
  launchOfReceipt,
  requireSameStart,
  sourceChanges,
  updatedEntry,
  type VersionChange,
} from './updated-entry.js';

/** Possible update of an installed existing server. */
export interface ServerUpdatePlan {
  /** Its entries. */
  readonly receipts: readonly [Receipt, ...Receipt[]];
  /** Newest version that its reference means; undefined if that one is installed. */
  readonly next?: ExistingServer;
  readonly known?: ExistingServer | undefined;
  /** The new version of an npm package, installed beside the present one. */
  readonly installed?: InstalledNpmServer;
  /** Sentences about another publisher, package or host, and about lost proofs of the origin. */
  readonly origin?: readonly string[];
  /** Changes that the model sees; undefined if the two versions were not compared. */
  readonly differences?: readonly SurfaceDifference[];
  /** Surfaces of the new version, for entries with `--frozen`. */
  readonly surfaces?: readonly KeyedSurface[];
  /** Names of the items of the new version. */
  readonly record?: UpstreamRecord | undefined;
  /** Version in the handshake of a remote server that differs from the record. */
  readonly remoteVersion?: string;
  /** Faults of the texts that models read in the new version. Empty if it was not started. */
  readonly findings: readonly TextFinding[];
  /** Reason why the versions cannot be compared, or why there is no new version. */
  readonly error?: AgentToolsError;
}

export interface ServerUpdateDeps {
  readonly receipts: Receipts;
  readonly dataFolder: string;
  readonly resolve: ResolveDeps;
  readonly version: string;
  readonly now: () => Date;
  readonly tell: (text: string) => void;
}

/** Entries of existing servers that a reference names, by server. `names`: keys, references; empty: all. */
export async function updatableServers(
  names: readonly string[],
  receipts: Receipts,
): Promise<readonly ServerUpdatePlan['receipts'][]> {
  const { records } = await receipts.all();
  const groups = groupByReference(records.flatMap((record) => record.receipts)).filter(
    ([first]) => installedFrom(first) !== undefined,
  );
  const isNamed = ({ key, reference, server }: Receipt) =>
    [key, reference, server, `npm:${reference}`].some((name) => names.includes(name));
  return names.length === 0 ? groups : groups.filter((group) => group.some(isNamed));
}

/**
 * Finds the newest version of a server, and installs it beside the present one. `load`: starts both, and compares the items
 * that they list. A version for an entry with `--frozen` is started in any case, since its items are recorded. Rejects only
 * for defects.
 */
export async function planServerUpdate(
  receipts: ServerUpdatePlan['receipts'],
  options: { readonly load: boolean; readonly requireProvenance: boolean },
  deps: ServerUpdateDeps,
): Promise<ServerUpdatePlan> {
  const [first] = receipts;
  deps.tell(`Looking for newer versions of ${first.reference}`);
  const meant = installedFrom(first)!;
  try {
    if (meant.kind === 'url') return await planRemote(receipts, deps);
    requireVersions(meant, first);
    const known = await new ExistingRecords(deps.dataFolder).read(first.server);
    const next = await resolveNext(meant, known, deps.resolve);
    if (isSame(first, known, next))
      return options.load ? await planRecords(receipts, deps) : { receipts, findings: [] };
    requireSameStart(receipts, { known, next });
    const installed = await makeAvailable(next, first, options, deps);
    const origin = known
      ? [...sourceChanges(known, next), ...(await lostProofs(known, installed, deps))]
      : [];
    const plan = { receipts, findings: [], next, known, origin, ...(installed && { installed }) };
    const isCompared = options.load || receipts.some(isFrozen);
    return isCompared ? { ...plan, ...(await compareVersions(plan, deps)) } : plan;
  } catch (error) {
    if (error instanceof AgentToolsError) return { receipts, findings: [], error };
    throw error;
  }
}

/** @throws NoVersionsError if a runner chooses the version at each start */
function requireVersions(meant: ExistingReference, { serverVersion, reference, client }: Receipt): void {
  const isOpen =
    (meant.kind === 'nuget' && serverVersion === undefined) ||
    (meant.kind === 'docker' && !/@sha256:|:(?!latest$)[^/]+$/.test(meant.image));
  if (!isOpen) return;
  const runner = meant.kind === 'nuget' ? 'dnx' : 'docker';
  const message = `Its entry names no version, so ${runner} chooses one. Name one: agenttools install ${client} ${reference}${meant.kind === 'nuget' ? '@' : ':'}<version>`;
  throw new NoVersionsError('not-found', message);
}

/** The server that a reference means now, run or reached as before. */
async function resolveNext(
  meant: ExistingReference,
  known: ExistingServer | undefined,
  deps: ResolveDeps,
): Promise<ExistingServer> {
  const route = known && routeOf(known);
  const reference = await pinReference(meant, deps);
  const found = await resolveExisting(reference, { ...deps, ...(route && { route }) });
  return hideSecrets(found, found.reference).server;
}

function routeOf({ content, template }: ExistingServer): ServerRoute | undefined {
  if (content) return 'bundle';
  if (template.kind !== 'program') return template.kind;
  const { by } = template.runner;
  return by === 'command' || by === 'path' ? undefined : by;
}

/** True if a server is the installed one. Files may have another content with the same reference. */
function isSame({ server }: Receipt, known: ExistingServer | undefined, next: ExistingServer): boolean {
  if (next.reference !== server) return false;
  if (!known || known.source === 'npm' || known.source === 'registry') return true;
  const facts = ({ version, content, template }: ExistingServer) =>
    canonical([version, content ? content.sha256 : template]);
  return facts(known) === facts(next);
}

/** Installs an npm package or unpacks a bundle. Other servers are fetched by their runners. */
async function makeAvailable(
  { template, content, name }: ExistingServer,
  { allowedScripts = [] }: Receipt,
  { requireProvenance }: { readonly requireProvenance: boolean },
  { resolve, dataFolder, tell }: ServerUpdateDeps,
): Promise<InstalledNpmServer | undefined> {
  const { npm, signal } = resolve;
  if (content) {
    tell(`Unpacking ${name}`);
    await unpackBundle(content, { signal });
  }
  if (template.kind !== 'program' || template.runner.by !== 'npm') return undefined;
  const { name: packageName, version, bin } = template.runner;
  tell(`Installing ${packageName}@${version}`);
  return await installNpmServer(
    { name: packageName, version, bin, allowScripts: allowedScripts, requireProvenance },
    { npm, dataFolder, signal },
  );
}

/** Sentences about proofs of an npm package that its new version does not have. */
async function lostProofs(
  { template }: ExistingServer,
  installed: InstalledNpmServer | undefined,
  { dataFolder }: ServerUpdateDeps,
): Promise<readonly string[]> {
  const runner = template.kind === 'program' ? template.runner : undefined;
  const before = runner?.by === 'npm' ? await readNpmServerOrigin(dataFolder, runner) : undefined;
  return before && installed ? weakerOrigin(before, installed) : [];
}

/**
 * Writes the new version into the entries. Returns true if open sessions through AgentTools follow.
 * @throws AgentToolsError if an entry was edited by hand, or cannot be written
 */
export async function applyServerUpdate(plan: ServerUpdatePlan, deps: ServerUpdateDeps): Promise<boolean> {
  const { receipts, next, surfaces = [], record } = plan;
  const [first] = receipts;
  const failures: unknown[] = [];
  let isFollowed = false;
  for (const receipt of next ? receipts : []) {
    await writeReceipt(receipt, plan, deps).catch((error: unknown) => failures.push(error));
  }
  if (failures.length < receipts.length) {
    const frozen = new SurfaceRecords(deps.dataFolder);
    for (const surface of surfaces) await frozen.write(surface);
    const server = next ?? { reference: first.server };
    if (record) await new UpstreamRecords(deps.dataFolder).write(upstreamRecordKey(server), record);
    if (next) isFollowed = await recordNext(next, first.server, deps);
  }
  if (failures.length > 0) throw failures[0];
  return isFollowed;
}

async function writeReceipt(receipt: Receipt, plan: ServerUpdatePlan, deps: ServerUpdateDeps): Promise<void> {
  const client = findClient(receipt.client);
  const { format, container, key, file } = receipt;
  const tolerance = client.manual === undefined ? { tolerance: client.tolerance } : {};
  const updated = updatedReceipt(receipt, plan, deps);
  await changeConfig(
    file,
    (state) =>
      planInstall(state, {
        receipt: updated,
        place: { format, container, key, ...tolerance },
        force: false,
        former: receipt.server,
      }),
    { receipts: deps.receipts, dryRun: false },
  );
}

/** Records the new version. Open sessions of the version before follow it, unless another entry still starts that one. */
async function recordNext(
  next: ExistingServer,
  before: string,
  { receipts, dataFolder }: ServerUpdateDeps,
): Promise<boolean> {
  const records = new ExistingRecords(dataFolder);
  await records.write(next.reference, next);
  if (before === next.reference) return true;
  const { records: files } = await receipts.all();
  const isUsed = files.some((file) => file.receipts.some(({ server }) => server === before));
  if (!isUsed) await records.supersede(before, next.reference);
  return !isUsed;
}

/** Removes a new version that was not applied. */
export async function discardServerUpdate(
  { installed, next }: ServerUpdatePlan,
  { receipts, dataFolder }: ServerUpdateDeps,
): Promise<void> {
  const folder = installed?.folder ?? next?.content?.folder;
  if (folder !== undefined) await removeUnusedServers(receipts, dataFolder, [folder]);
}

function changeOf({ next, known, installed }: ServerUpdatePlan, dataFolder: string): VersionChange {
  return { next: next!, known, dataFolder, ...(installed && { installed }) };
}

function updatedReceipt(receipt: Receipt, plan: ServerUpdatePlan, deps: ServerUpdateDeps): Receipt {
  const { next, installed } = plan;
  const { serverVersion: _, ...others } = receipt;
  const folder = installed?.folder ?? next!.content?.folder;
  return {
    ...others,
    server: next!.reference,
    argument: next!.reference,
    ...(next!.version !== undefined && { serverVersion: next!.version }),
    ...(receipt.folder !== undefined && folder !== undefined && { folder }),
    entry: updatedEntry(receipt, changeOf(plan, deps.dataFolder)),
    version: deps.version,
    time: deps.now().toISOString(),
  };
}

/** Longest time for a server to list its items, in milliseconds. */
const timeoutMs = 30_000;

type Comparison = Pick<ServerUpdatePlan, 'differences' | 'surfaces' | 'record' | 'error' | 'findings'>;

/** Starts both versions as the client starts them, and compares their lists. */
async function compareVersions(plan: ServerUpdatePlan, deps: ServerUpdateDeps): Promise<Partial<Comparison>> {
  const { receipts } = plan;
  const [first] = receipts;
  deps.tell(`Comparing ${first.server} with ${plan.next!.reference}`);
  const updated = (receipt: Receipt): Receipt => updatedReceipt(receipt, plan, deps);
  try {
    const frozen = await compareFrozen(receipts.filter(isFrozen), updated, deps);
    if (frozen.length === receipts.length) return joinFrozen(frozen);
    // A direct entry has all items, under their own names.
    const plain = receipts.find((one) => !isBridged(one)) ?? receipts.find((one) => !isFrozen(one))!;
    const before = await listItems(plain, deps);
    const after = await listItems(updated(plain), deps);
    const joined = joinFrozen(frozen);
    const own = compareSurfaces(toSurface(before.items), toSurface(after.items));
    return {
      differences: frozen.length > 0 ? uniqueDifferences([...joined.differences, ...own]) : own,
      surfaces: joined.surfaces,
      record: isBridged(plain) ? undefined : after.record,
      findings: findTexts(after.items),
    };
  } catch (error) {
    if (error instanceof AgentToolsError) return { error };
    throw error;
  }
}

/** The surface of a new version, and its differences from the record of the version before. */
interface FrozenComparison {
  readonly surface: KeyedSurface;
  readonly differences: readonly SurfaceDifference[];
  readonly items: readonly ListedItem[];
}

/** Starts entries with `--frozen` in the new version. @throws AgentToolsError if one cannot be recorded */
async function compareFrozen(
  receipts: readonly Receipt[],
  updated: (receipt: Receipt) => Receipt,
  deps: ServerUpdateDeps,
): Promise<readonly FrozenComparison[]> {
  const records = new SurfaceRecords(deps.dataFolder);
  const found: FrozenComparison[] = [];
  for (const receipt of receipts) {
    const { result, surface } = await withSurfaceFile(
      async (env) => await listItems(updated(receipt), deps, env),
    );
    if (!surface || result.absences.length > 0) {
      const why = result.absences.join(' ');
      throw new AgentToolsError('failed', `Its items could not be recorded for --frozen. ${why}`.trim());
    }
    const before = await records.read(keyBefore(surface.key, receipt.server));
    const differences = before ? compareSurfaces(before, surface.surface) : [];
    found.push({ surface, differences, items: result.items });
  }
  return found;
}

/** Key of the same choice of items of the version before. */
function keyBefore(key: string, reference: string): string {
  const [kind, , choice] = JSON.parse(key) as readonly unknown[];
  return canonical([kind, reference, choice]);
}

function joinFrozen(
  found: readonly FrozenComparison[],
): Required<Pick<Comparison, 'differences' | 'surfaces' | 'findings'>> {
  return {
    differences: uniqueDifferences(found.flatMap(({ differences }) => differences)),
    surfaces: found.map(({ surface }) => surface),
    findings: findTexts(found.flatMap(({ items }) => items)),
  };
}

function uniqueDifferences(all: readonly SurfaceDifference[]): readonly SurfaceDifference[] {
  return [...new Map(all.map((one) => [canonical(one), one])).values()];
}

/** Compares the present version of entries with `--frozen` with its record, since items can change without a version. */
async function planRecords(
  receipts: ServerUpdatePlan['receipts'],
  deps: ServerUpdateDeps,
): Promise<ServerUpdatePlan> {
  const frozen = await compareFrozen(receipts.filter(isFrozen), (one) => one, deps);
  const { differences, ...joined } = joinFrozen(frozen);
  return differences.length === 0 ? { receipts, findings: [] } : { receipts, differences, ...joined };
}

/** Compares the answers of a remote server with those at the last look. */
async function planRemote(
  receipts: ServerUpdatePlan['receipts'],
  deps: ServerUpdateDeps,
): Promise<ServerUpdatePlan> {
  const [first] = receipts;
  const { signal } = deps.resolve;
  const before = new UpstreamRecords(deps.dataFolder).read(upstreamRecordKey({ reference: first.server }));
  if (!before) {
    const message = `Its items were not recorded. Record them with: agenttools install ${first.client} ${first.reference}`;
    throw new NoVersionsError('not-found', message);
  }
  const frozen = joinFrozen(await compareFrozen(receipts.filter(isFrozen), (one) => one, deps));
  const { record, items = [] } = await askRemote(first, { signal, isHandshakeOnly: false });
  if (!record) throw new AgentToolsError('failed', 'It does not list all its items.');
  const differences = uniqueDifferences([...compareRecords(before, record), ...frozen.differences]);
  const version = record.info?.version;
  const isNew = version !== undefined && version !== before.info?.version;
  if (differences.length === 0 && !isNew) return { receipts, findings: [] };
  return {
    receipts,
    differences,
    surfaces: frozen.surfaces,
    record,
    ...(isNew && { remoteVersion: version }),
    findings: findTexts(items),
  };
}

/** Names of items that came or went, and changed texts of the server. */
function compareRecords(before: UpstreamRecord, after: UpstreamRecord): readonly SurfaceDifference[] {
  const surface = ({ info, instructions, names }: UpstreamRecord): ModelSurface => ({
    server: withoutVersion({ info, instructions }),
    items: Object.fromEntries(
      listedKinds.map((kind) => [kind, new Map(names[kind].map((name) => [name, {}]))]),
    ) as unknown as ModelSurface['items'],
    exposures: {},
  });
  return compareSurfaces(surface(before), surface(after));
}

interface ListedVersion {
  readonly items: readonly ListedItem[];
  readonly absences: readonly string[];
  readonly record: UpstreamRecord | undefined;
}

async function listItems(
  receipt: Receipt,
  deps: ServerUpdateDeps,
  more: Readonly<Record<string, string>> = {},
): Promise<ListedVersion> {
  const { env, signal, cwd } = deps.resolve;
  const launch = launchOfReceipt(receipt);
  if (!launch) {
    const { items = [], record } = await askRemote(receipt, { signal, isHandshakeOnly: false });
    return { items, absences: [], record };
  }
  const variables = { ...env, ...launch.env, ...more };
  const child = { command: launch.command, args: launch.args, cwd: launch.cwd ?? cwd, env: variables };
  return await verifyServer(child, { timeoutMs, signal });
}

/** Name, title and instructions of a server. */
function withoutVersion(value: unknown): ModelSurface['server'] {
  if (!isRecord(value)) return {};
  const { version: _, ...info } = isRecord(value.info) ? value.info : {};
  return { ...value, info };
}

function toSurface(items: readonly ListedItem[]): ModelSurface {
  const lists = listedKinds.map((kind) => {
    const own = items.filter((item) => `${item.kind}s` === kind);
    return [
      kind,
      new Map(own.map(({ name = '', value }) => [name, value as Record<string, unknown>])),
    ] as const;
  });
  const own = items.find(({ kind }) => kind === 'server')?.value;
  return {
    server: withoutVersion(own),
    items: Object.fromEntries(lists) as unknown as ModelSurface['items'],
    exposures: {},
  };
}
