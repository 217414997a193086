import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { ExistingRecords, upstreamRecordKey } from '../existing-servers/existing-records.js';
import { imageVersion, newestImageTag } from '../existing-servers/image-tags.js';
import { NoVersionsError, newestPyPiVersion } from '../existing-servers/package-index.js';
import {
  type ExistingReference,
  type ResolveDeps,
  resolveExisting,
} from '../existing-servers/resolve-existing.js';
import { publishedVersion } from '../existing-servers/resolve-npm.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import { type AddedPackage, PackageStore } from '../packages/package-store.js';
import { UpstreamRecords } from '../runtime/upstream-records.js';
import { askRemote } from './remote-version.js';

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
  /** Reason of `unknown`; for `outdated`: the change without another version. */
  readonly reason?: string;
  /** Ids of clients with an entry. Empty for extensions. */
  readonly clients: readonly string[];
}

export interface OutdatedDeps {
  /** The `node_modules` of the package store. */
  readonly packagesFolder: string;
  readonly receipts: Receipts;
  readonly dataFolder: string;
  readonly resolve: ResolveDeps;
  readonly tell: (text: string) => void;
}

/** Parallel lookups. */
const atOnce = 6;

/**
 * Compares the versions of added packages and installed existing servers with their sources. Downloads bundles from URLs into
 * the cache. Installs and starts nothing.
 */
