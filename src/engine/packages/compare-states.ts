import { visibleLine } from '../base/visible-text.js';
import { type Kind, singular } from '../extension/item-kinds.js';
import type { Fingerprint, ItemFingerprint } from './fingerprint.js';

/** Difference between two states of a package. */
export interface PackageComparison {
  readonly added: readonly ItemFingerprint[];
  readonly removed: readonly ItemFingerprint[];
  readonly changed: readonly ChangedItem[];
  /** Changed files that belong to no item. */
  readonly files: readonly ChangedFile[];
}

interface ChangedItem {
  readonly before: ItemFingerprint;
  readonly after: ItemFingerprint;
  /** True if its data value differs, or its code is in a changed file. */
  readonly isRedefined: boolean;
  /** Changed files that the item names. */
  readonly files: readonly string[];
}

export interface ChangedFile {
  readonly file: string;
  readonly change: 'new' | 'gone' | 'changed';
}

/** Compares two fingerprints of a package. */
export function compare(before: Fingerprint, after: Fingerprint): PackageComparison {
  const files = changedFiles(before.files, after.files);
  const hasChanged = (file: string | undefined) => files.some((one) => one.file === file);
  const pairs = after.items.flatMap((item) => {
    const old = findSameItem(before.items, item);
    return old ? [{ before: old, after: item }] : [];
  });
  const changed = pairs.map((pair) => ({
    ...pair,
    isRedefined: isRedefined(pair, hasChanged),
    files: pair.after.uses.filter(hasChanged),
  }));
  const accounted = [...before.items, ...after.items].flatMap(({ file, uses }) => [file, ...uses]);
  return {
    added: after.items.filter((item) => !findSameItem(before.items, item)),
    removed: before.items.filter((item) => !findSameItem(after.items, item)),
    changed: changed.filter((item) => item.isRedefined || item.files.length > 0),
    files: files.filter(({ file }) => !accounted.includes(file)),
  };
}

/** Finds the item of the same kind and name. */
export function findSameItem<T extends ComparedItem>(
  items: readonly T[],
  { kind, name }: ComparedItem,
): T | undefined {
  return items.find((item) => item.kind === kind && item.name === name);
}

interface ComparedItem {
  readonly kind: Kind;
  readonly name: string;
}

function isRedefined(
  { before, after }: Pick<ChangedItem, 'before' | 'after'>,
  hasChanged: (file: string | undefined) => boolean,
): boolean {
  if (before.value !== after.value) return true;
  return after.value === undefined && (before.file !== after.file || hasChanged(after.file));
}

function changedFiles(before: Fingerprint['files'], after: Fingerprint['files']): readonly ChangedFile[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((file): ChangedFile[] => {
    if (old.get(file) === now.get(file)) return [];
    return [{ file, change: !old.has(file) ? 'new' : !now.has(file) ? 'gone' : 'changed' }];
  });
}

/** True if a comparison found no difference. */
export function hasNoDifference({ added, removed, changed, files }: PackageComparison): boolean {
  return added.length + removed.length + changed.length + files.length === 0;
}

/** `tool "forecast"` */
export function itemLabel({ kind, name }: ComparedItem): string {
  return `${singular[kind]} "${name}"`;
}

/** Descriptions of the differences, a few words each. */
export function differences({ added, removed, changed, files }: PackageComparison): readonly string[] {
  return [
    ...added.map((item) => `${itemLabel(item)} is new`),
    ...removed.map((item) => `${itemLabel(item)} is gone`),
    ...changed.map((item) =>
      item.isRedefined
        ? `${itemLabel(item.after)} has another definition`
        : `${itemLabel(item.after)} has another ${item.files.map(visibleLine).join(', ')}`,
    ),
    ...files.map(({ file, change }) =>
      change === 'changed' ? `${visibleLine(file)} has changed` : `${visibleLine(file)} is ${change}`,
    ),
  ];
}
