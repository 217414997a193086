import { Extension } from '../extension/extension.js';
import { serverNames } from '../extension/workspace.js';
import type { PackageSpec } from '../npm/package-spec.js';
import { findDrift } from './drift.js';
import { isSamePackage, writeRecord } from './package-record.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';
import { formatNpmSpec, removeStaged, type StagedPackage, stage } from './stage-package.js';

/** What adding a package came to. */
export interface AddOutcome {
  readonly extension: Extension;
  /** Qualified names of its servers, whether it declares them or not. */
  readonly servers: readonly string[];
  readonly added: AddedPackage;
  /** The version that was there before; null: there was none. */
  readonly previous: string | null;
  /** Whether anything is other than it was: the same package may have been there already. */
  readonly changed: boolean;
  readonly warnings: readonly string[];
}

/**
 * Gets a package by npm, looks at it and makes it one that is found everywhere. No code of it is run.
 * @throws AgentToolsError if it cannot be had or is not an extension; everything is as it was then.
 */
export async function addPackage(spec: PackageSpec, setting: PackagesDeps): Promise<AddOutcome> {
  const shelf = new PackageStore(setting.packagesFolder);
  setting.onProgress(`Getting ${formatNpmSpec(spec)} …`);
  const staged = await stage(spec, shelf, setting);
  try {
    return await shelf.exclusively(() => putOnShelf(staged, shelf));
  } finally {
    await removeStaged(staged);
  }
}

/** To be done exclusively. */
async function putOnShelf(staged: StagedPackage, shelf: PackageStore): Promise<AddOutcome> {
  const { record, installation, warnings } = staged;
  const before = await shelf.find(record.name);
  const previous = before?.record.version ?? null;
  if (before && (await isUnchanged(staged, before))) {
    await writeRecord(before.installation, { ...before.record, wanted: record.wanted });
    const { extension } = staged;
    return { extension, servers: serverNames(extension), added: before, previous, changed: false, warnings };
  }
  const added = await shelf.put(installation, record);
  const extension = await Extension.open(added.directory);
  return { extension, servers: serverNames(extension), added, previous, changed: true, warnings };
}

/** Whether what is on the disk, not what was once put there, is just this. */
async function isUnchanged({ record }: StagedPackage, before: AddedPackage): Promise<boolean> {
  return isSamePackage(record, before.record) && (await findDrift(before)).length === 0;
}
