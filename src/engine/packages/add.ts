import { AgentToolsError } from '../base/errors.js';
import { Extension } from '../extension/extension.js';
import { serverNames } from '../extension/workspace.js';
import type { PackageSpec } from '../npm/package-spec.js';
import type { TextFinding } from '../text-checks/text-findings.js';
import { findDrift } from './drift.js';
import { allowedFindings } from './package-findings.js';
import { isSamePackage, writeRecord } from './package-record.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';
import { formatNpmSpec, removeStaged, type StagedPackage, stage } from './stage-package.js';
import { changedMeanwhile, compareStaged } from './update.js';
import { widenings } from './version-difference.js';

/** Result of adding a package. */
export interface AddOutcome {
  readonly extension: Extension;
  /** Qualified names of its servers, declared or implicit. */
  readonly servers: readonly string[];
  readonly added: AddedPackage;
  /** Previous version; null if the package was not added before. */
  readonly previous: string | null;
  /** False if the same package was already added. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
  /** Faults of its texts that models read. Errors among them are allowed by the user. */
  readonly findings: readonly TextFinding[];
}

/** A version that would replace the added one, with more than it has. */
interface Widening {
  readonly name: string;
  /** Versions. */
  readonly from: string;
  readonly to: string;
  /** Sentences about new variables, hosts, permissions, publishers, builds and install scripts. */
  readonly sentences: readonly string[];
}

/** Asks the user to confirm; undefined if there is no terminal. */
export type ConfirmWidening = (widening: Widening) => Promise<boolean | undefined>;

/**
 * Downloads a package with npm, inspects it and adds it to the package store. Runs no code of the package.
 * @throws AgentToolsError if the package is unavailable or not an extension, or if the user does not confirm its additions
 *   to the added version; the store is then unchanged.
 */
export async function addPackage(
  spec: PackageSpec,
  setting: PackagesDeps,
  confirm: ConfirmWidening = async () => undefined,
): Promise<AddOutcome> {
  const store = new PackageStore(setting.packagesFolder);
  setting.onProgress(`Getting ${formatNpmSpec(spec)} …`);
  const staged = await stage(spec, store, setting);
  try {
    const keepConsent = await allowedFindings(setting).require({
      subject: staged.record.name,
      findings: staged.findings,
      codes: setting.allowFindings ?? [],
      command: `agenttools add ${formatNpmSpec(spec)} --allow-findings`,
    });
    const before = await store.find(staged.record.name);
    if (before) await requireConsent(staged, before, { spec, confirm });
    const outcome = await store.exclusively(() => storePackage(staged, { shelf: store, before }));
    await keepConsent();
    return outcome;
  } finally {
    await removeStaged(staged);
  }
}

/** Requires the lock of the store. `before`: the version that the user agreed to replace. */
async function storePackage(
  staged: StagedPackage,
  { shelf, before }: { readonly shelf: PackageStore; readonly before: AddedPackage | undefined },
): Promise<AddOutcome> {
  const { record, installation, warnings, findings } = staged;
  const now = await shelf.find(record.name);
  const previous = now?.record.version ?? null;
  // Another process may have added the same version.
  if (now && (await isUnchanged(staged, now))) {
    await writeRecord(now.installation, { ...now.record, wanted: record.wanted });
    const { extension } = staged;
    return {
      extension,
      servers: serverNames(extension),
      added: now,
      previous,
      changed: false,
      warnings,
      findings,
    };
  }
  if (now?.installation !== before?.installation) throw changedMeanwhile(record.name);
  const added = await shelf.put(installation, record);
  const extension = await Extension.open(added.directory);
  return {
    extension,
    servers: serverNames(extension),
    added,
    previous,
    changed: true,
    warnings,
    findings,
  };
}

/** @throws AgentToolsError if the package has more than the added version, and the user does not confirm it */
async function requireConsent(
  staged: StagedPackage,
  before: AddedPackage,
  { spec, confirm }: { readonly spec: PackageSpec; readonly confirm: ConfirmWidening },
): Promise<void> {
  if (await isUnchanged(staged, before)) return;
  const { difference } = await compareStaged(staged, before, { loadCode: undefined });
  const sentences = widenings(difference);
  if (sentences.length === 0) return;
  const { name } = before;
  const from = before.record.version;
  const consent = await confirm({ name, from, to: staged.record.version, sentences });
  if (consent) return;
  const reason = consent === undefined ? `: ${sentences.join(' ')}` : '.';
  const wayOut =
    consent === undefined ? ` If that is right: agenttools add ${formatNpmSpec(spec)} --yes` : '';
  throw new AgentToolsError('refused', `${name} stays at ${from}${reason}${wayOut}`);
}

/** True if the files on disk, not only the record, equal the staged package. */
async function isUnchanged({ record }: StagedPackage, before: AddedPackage): Promise<boolean> {
  return isSamePackage(record, before.record) && (await findDrift(before)).length === 0;
}
