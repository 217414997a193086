import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString, isStringOrNull } from '../base/value-checks.js';
import { kinds } from '../extension/item-kinds.js';
import { isPackageName } from '../extension/names.js';
import type { PackageSpec } from '../npm/package-spec.js';
import type { Provenance } from '../npm/provenance.js';
import type { SignatureState } from '../npm/signatures.js';
import { compare, hasNoDifference } from './compare-states.js';
import { compareDependencies, type Dependencies } from './dependencies.js';
import type { Fingerprint } from './fingerprint.js';

/** Record of an added package. */
export interface PackageRecord {
  /** Version of the record format. */
  readonly format: 1;
  readonly name: string;
  /** The requested spec, which updates also use. */
  readonly wanted: Pick<PackageSpec, 'kind' | 'wanted'>;
  readonly version: string;
  /** Checksum verified by npm; null for a folder. */
  readonly integrity: string | null;
  /** Source of the package, such as the origin of a registry; null if npm recorded no source. */
  readonly source: string | null;
  /** Null for a package that is not from a registry. Undefined in records of earlier versions. */
  readonly signature?: SignatureState | null;
  /** Publisher of the version; null if unknown. Undefined in records of earlier versions. */
  readonly publisher?: string | null;
  /** Verified provenance; null without one. Undefined in records of earlier versions. */
  readonly provenance?: Provenance | null;
  readonly fingerprint: Fingerprint;
  readonly dependencies: Dependencies;
  /** ISO 8601. */
  readonly time: string;
}

/** File in the installation folder of a package. */
export const recordName = 'added.json';

/** Reads the record in an installation folder; undefined if missing or invalid. */
export async function readRecord(installation: string): Promise<PackageRecord | undefined> {
  try {
    const { text } = await readTextFile(path.join(installation, recordName));
    const value = JSON.parse(text ?? 'null') as unknown;
    return isPackageRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Other programs can write to this file. */
function isPackageRecord(value: unknown): value is PackageRecord {
  if (!isRecord(value) || value.format !== 1) return false;
  const { name, wanted, version, integrity, source, fingerprint, dependencies, time } = value;
  const isNamed = typeof name === 'string' && isPackageName(name);
  const isWanted = isRecord(wanted) && [wanted.kind, wanted.wanted].every(isString);
  const isPrinted = isFingerprint(fingerprint) && isRecordOfValid(isDependencyPrint, dependencies);
  return (
    isNamed &&
    isWanted &&
    isPrinted &&
    [version, time].every(isString) &&
    [integrity, source].every(isStringOrNull)
  );
}

function isFingerprint(value: unknown): boolean {
  if (!isRecord(value) || !isRecordOfValid(isString, value.files)) return false;
  return Array.isArray(value.items) && value.items.every(isItemPrint);
}

function isItemPrint(item: unknown): boolean {
  if (!isRecord(item) || !kinds.some((kind) => kind === item.kind) || !isString(item.name)) return false;
  const isPlain = [item.file, item.value].every((one) => one === undefined || isString(one));
  return isPlain && Array.isArray(item.uses) && item.uses.every(isString);
}

function isDependencyPrint(print: unknown): boolean {
  if (!isRecord(print) || typeof print.isExtension !== 'boolean') return false;
  return isStringOrNull(print.version) && isString(print.digest);
}

function isRecordOfValid(isOne: (member: unknown) => boolean, value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isOne);
}

/** True if two states of a package are equal, including dependencies. */
export function isSamePackage(one: PackageRecord, other: PackageRecord): boolean {
  if (one.version !== other.version || one.integrity !== other.integrity) return false;
  if (compareDependencies(one.dependencies, other.dependencies).length > 0) return false;
  return hasNoDifference(compare(one.fingerprint, other.fingerprint));
}

/** Writes the record into the installation folder of a package. */
export async function writeRecord(installation: string, record: PackageRecord): Promise<void> {
  const file = await readTextFile(path.join(installation, recordName));
  await replaceTextFile(file, `${JSON.stringify(record, undefined, 1)}\n`);
}
