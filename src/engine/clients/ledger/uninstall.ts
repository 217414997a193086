import { AgentToolsError } from '../../base/errors.js';
import { type EntryLocator, putEntry, readEntry, removeEntry } from '../edit/entries.js';
import { isIntact } from '../edit/merge-entry.js';
import type { FileRecord, Receipt } from '../receipt.js';
import { missingAdditions, withoutAdditions } from './additions.js';
import type { ConfigState, Plan } from './config-plan.js';
import { containerKey, slotKey, unshadowSteps } from './slot.js';
import { undoMoved, undoSteps } from './undo-steps.js';

/** An entry of AgentTools and its present position. */
interface KnownEntry {
  readonly receipt: Receipt;
  readonly place: EntryLocator;
}

/**
 * Plans to remove an entry and restore the original bytes. If no other program has written since, the steps
 * are undone. If that fails, the inserted text is removed from its present position. If that fails too, the
 * entry is cut out by its data. Changes of other programs stay.
 * @throws AgentToolsError if the entry was edited by hand, unless `force`; ConfigError.
 */
export async function planUninstall(
  state: ConfigState,
  { receipt, place, force }: KnownEntry & { readonly force: boolean },
): Promise<Plan> {
  const { text, record } = state;
  const slot = slotKey(receipt);
  const receipts = record.receipts.filter((one) => !(slotKey(one) === slot && one.client === receipt.client));
  if (receipts.some((one) => slotKey(one) === slot)) {
    return { text, record: { ...record, receipts }, outcome: 'shared' };
  }
  const steps = record.steps.filter((step) => step.slot !== slot);
  const left = { ...record, receipts, steps };
  const current = await readEntry(text, place);
  if (text === null || current === undefined) {
    const after = await withoutAdditions(text, left, receipt, { gone: receipt.additions });
    return { text: after, record: dropEmptyRecord(left), outcome: 'gone' };
  }
  if (!force && !isIntact(current, receipt.entry)) {
    const message = `The entry "${receipt.key}" in ${receipt.file} was edited by hand since it was written. Remove it anyway with --force.`;
    throw new AgentToolsError('refused', message);
  }
  const unwound = await undoSteps(state, slot, receipts);
  if (unwound) {
    const { text, steps } = unwound;
    return await withFormer({ text, record: { ...left, steps } }, { receipt, place });
  }
  const cut = await cutOut(text, left, { receipt, place });
  const own = record.steps.filter((step) => step.slot === slot);
  const moved = await undoMoved(text, own, { cut, place });
  return await withFormer({ text: moved ?? cut, record: left }, { receipt, place });
}

/** Restores the receipts of a replaced entry if that entry is back. */
async function withFormer({ text, record }: ConfigState, { receipt, place }: KnownEntry): Promise<Plan> {
  const { replaced, displaced = [] } = receipt;
  if (!replaced || !(await readEntry(text, place))) {
    return { text, record: dropEmptyRecord(record), outcome: 'removed' };
  }
  const receipts = [...record.receipts, ...displaced];
  const steps = displaced.length > 0 ? unshadowSteps(record.steps, slotKey(receipt)) : record.steps;
  return { text, record: dropEmptyRecord({ ...record, receipts, steps }), outcome: 'restored' };
}

/**
 * Plans to remove an entry without receipt.
 * @throws AgentToolsError if a client has a receipt for it; unless `force` also if not.
 */
export function planRemoval({
  file,
  key,
  place,
  force,
}: {
  readonly file: string;
  readonly key: string;
  readonly place: EntryLocator;
  readonly force: boolean;
}): (state: ConfigState) => Promise<Plan> {
  return async (state) => {
    const current = await readEntry(state.text, place);
    if (state.text === null || current === undefined) return { ...state, outcome: 'gone' };
    const owner = state.record.receipts.find((one) => slotKey(one) === slotKey(place));
    if (owner) {
      const message = `The entry "${key}" in ${file} was installed for ${owner.client}. Remove it with: agenttools uninstall --config ${file} --client ${owner.client} --name ${key}`;
      throw new AgentToolsError('refused', message);
    }
    if (!force) {
      const message = `AgentTools did not write the entry "${key}" in ${file}. Remove it anyway with --force.`;
      throw new AgentToolsError('refused', message);
    }
    const text = await removeEntry(state.text, place);
    return { ...state, text, outcome: 'removed', foreign: { place, entry: current } };
  };
}

/** Without receipts, a record needs no steps. */
function dropEmptyRecord(record: FileRecord): FileRecord {
  if (record.receipts.length > 0) return record;
  const { madeFolder: _, ...rest } = record;
  return { ...rest, steps: [], made: [] };
}

/**
 * Cuts an entry out of the present text, with its additions, and with the container if AgentTools created it
 * and it is empty. Puts a replaced entry back.
 */
async function cutOut(text: string, record: FileRecord, { receipt, place }: KnownEntry): Promise<string> {
  const isLast = !record.receipts.some((one) => containerKey(one) === containerKey(receipt));
  const prune = isLast && record.made.includes(containerKey(receipt));
  const [former] = receipt.displaced ?? [];
  const extras = former ? await missingAdditions(text, former, place) : [];
  const without = receipt.replaced
    ? await putEntry(text, place, receipt.replaced, { extras })
    : await removeEntry(text, place, { prune });
  const { additions: gone } = receipt;
  return (await withoutAdditions(without, record, receipt, { gone, kept: former?.additions })) ?? without;
}
