import path from 'node:path';
import { isRecord } from '../extension/shapes.js';
import { replaceTextFile } from '../files/replace.js';
import { readTextFile } from '../files/text-file.js';
import type { PackageSpec } from '../npm/spec.js';
import { compare, isSame } from './comparison.js';
import { compareDependencies, type Dependencies } from './dependencies.js';
import type { Fingerprint } from './fingerprint.js';

/** What we remember of a package that was added. */
export interface PackageRecord {
  /** Of this form. */
  readonly format: 1;
  readonly name: string;
  /** What was asked for, and what an update goes by. */
  readonly wanted: Pick<PackageSpec, 'kind' | 'wanted'>;
  readonly version: string;
  /** As npm checked it; null: npm has none for a folder. */
  readonly integrity: string | null;
  /** Where npm had it from, such as the origin of a registry; null: npm did not say. */
  readonly source: string | null;
  readonly fingerprint: Fingerprint;
  readonly dependencies: Dependencies;
  /** ISO 8601. */
  readonly time: string;
}

/** In the folder that a package was installed into. */
export const recordName = 'added.json';

/** The record in the folder that a package was installed into; undefined if there is none that can be read. */
export async function readRecord(installation: string): Promise<PackageRecord | undefined> {
  try {
    const { text } = await readTextFile(path.join(installation, recordName));
    const value = JSON.parse(text ?? 'null') as unknown;
    return isPackageRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPackageRecord(value: unknown): value is PackageRecord {
  if (!isRecord(value) || value.format !== 1) return false;
  const { name, version, wanted, fingerprint, dependencies } = value;
  const isPrinted = isRecord(fingerprint) && isRecord(fingerprint.files) && Array.isArray(fingerprint.items);
  const isWhole = isPrinted && isRecord(dependencies);
  return typeof name === 'string' && typeof version === 'string' && isRecord(wanted) && isWhole;
}

/** Whether two states of a package are one, with all that came with it. */
export function isSamePackage(one: PackageRecord, other: PackageRecord): boolean {
  if (one.version !== other.version || one.integrity !== other.integrity) return false;
  if (compareDependencies(one.dependencies, other.dependencies).length > 0) return false;
  return isSame(compare(one.fingerprint, other.fingerprint));
}

/** Remembers a package, in the folder that it was installed into. */
export async function writeRecord(installation: string, record: PackageRecord): Promise<void> {
  const file = await readTextFile(path.join(installation, recordName));
  await replaceTextFile(file, `${JSON.stringify(record, undefined, 1)}\n`);
}
