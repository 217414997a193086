import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord } from '../extension/definition-shapes.js';
import { kinds } from '../extension/item-kinds.js';
import { isPackageName } from '../extension/names.js';
import type { PackageSpec } from '../npm/package-spec.js';
import { compare, hasNoDifference } from './compare-states.js';
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

/** Anybody may have written to it. */
function isPackageRecord(value: unknown): value is PackageRecord {
  if (!isRecord(value) || value.format !== 1) return false;
  const { name, wanted, version, integrity, source, fingerprint, dependencies, time } = value;
  const isNamed = typeof name === 'string' && isPackageName(name);
  const isWanted = isRecord(wanted) && [wanted.kind, wanted.wanted].every(isText);
  const isPrinted = isFingerprint(fingerprint) && isRecordOfValid(isDependencyPrint, dependencies);
  return (
    isNamed &&
    isWanted &&
    isPrinted &&
    [version, time].every(isText) &&
    [integrity, source].every(isTextOrNull)
  );
}

function isFingerprint(value: unknown): boolean {
  if (!isRecord(value) || !isRecordOfValid(isText, value.files)) return false;
  return Array.isArray(value.items) && value.items.every(isItemPrint);
}

function isItemPrint(item: unknown): boolean {
  if (!isRecord(item) || !kinds.some((kind) => kind === item.kind) || !isText(item.name)) return false;
  const isPlain = [item.file, item.value].every((one) => one === undefined || isText(one));
  return isPlain && Array.isArray(item.uses) && item.uses.every(isText);
}

function isDependencyPrint(print: unknown): boolean {
  if (!isRecord(print) || typeof print.isExtension !== 'boolean') return false;
  return isTextOrNull(print.version) && isText(print.digest);
}

function isRecordOfValid(isOne: (member: unknown) => boolean, value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isOne);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

/** Whether two states of a package are one, with all that came with it. */
export function isSamePackage(one: PackageRecord, other: PackageRecord): boolean {
  if (one.version !== other.version || one.integrity !== other.integrity) return false;
  if (compareDependencies(one.dependencies, other.dependencies).length > 0) return false;
  return hasNoDifference(compare(one.fingerprint, other.fingerprint));
}

/** Remembers a package, in the folder that it was installed into. */
export async function writeRecord(installation: string, record: PackageRecord): Promise<void> {
  const file = await readTextFile(path.join(installation, recordName));
  await replaceTextFile(file, `${JSON.stringify(record, undefined, 1)}\n`);
}
