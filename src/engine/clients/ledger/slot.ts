import type { EntryLocator } from '../edit/entries.js';
import { spliceBetween } from '../edit/splice.js';
import type { Receipt, RecordedEdit } from '../receipt.js';
import { hashText } from '../receipts.js';

/** Position of the entry of a receipt. */
export function entryLocator({ format, container, key }: Receipt): EntryLocator {
  return { format, container, key };
}

/** Identifies the position of an entry in a file; several clients may share it. */
export function slotKey({ container, key }: Pick<Receipt, 'container' | 'key'>): string {
  return JSON.stringify([...container.path, key]);
}

/** Marks the steps of a replaced entry, once for each entry that replaced it. */
const shadowPrefix = 'below ';

/** Slot of the entry that the entry in this slot replaced. */
export function shadowedSlot(slot: string): string {
  return shadowPrefix + slot;
}

/** Returns the steps after another entry has taken a slot. */
export function shadowSteps(steps: readonly RecordedEdit[], slot: string): readonly RecordedEdit[] {
  return steps.map((step) => (belongsToSlot(step, slot) ? { ...step, slot: shadowedSlot(step.slot) } : step));
}

/** Returns the steps after the entry that had taken a slot is removed. */
export function unshadowSteps(steps: readonly RecordedEdit[], slot: string): readonly RecordedEdit[] {
  return steps.map((step) =>
    belongsToSlot(step, slot) ? { ...step, slot: step.slot.slice(shadowPrefix.length) } : step,
  );
}

function belongsToSlot(step: RecordedEdit, slot: string): boolean {
  return step.slot.endsWith(slot) && step.slot.slice(0, -slot.length).replaceAll(shadowPrefix, '') === '';
}

export function containerKey({ container }: Receipt): string {
  return JSON.stringify(container.path);
}

export function templateField({ template }: Receipt): { readonly template?: string } {
  return template === undefined ? {} : { template };
}

export function recordEdit(slot: string, before: string | null, after: string): RecordedEdit {
  return {
    slot,
    splice: spliceBetween(before ?? '', after),
    beforeHash: before === null ? null : hashText(before),
    afterHash: hashText(after),
  };
}
