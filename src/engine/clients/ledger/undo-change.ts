import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../../base/errors.js';
import { putEntry, readEntry } from '../edit/entries.js';
import { isIntact, sameValue } from '../edit/merge-entry.js';
import { undoSplice } from '../edit/splice.js';
import type { FileChange } from '../file-change.js';
import { currentLocation } from '../locate-config.js';
import type { FileRecord, Receipt } from '../receipt.js';
import { hashText } from '../receipts.js';
import type { ConfigState, ForeignEntry, Plan } from './config-plan.js';
import { planInstall } from './install.js';
import { undoListChange } from './list-change.js';
import { slotKey } from './slot.js';
import { planUninstall } from './uninstall.js';

/** Plan to take back a change. */
export interface UndoPlan extends Plan {
  /** True if the file gets exactly the bytes that it had before the change. */
  readonly isExact: boolean;
}

/**
 * Plans to take back a change of a file. If nothing was written since, the file and its record are as before the change.
 * Otherwise, entries of the change are removed as `uninstall` does, and removed entries are put back.
 * @throws AgentToolsError if an entry was edited or written again since, unless `force`; ConfigError.
 */
export async function planUndo(
  state: ConfigState,
  change: FileChange,
  { force }: { readonly force: boolean },
): Promise<UndoPlan> {
  const exact = planExact(state, change);
  if (exact) return { ...exact, outcome: exactOutcome(change), isExact: true };
  let plan: Plan = { ...state, outcome: 'gone' };
  for (const undo of entryUndos(change)) plan = await undo(plan, force);
  return { ...plan, isExact: false };
}

/** Undefined if the file or its record have changed since. */
function planExact({ text, record }: ConfigState, change: FileChange): ConfigState | undefined {
  if (hashOf(text) !== change.afterHash) return undefined;
  const before = undoSplice(text ?? '', change.splice);
  const receipts = undoListChange(record.receipts, change.receipts);
  const steps = undoListChange(record.steps, change.steps);
  const made = undoListChange(record.made, change.made);
  if (before === undefined || !receipts || !steps || !made) return undefined;
  const restored = change.beforeHash === null ? null : before;
  if (hashOf(restored) !== change.beforeHash) return undefined;
  const { madeFolder: _, ...rest } = record;
  const { madeFolder } = change;
  return {
    text: restored,
    record: { ...rest, receipts, steps, made, ...(madeFolder !== undefined && { madeFolder }) },
  };
}

function hashOf(text: string | null): string | null {
  return text === null ? null : hashText(text);
}

function exactOutcome({ receipts: { inserted, removed }, foreign }: FileChange): Plan['outcome'] {
  if (foreign) return 'added';
  if (inserted.length === 0) return removed.length === 0 ? 'restored' : 'added';
  return removed.length === 0 && inserted.every(({ replaced }) => !replaced) ? 'removed' : 'restored';
}

type UndoEntry = (state: ConfigState, force: boolean) => Promise<Plan>;

/** One step for each entry that a change added, changed or removed. */
function entryUndos({ receipts, foreign }: FileChange): readonly UndoEntry[] {
  const isIn = (list: readonly Receipt[], receipt: Receipt) =>
    list.some((one) => isDeepStrictEqual(one, receipt));
  const added = receipts.inserted.filter((one) => !isIn(receipts.removed, one));
  const removed = receipts.removed.filter((one) => !isIn(receipts.inserted, one));
  // An entry that gave way to another one comes back with the removal of that one.
  const former = removed.filter((one) => !added.some(({ displaced = [] }) => isIn(displaced, one)));
  return [
    ...added.flatMap((one) => (former.some((other) => isSameEntry(one, other)) ? [] : [takeOut(one)])),
    ...former.map((one) =>
      putBack(
        one,
        added.find((other) => isSameEntry(one, other)),
      ),
    ),
    ...(foreign ? [putForeignBack(foreign)] : []),
  ];
}

function isSameEntry(one: Receipt, other: Receipt): boolean {
  return one.client === other.client && slotKey(one) === slotKey(other);
}

function takeOut(receipt: Receipt): UndoEntry {
  return async (state, force) => {
    const known = knownAs(receipt, state.record);
    if (!known) return { ...state, outcome: 'gone' };
    if (!isSameContent(known, receipt) && !force) throw writtenAgain(receipt);
    const place = await currentLocation(known, state.text);
    return await planUninstall(state, { receipt: known, place, force });
  };
}

/** `written`: the receipt that the change wrote in place of the former one; undefined if it removed the entry. */
function putBack(former: Receipt, written: Receipt | undefined): UndoEntry {
  return async (state, force) => {
    const known = knownAs(former, state.record);
    if (known && !isSameContent(known, written ?? former) && !force) throw writtenAgain(former);
    const place = await currentLocation(former, state.text);
    const current = await readEntry(state.text, place);
    if (written && !current && !force) throw removedSince(former);
    if (current && !force) {
      const expected = [written?.entry, former.entry, former.replaced];
      if (!expected.some((entry) => entry && isIntact(current, entry))) throw changedSince(former);
    }
    return await planInstall(state, { receipt: former, place, force: true });
  };
}

function putForeignBack({ place, entry }: ForeignEntry): UndoEntry {
  return async (state, force) => {
    const current = await readEntry(state.text, place);
    if (current && sameValue(current, entry)) return { ...state, outcome: 'gone' };
    if (current && !force) throw changedSince({ key: place.key, file: state.record.realFile });
    return { ...state, text: await putEntry(state.text, place, entry), outcome: 'added' };
  };
}

function knownAs(receipt: Receipt, { receipts }: FileRecord): Receipt | undefined {
  return receipts.find((one) => isSameEntry(one, receipt));
}

function isSameContent(one: Receipt, other: Receipt): boolean {
  return one.server === other.server && sameValue(one.entry, other.entry);
}

type ReceiptKey = Pick<Receipt, 'key' | 'file'>;

function writtenAgain({ key, file }: ReceiptKey): AgentToolsError {
  const message = `The entry "${key}" in ${file} was written again since. Take the later change back first, or add --force.`;
  return new AgentToolsError('refused', message);
}

function changedSince({ key, file }: ReceiptKey): AgentToolsError {
  const message = `The entry "${key}" in ${file} was edited or replaced by hand since. Overwrite it with --force.`;
  return new AgentToolsError('refused', message);
}

function removedSince({ key, file }: ReceiptKey): AgentToolsError {
  const message = `The entry "${key}" in ${file} was removed by hand since. Write its former state with --force.`;
  return new AgentToolsError('refused', message);
}
