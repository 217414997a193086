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
import { compareStaged } from './update.js';

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

/**
 * Downloads a package with npm, inspects it and adds it to the package store. Runs no code of the package.
 * @throws AgentToolsError if the package is unavailable or not an extension; the store is then unchanged.
 */
export async function addPackage(spec: PackageSpec, setting: PackagesDeps): Promise<AddOutcome> {
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
    const outcome = await store.exclusively(() => storePackage(staged, store));
    await keepConsent();
    return outcome;
  } finally {
    await removeStaged(staged);
  }
}

/** Requires the lock of the store. */
async function storePackage(staged: StagedPackage, shelf: PackageStore): Promise<AddOutcome> {
  const { record, installation, warnings, findings } = staged;
  const before = await shelf.find(record.name);
  const previous = before?.record.version ?? null;
  if (before && (await isUnchanged(staged, before))) {
    await writeRecord(before.installation, { ...before.record, wanted: record.wanted });
    const { extension } = staged;
    return {
      extension,
      servers: serverNames(extension),
      added: before,
      previous,
      changed: false,
      warnings,
      findings,
    };
  }
  const widened = before ? await widenedBy(staged, before) : [];
  const added = await shelf.put(installation, record);
  const extension = await Extension.open(added.directory);
  return {
    extension,
    servers: serverNames(extension),
    added,
    previous,
    changed: true,
    warnings: [...warnings, ...widened],
    findings,
  };
}

/** Sentences about variables, permissions, and another publisher or build, that the present version does not have. */
async function widenedBy(staged: StagedPackage, before: AddedPackage): Promise<readonly string[]> {
  const { difference } = await compareStaged(staged, before, { loadCode: undefined });
  const { exposures, permissions, origin = [] } = difference;
  return [...exposures, ...permissions, ...origin];
}

/** True if the files on disk, not only the record, equal the staged package. */
async function isUnchanged({ record }: StagedPackage, before: AddedPackage): Promise<boolean> {
  return isSamePackage(record, before.record) && (await findDrift(before)).length === 0;
}
