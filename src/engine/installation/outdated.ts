import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import {
  type ExistingReference,
  type ResolveDeps,
  resolveExisting,
} from '../existing-servers/resolve-existing.js';
import { publishedVersion } from '../existing-servers/resolve-npm.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import { type AddedPackage, PackageStore } from '../packages/package-store.js';

/** Versions of a package or server. */
export interface VersionState {
  /** `extension`, or the source of an existing server, such as `npm` and `registry`. */
  readonly kind: string;
  /** Name of the package, or reference of the server without its version. */
  readonly name: string;
  readonly current: string | null;
  /** Version that the reference given at `add` or `install` means now. Null: unknown. */
  readonly wanted: string | null;
  /** Null: unknown. */
  readonly latest: string | null;
  /** `pinned`: the reference excludes the latest version. */
  readonly state: 'current' | 'outdated' | 'pinned' | 'unknown';
  /** Reason of `unknown`. */
  readonly reason?: string;
  /** Ids of clients with an entry. Empty for extensions. */
  readonly clients: readonly string[];
}

export interface OutdatedDeps {
  /** The `node_modules` of the package store. */
  readonly packagesFolder: string;
  readonly receipts: Receipts;
  readonly resolve: ResolveDeps;
  readonly tell: (text: string) => void;
}

/** Parallel lookups. */
const atOnce = 6;

/** Compares the versions of added packages and installed existing servers with their registries. Downloads and starts nothing. */
export async function findOutdated({
  packagesFolder,
  receipts,
  resolve,
  tell,
}: OutdatedDeps): Promise<readonly VersionState[]> {
  const packages = await new PackageStore(packagesFolder).all();
  const { records } = await receipts.all();
  const servers = groupByReference(records.flatMap((record) => record.receipts));
  const jobs = [
    ...packages.map((added) => async () => await packageState(added, resolve)),
    ...servers.map((group) => async () => await serverState(group, resolve)),
  ];
  const states: VersionState[] = [];
  await forEachLimited(jobs, atOnce, async (job) => {
    tell(`Looking for newer versions: ${states.length + 1} of ${jobs.length}`);
    states.push(await job());
  });
  return states.sort((one, other) => (`${one.kind} ${one.name}` < `${other.kind} ${other.name}` ? -1 : 1));
}

/** Receipts of the same server in the same version. */
export function groupByReference(all: readonly Receipt[]): readonly (readonly [Receipt, ...Receipt[]])[] {
  const groups = new Map<string, [Receipt, ...Receipt[]]>();
  for (const receipt of all) {
    if (!receipt.existing || receipt.kind === 'command') continue;
    const id = JSON.stringify([receipt.reference, receipt.server]);
    const group = groups.get(id);
    if (group) group.push(receipt);
    else groups.set(id, [receipt]);
  }
  return [...groups.values()];
}

async function packageState({ name, record }: AddedPackage, lookup: ResolveDeps): Promise<VersionState> {
  const facts = { kind: 'extension', name, current: record.version, clients: [] };
  if (record.wanted.kind !== 'registry')
    return unknownState(facts, 'It was added from a folder or an archive.');
  const { wanted } = record.wanted;
  const at = async (version: string | undefined) =>
    await publishedVersion({ kind: 'npm', name, ...(version && { version }) }, lookup);
  return await compareVersions(facts, { wanted: () => at(wanted), latest: () => at(undefined) });
}

async function serverState(
  [first, ...others]: readonly [Receipt, ...Receipt[]],
  deps: ResolveDeps,
): Promise<VersionState> {
  const clients = [...new Set([first, ...others].map(({ client }) => client))];
  const current = first.serverVersion ?? null;
  const meant = existingReference(first.reference);
  const facts = { kind: first.kind ?? 'existing', name: first.reference, current, clients };
  if (!meant) return unknownState(facts, 'Its reference names no published server.');
  const newest = withoutVersion(meant);
  if (newest === undefined) return unknownState(facts, unknownReasons[meant.kind] ?? unknownReasons.url!);
  const at = async (reference: ExistingReference) => (await resolveExisting(reference, deps)).version ?? null;
  return await compareVersions(facts, { wanted: () => at(meant), latest: () => at(newest) });
}

const unknownReasons: Readonly<Record<string, string>> = {
  url: 'The operator of a remote server updates it.',
  pypi: 'uvx looks for versions, not AgentTools.',
  nuget: 'dnx looks for versions, not AgentTools.',
  docker: 'docker looks for images, not AgentTools.',
  document: 'The file has no newer versions.',
};

/** The existing server that a reference of `install` names. */
export function existingReference(text: string): ExistingReference | undefined {
  try {
    const reference = readServerReference(text);
    if (reference.kind === 'name') return reference.npm;
    return reference.kind === 'path' ? undefined : reference;
  } catch (error) {
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}

/** The same server in its newest version; undefined if its source has no list of versions. */
function withoutVersion(reference: ExistingReference): ExistingReference | undefined {
  if (reference.kind === 'npm' || reference.kind === 'registry') {
    const { version: _, ...rest } = reference;
    return rest;
  }
  return reference.kind === 'bundle' && !reference.isRemote ? reference : undefined;
}

type Facts = Pick<VersionState, 'kind' | 'name' | 'current' | 'clients'>;

function unknownState(facts: Facts, reason: string): VersionState {
  return { ...facts, wanted: null, latest: null, state: 'unknown', reason };
}

async function compareVersions(
  facts: Facts,
  versions: Readonly<Record<'wanted' | 'latest', () => Promise<string | null>>>,
): Promise<VersionState> {
  try {
    const [wanted, latest] = await Promise.all([versions.wanted(), versions.latest()]);
    const { current } = facts;
    if (wanted === null || current === null) return unknownState(facts, 'The server has no version.');
    const state = wanted !== current ? 'outdated' : latest === current ? 'current' : 'pinned';
    return { ...facts, wanted, latest, state };
  } catch (error) {
    if (error instanceof AgentToolsError) return unknownState(facts, error.message);
    throw error;
  }
}