export async function findOutdated({
  packagesFolder,
  receipts,
  dataFolder,
  resolve,
  tell,
}: OutdatedDeps): Promise<readonly VersionState[]> {
  const packages = await new PackageStore(packagesFolder).all();
  const { records } = await receipts.all();
  const servers = groupByReference(records.flatMap((record) => record.receipts));
  const jobs = [
    ...packages.map((added) => async () => await packageState(added, resolve)),
    ...servers.map((group) => async () => await serverState(group, { ...resolve, dataFolder })),
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

type StateDeps = ResolveDeps & Pick<OutdatedDeps, 'dataFolder'>;

async function serverState(
  [first, ...others]: readonly [Receipt, ...Receipt[]],
  deps: StateDeps,
): Promise<VersionState> {
  const clients = [...new Set([first, ...others].map(({ client }) => client))];
  const meant = installedFrom(first);
  const current = first.serverVersion ?? (meant?.kind === 'docker' ? imageVersion(meant.image) : null);
  const facts = { kind: first.kind ?? 'existing', name: first.reference, current, clients };
  if (!meant) return unknownState(facts, 'Its reference names no published server.');
  if (meant.kind === 'url') return await remoteState(first, facts, deps);
  if (meant.kind === 'bundle' || meant.kind === 'document') return await fileState(first, meant, facts, deps);
  const { version: _, ...newest } = meant as Extract<ExistingReference, { readonly version?: string }>;
  const versions = { wanted: () => versionNow(meant, deps), latest: () => newestVersion(newest, deps) };
  if (current !== null || meant.kind === 'npm' || meant.kind === 'registry')
    return await compareVersions(facts, versions);
  const runner = meant.kind === 'pypi' ? 'uvx' : meant.kind === 'nuget' ? 'dnx' : 'docker';
  const latest = meant.kind === 'pypi' ? await versions.latest().catch(() => null) : null;
  const example = `${first.reference}${meant.kind === 'docker' ? ':' : '@'}${latest ?? '<version>'}`;
  const reason = `Its entry names no version, so ${runner} chooses one. Name one: agenttools install ${first.client} ${example}`;
  return { ...unknownState(facts, reason), latest };
}

/** The version that a reference means now; null if it means none. @throws AgentToolsError */
async function versionNow(reference: ExistingReference, deps: ResolveDeps): Promise<string | null> {
  if (reference.kind === 'docker') return imageVersion(reference.image);
  if ('version' in reference && reference.version !== undefined && /^(?:pypi|nuget)$/.test(reference.kind))
    return reference.version;
  return await newestVersion(reference, deps);
}

/** The version that the source of a server has now. @throws AgentToolsError */
async function newestVersion(reference: ExistingReference, deps: ResolveDeps): Promise<string | null> {
  switch (reference.kind) {
    case 'npm':
      return await publishedVersion(reference, deps);
    case 'registry': {
      const registry = await deps.openRegistry();
      return (await registry.find(reference.name, reference.version, deps.signal)).entry.version;
    }
    case 'pypi':
      return await newestPyPiVersion(reference.name, deps);
    case 'docker':
      return await newestImageTag(reference.image, deps);
    case 'nuget': {
      const message = `Only the sources of dotnet know newer versions. Look with: dotnet package search ${reference.name} --exact-match`;
      throw new NoVersionsError('not-found', message);
    }
    default:
      return null;
  }
}

/** A bundle or a file may have another content with the same version. */
async function fileState(
  { server }: Receipt,
  meant: ExistingReference,
  facts: VersionFacts,
  deps: StateDeps,
): Promise<VersionState> {
  try {
    const { version = null, content } = await resolveExisting(meant, deps);
    const known = await new ExistingRecords(deps.dataFolder).read(server);
    const hasOtherFiles = known?.content !== undefined && known.content.sha256 !== content?.sha256;
    if (hasOtherFiles && version === facts.current)
      return {
        ...facts,
        wanted: version,
        latest: version,
        state: 'outdated',
        reason: 'The file has changed.',
      };
    if (version === null && facts.current === null && !hasOtherFiles)
      return { ...facts, wanted: null, latest: null, state: 'current' };
    return await compareVersions(facts, { wanted: async () => version, latest: async () => version });
  } catch (error) {
    if (error instanceof AgentToolsError) return unknownState(facts, error.message);
    throw error;
  }
}

/** Compares the handshake of a remote server with the last recorded one. */
async function remoteState(receipt: Receipt, facts: VersionFacts, deps: StateDeps): Promise<VersionState> {
  const record = new UpstreamRecords(deps.dataFolder).read(upstreamRecordKey({ reference: receipt.server }));
  const current = record?.info?.version ?? null;
  const version = async () =>
    (await askRemote(receipt, { signal: deps.signal, isHandshakeOnly: true })).serverVersion ?? null;
  return await compareVersions({ ...facts, current }, { wanted: version, latest: async () => null });
}

/** The existing server that a reference of `install` names. */
function existingReference(text: string): ExistingReference | undefined {
  try {
    const reference = readServerReference(text);
    if (reference.kind === 'name') return reference.npm;
    return reference.kind === 'path' ? undefined : reference;
  } catch (error) {
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}

/** The existing server that an entry was installed from. A relative path is meant from the folder of that time. */
export function installedFrom({ reference, server }: Receipt): ExistingReference | undefined {
  const meant = existingReference(reference);
  const isFile = (meant?.kind === 'bundle' || meant?.kind === 'document') && !meant.isRemote;
  return isFile ? (existingReference(server) ?? meant) : meant;
}

type VersionFacts = Pick<VersionState, 'kind' | 'name' | 'current' | 'clients'>;

function unknownState(facts: VersionFacts, reason: string): VersionState {
  return { ...facts, wanted: null, latest: null, state: 'unknown', reason };
}

async function compareVersions(
  facts: VersionFacts,
  versions: Readonly<Record<'wanted' | 'latest', () => Promise<string | null>>>,
): Promise<VersionState> {
  const { current } = facts;
  let wanted: string | null = null;
  try {
    wanted = await versions.wanted();
    if (wanted === null || current === null) return unknownState(facts, 'The server has no version.');
    const latest = (await versions.latest()) ?? wanted;
    const state = wanted !== current ? 'outdated' : latest === current ? 'current' : 'pinned';
    return { ...facts, wanted, latest, state };
  } catch (error) {
    if (error instanceof AgentToolsError) return { ...unknownState(facts, error.message), wanted };
    throw error;
  }
}
