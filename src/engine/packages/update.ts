import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { Extension, type LoadCode } from '../extension/extension.js';
import { type PackageSpec, readSpec } from '../npm/package-spec.js';
import { compareDependencies, readDependencies } from './dependencies.js';
import { findDrift } from './drift.js';
import { fingerprintExtension } from './fingerprint.js';
import { isSamePackage, type PackageRecord } from './package-record.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';
import { removeStaged, type StagedPackage, stage } from './stage-package.js';
import { comparePackages, isVisibleToModel, type VersionDifference } from './version-difference.js';

/** What could become of a package that was added. */
export interface UpdatePlan {
  readonly before: AddedPackage;
  /** How its files are not those that were added, in a few words each. */
  readonly drift: readonly string[];
  /** The newest version that may be had, and what it brings; absent: it is there already. */
  readonly next?: { readonly staged: StagedPackage; readonly difference: VersionDifference };
  /** Why no version can be had. */
  readonly error?: AgentToolsError;
}

export interface UpdateOptions {
  /** Packages by name; all where none is named. */
  readonly names: readonly string[];
  /** Whether code definitions, old and new, are loaded in processes of their own, to tell what they say. */
  readonly load: boolean;
}

/**
 * Has npm get the newest version of each package that what was asked for allows, and tells what it brings. What is
 * staged for that has to be applied, or cleared away by {@link discardUpdates}.
 * @throws AgentToolsError if a named package was not added.
 */
export async function planUpdates(
  { names, load }: UpdateOptions,
  setting: PackagesDeps,
): Promise<readonly UpdatePlan[]> {
  const shelf = new PackageStore(setting.packagesFolder);
  const chosen = await Promise.all([...new Set(names)].map((name) => shelf.require(name)));
  const wanted = names.length === 0 ? await shelf.all() : chosen;
  const plans: UpdatePlan[] = [];
  const faults: unknown[] = [];
  await withCodeLoading(load, async (loadCode) => {
    await forEachLimited(wanted, maxAtOnce, async (before) => {
      setting.onProgress(`Looking for newer versions: ${plans.length + 1} of ${wanted.length} …`);
      try {
        plans.push(await planUpdate(before, { shelf, setting, loadCode }));
      } catch (error) {
        faults.push(error);
      }
    });
  });
  if (faults.length > 0) {
    await discardUpdates(plans);
    throw faults[0];
  }
  return plans.sort((one, other) => (one.before.name < other.before.name ? -1 : 1));
}

/** How many packages npm gets at once. */
const maxAtOnce = 3;

/** What became of a package that was to be updated. */
export interface UpdateResult {
  readonly plan: UpdatePlan;
  /** `available`: it was not to be done; `held`: nobody was there to agree to what the model would see. */
  readonly state: 'current' | 'available' | 'updated' | 'declined' | 'held' | 'failed';
  readonly error?: AgentToolsError;
}

export interface ApplyOptions {
  /** Only tell what could be done. */
  readonly dryRun: boolean;
  /** Whether the user wants it; undefined: nobody is there to say. */
  readonly ask: () => Promise<boolean | undefined>;
}

/** Makes the staged version the one that counts, if the user wants it, or nobody says and the model would see the same. */
export async function applyUpdate(
  plan: UpdatePlan,
  { dryRun, ask }: ApplyOptions,
  setting: Pick<PackagesDeps, 'packagesFolder'>,
): Promise<UpdateResult> {
  const { before, next, error } = plan;
  if (error) return { plan, state: 'failed', error };
  if (!next) return { plan, state: 'current' };
  if (dryRun) return { plan, state: 'available' };
  const consent = await ask();
  if (consent === false) return { plan, state: 'declined' };
  if (consent === undefined && isVisibleToModel(next.difference)) return { plan, state: 'held' };
  try {
    await replacePackage(before, next.staged, new PackageStore(setting.packagesFolder));
    return { plan, state: 'updated' };
  } catch (fault) {
    if (fault instanceof AgentToolsError) return { plan, state: 'failed', error: fault };
    throw fault;
  }
}

/** @throws AgentToolsError if the package is not the one any more that the plan was made for. */
async function replacePackage(
  before: AddedPackage,
  { installation, record }: StagedPackage,
  shelf: PackageStore,
): Promise<void> {
  await shelf.exclusively(async () => {
    const now = await shelf.find(before.name);
    if (now?.installation !== before.installation) {
      const message = `${before.name} was added, updated or removed by another process meanwhile. Try again.`;
      throw new AgentToolsError('refused', message);
    }
    await shelf.put(installation, record);
  });
}

/** Clears away what was staged and not applied. */
export async function discardUpdates(plans: readonly UpdatePlan[]): Promise<void> {
  await Promise.all(plans.map(async ({ next }) => next && (await removeStaged(next.staged))));
}

interface UpdateContext {
  readonly shelf: PackageStore;
  readonly setting: PackagesDeps;
  readonly loadCode: LoadCode | undefined;
}

async function planUpdate(before: AddedPackage, planning: UpdateContext): Promise<UpdatePlan> {
  const { shelf, setting } = planning;
  const drift = await findDrift(before);
  let staged: StagedPackage | undefined;
  try {
    staged = await stage(await toPackageSpec(before.record), shelf, setting);
    if (drift.length > 0 || !isSamePackage(before.record, staged.record)) {
      return { before, drift, next: { staged, difference: await compareStaged(staged, before, planning) } };
    }
    await removeStaged(staged);
    return { before, drift };
  } catch (error) {
    if (staged) await removeStaged(staged);
    if (error instanceof AgentToolsError) return { before, drift, error };
    throw error;
  }
}

async function compareStaged(
  { extension, record }: StagedPackage,
  before: AddedPackage,
  { loadCode }: UpdateContext,
): Promise<VersionDifference> {
  const options = loadCode ? { loadCode } : {};
  const present = await openIfReadable(before, options);
  const after = await Extension.open(extension.manifest.directory, options);
  const came = await readDependencies(before.name, before.installation).catch(
    () => before.record.dependencies,
  );
  const dependencies = compareDependencies(came, record.dependencies);
  const difference = await comparePackages(present, after, { load: loadCode !== undefined, dependencies });
  const source = otherSource(before.record, record);
  return { ...difference, ...(source && { source }) };
}

/** What is there of it, unless a part of that cannot be read. */
async function openIfReadable(
  { directory }: AddedPackage,
  options: { readonly loadCode?: LoadCode },
): Promise<Extension | undefined> {
  try {
    const present = await Extension.open(directory, options);
    await fingerprintExtension(present);
    return present;
  } catch (error) {
    if (error instanceof AgentToolsError) return undefined;
    throw error;
  }
}

/** A name that suddenly comes from elsewhere may be somebody else's. */
function otherSource(before: PackageRecord, after: PackageRecord): VersionDifference['source'] {
  const isOther = before.source !== null && after.source !== null && before.source !== after.source;
  return isOther ? { before: before.source, after: after.source } : undefined;
}

async function toPackageSpec({ name, wanted: { kind, wanted } }: PackageRecord): Promise<PackageSpec> {
  return kind === 'registry' ? { kind, name, wanted } : await readSpec(wanted, '/');
}

async function withCodeLoading(load: boolean, work: (loadCode?: LoadCode) => Promise<void>): Promise<void> {
  if (!load) return await work();
  const { Inspector } = await import('../validate/inspector.js');
  const inspector = new Inspector({ timeoutMs: 10_000 });
  try {
    await work(async (file) => (await inspector.load(file)).value);
  } finally {
    inspector.close();
  }
}
