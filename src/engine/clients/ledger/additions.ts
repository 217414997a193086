import type { ConfigPath, ConfigValue } from '../edit/editor.js';
import { type EntryLocator, readConfigValue, removeValue } from '../edit/entries.js';
import { sameValue } from '../edit/merge-entry.js';
import type { EntryAddition, FileRecord, Receipt } from '../receipt.js';
import { slotKey } from './slot.js';

/**
 * Removes items that an entry no longer needs elsewhere in its file, with the lists that were created for
 * them.
 */
export async function withoutAdditions(
  text: string | null,
  record: FileRecord,
  receipt: Receipt,
  {
    gone = [],
    kept = [],
  }: {
    readonly gone?: readonly EntryAddition[] | undefined;
    readonly kept?: readonly EntryAddition[] | undefined;
  },
): Promise<string | null> {
  const others = record.receipts.filter((one) => slotKey(one) !== slotKey(receipt));
  const needed = [...others.flatMap(({ additions = [] }) => additions), ...kept];
  const isNeeded = ({ item }: EntryAddition) => needed.some((one) => sameValue(one.item, item));
  let after = text;
  for (const { list, item } of gone.filter((one) => !isNeeded(one))) {
    if (after === null) return null;
    const items = await readConfigValue(after, receipt.format, list);
    const index = Array.isArray(items) ? items.findIndex((one) => sameValue(one, item)) : -1;
    if (!Array.isArray(items) || index === -1) continue;
    const isMade = record.made.includes(JSON.stringify(list)) && items.length === 1;
    after = await removeValue(after, receipt.format, isMade ? list : [...list, index]);
  }
  return after;
}

/** Returns the additions of an entry as edits. Leaves out existing items. */
export async function missingAdditions(
  text: string | null,
  { additions = [] }: Receipt,
  { format }: EntryLocator,
): Promise<readonly { readonly path: ConfigPath; readonly value: ConfigValue }[]> {
  const counts = new Map<string, number>();
  const missing: { readonly path: ConfigPath; readonly value: ConfigValue }[] = [];
  for (const { list, item } of additions) {
    const items = await readConfigValue(text, format, list);
    const held: readonly unknown[] = Array.isArray(items) ? items : [];
    if (held.some((one) => sameValue(one, item))) continue;
    const name = JSON.stringify(list);
    const index = counts.get(name) ?? held.length;
    counts.set(name, index + 1);
    missing.push({ path: [...list, index], value: item });
  }
  return missing;
}
