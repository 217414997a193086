import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { Extension, type LoadCode } from '../extension/extension.js';
import { type PackageSpec, readSpec } from '../npm/package-spec.js';
import { weakerOrigin } from '../npm/signatures.js';
import type { TextFinding } from '../text-checks/text-findings.js';
import { compareDependencies, readDependencies } from './dependencies.js';
import { findDrift } from './drift.js';
import { fingerprintExtension } from './fingerprint.js';
import { allowedFindings, findPackageTexts } from './package-findings.js';
import { isSamePackage, type PackageRecord } from './package-record.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';
import { removeStaged, type StagedPackage, stage } from './stage-package.js';
import { comparePackages, needsConsent, type VersionDifference } from './version-difference.js';

/** Possible update of an added package. */
export interface UpdatePlan {
  readonly before: AddedPackage;
  /** Differences between its files and the added ones, in a few words each. */
  readonly drift: readonly string[];
  /** Newest available version and its changes; undefined if it is already installed. */
  readonly next?: {
    readonly staged: StagedPackage;
    readonly difference: VersionDifference;
    /** Faults of its texts that models read. */
    readonly findings: readonly TextFinding[];
  };
  /** Reason why no version is available. */
  readonly error?: AgentToolsError;
}

export interface UpdateOptions {
  /** Names of packages. Empty: all added packages. */
  readonly names: readonly string[];
  /** True to load old and new code definitions in separate processes, to compare their values. */
  readonly load: boolean;
}

/**
 * Installs the newest allowed version of each package outside the store, and compares it. Staged versions
 * must be applied, or removed by {@link discardUpdates}.
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

/** Number of parallel npm installs. */
const maxAtOnce = 3;

/** Outcome of an update. */
export interface UpdateResult {
  readonly plan: UpdatePlan;
  /** `available`: dry run; `held`: the update needs a confirmation, and there was no user. */
  readonly state: 'current' | 'available' | 'updated' | 'declined' | 'held' | 'failed';
  readonly error?: AgentToolsError;
}

export interface ApplyOptions {
  /** True to only report possible updates. */
  readonly dryRun: boolean;
  /** Confirmation of the user; undefined if there is no terminal. */
  readonly ask: () => Promise<boolean | undefined>;
}

/**
 * Activates the staged version if the user agrees. Without a user, activates it only if it needs no confirmation.
 */
export async function applyUpdate(
  plan: UpdatePlan,
  { dryRun, ask }: ApplyOptions,
  setting: Pick<PackagesDeps, 'packagesFolder' | 'allowFindings'>,
): Promise<UpdateResult> {
  const { before, next, error } = plan;
  if (error) return { plan, state: 'failed', error };
  if (!next) return { plan, state: 'current' };
  try {
    const keepConsent = await allowedFindings(setting).require({
      subject: before.name,
      findings: next.findings,
      codes: setting.allowFindings ?? [],
      command: `agenttools update ${before.name} --allow-findings`,
    });
    if (dryRun) return { plan, state: 'available' };
    const consent = await ask();
    if (consent === false) return { plan, state: 'declined' };
    if (consent === undefined && needsConsent(next.difference)) return { plan, state: 'held' };
    await replacePackage(before, next.staged, new PackageStore(setting.packagesFolder));
    await keepConsent();
    return { plan, state: 'updated' };
  } catch (fault) {
    if (fault instanceof AgentToolsError) return { plan, state: 'failed', error: fault };
    throw fault;
  }
}

/** @throws AgentToolsError if the package has changed since the plan. */
async function replacePackage(
  before: AddedPackage,
  { installation, record }: StagedPackage,
  shelf: PackageStore,
): Promise<void> {
  await shelf.exclusively(async () => {
    const now = await shelf.find(before.name);
    if (now?.installation !== before.installation) throw changedMeanwhile(before.name);
    await shelf.put(installation, record);
  });
}

/** Error for a package that another process changed while this one asked the user. */
export function changedMeanwhile(name: string): AgentToolsError {
  const message = `${name} was added, updated or removed by another process at the same time. Try again.`;
  return new AgentToolsError('refused', message);
}

/** Removes staged versions that were not applied. */
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
      return { before, drift, next: { staged, ...(await compareStaged(staged, before, planning)) } };
    }
    await removeStaged(staged);
    return { before, drift };
  } catch (error) {
    if (staged) await removeStaged(staged);
    if (error instanceof AgentToolsError) return { before, drift, error };
    throw error;
  }
}

/** Compares a staged version with the added one. */
export async function compareStaged(
  { extension, record, findings }: StagedPackage,
  before: AddedPackage,
  { loadCode }: Pick<UpdateContext, 'loadCode'>,
): Promise<Omit<NonNullable<UpdatePlan['next']>, 'staged'>> {
  const options = loadCode ? { loadCode } : {};
  const present = await openIfReadable(before, options);
  const after = await Extension.open(extension.manifest.directory, options);
  const came = await readDependencies(before.name, before.installation).catch(
    () => before.record.dependencies,
  );
  const dependencies = compareDependencies(came, record.dependencies);
  const difference = await comparePackages(present, after, { load: loadCode !== undefined, dependencies });
  const source = otherSource(before.record, record);
  const origin = otherOrigin(before.record, record);
  return {
    difference: { ...difference, ...(origin.length > 0 && { origin }), ...(source && { source }) },
    findings: loadCode ? await findPackageTexts(after, { load: true }) : findings,
  };
}

/** Opens the installed version; undefined if a part of it cannot be read. */
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

/** A package that changes its source may belong to another publisher. */
function otherSource(before: PackageRecord, after: PackageRecord): VersionDifference['source'] {
  const isOther = before.source !== null && after.source !== null && before.source !== after.source;
  return isOther ? { before: before.source, after: after.source } : undefined;
}

/** Sentences about another publisher and build. Records of earlier versions have neither. */
function otherOrigin(before: PackageRecord, after: PackageRecord): readonly string[] {
  const [was, is] = [before.publisher ?? undefined, after.publisher ?? 'an unknown user'];
  const publisher =
    was === undefined || was === is ? [] : [`It was published by ${is}, and before by ${was}.`];
  return [...publisher, ...weakerOrigin(before, after)];
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
