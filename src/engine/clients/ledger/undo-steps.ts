import type { ConfigEntry } from '../edit/editor.js';
import { type EntryLocator, putEntry, readConfigDocument, readEntry } from '../edit/entries.js';
import { sameValue } from '../edit/merge-entry.js';
import { undoMovedSplice, undoSplice } from '../edit/splice.js';
import type { Receipt, RecordedEdit } from '../receipt.js';
import { hashText } from '../receipts.js';
import { missingAdditions } from './additions.js';
import type { ConfigState } from './config-plan.js';
import { entryLocator, recordEdit, shadowedSlot, slotKey, templateField } from './slot.js';

/**
 * Undoes every step since the first one of a slot, and repeats the steps of other slots. Undefined if another
 * program has written to the file since.
 */
export async function undoSteps(
  { text, record }: ConfigState,
  slot: string,
  remaining: readonly Receipt[],
): Promise<{ readonly text: string | null; readonly steps: readonly RecordedEdit[] } | undefined> {
  const first = record.steps.findIndex((step) => step.slot === slot);
  if (first === -1) return undefined;
  let base = text;
  for (const step of record.steps.slice(first).reverse()) {
    const before = takeBack(base, step);
    if (!before) return undefined;
    base = before.text;
  }
  const steps = record.steps.slice(0, first);
  const later = new Set(record.steps.slice(first).map((step) => step.slot));
  const layers = remaining.flatMap((receipt) => listLayers(receipt));
  for (const other of later) {
    const layer = layers.find((one) => one.slot === other);
    if (other === slot || !layer) continue;
    const { receipt } = layer;
    const place = entryLocator(receipt);
    const entry = layer.entry ?? (await readEntry(text, place));
    if (!entry) continue;
    const extras = await missingAdditions(base, receipt, place);
    const after = await putEntry(base, place, entry, { ...templateField(receipt), extras });
    if (after === base) continue;
    steps.push(recordEdit(other, base, after));
    base = after;
  }
  return { text: base, steps };
}

/** An entry of AgentTools, or one that it replaced. */
interface EntryLayer {
  readonly slot: string;
  readonly receipt: Receipt;
  /** Undefined: as in the file. */
  readonly entry: ConfigEntry | undefined;
}

function listLayers(receipt: Receipt, slot = slotKey(receipt), entry?: ConfigEntry): readonly EntryLayer[] {
  const [former] = receipt.displaced ?? [];
  const below = former ? listLayers(former, shadowedSlot(slot), receipt.replaced) : [];
  return [{ slot, receipt, entry }, ...below];
}

function takeBack(text: string | null, step: RecordedEdit): { readonly text: string | null } | undefined {
  if (text === null || hashText(text) !== step.afterHash) return undefined;
  const before = undoSplice(text, step.splice);
  if (before === undefined) return undefined;
  return { text: step.beforeHash === null ? null : before };
}

/** Undoes the steps at their present position in the text, if the result has the same data as `cut`. */
export async function undoMoved(
  text: string,
  steps: readonly RecordedEdit[],
  { cut, place }: { readonly cut: string; readonly place: EntryLocator },
): Promise<string | undefined> {
  let after: string | undefined = text;
  for (const { splice } of [...steps].reverse()) {
    after = after === undefined ? undefined : undoMovedSplice(after, splice);
  }
  if (after === undefined || after === text) return undefined;
  try {
    const { format } = place;
    return sameValue(await readConfigDocument(after, format), await readConfigDocument(cut, format))
      ? after
      : undefined;
  } catch {
    return undefined;
  }
}
