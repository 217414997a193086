import type { EntryLocator } from '../edit/entries.js';
import { spliceBetween } from '../edit/splice.js';
import { hashOf, type Receipt, type Step } from '../receipts.js';

/** Where a receipt's entry stands. */
export function entryLocator({ format, container, key }: Receipt): EntryLocator {
  return { format, container, key };
}

/** One place for one entry in a file; several clients may share it. */
export function slotOf({ container, key }: Pick<Receipt, 'container' | 'key'>): string {
  return JSON.stringify([...container.path, key]);
}

/** Marks what was done for an entry that another one has taken the place of, once for each that has. */
const mark = 'below ';

/** The slot of the entry that the one in a slot took the place of. */
export function shadowedSlot(slot: string): string {
  return mark + slot;
}

/** The steps once another entry has taken a slot. */
export function shadowSteps(steps: readonly Step[], slot: string): readonly Step[] {
  return steps.map((step) => (isOf(step, slot) ? { ...step, slot: shadowedSlot(step.slot) } : step));
}

/** The steps once the entry that had taken a slot is gone. */
export function unshadowSteps(steps: readonly Step[], slot: string): readonly Step[] {
  return steps.map((step) => (isOf(step, slot) ? { ...step, slot: step.slot.slice(mark.length) } : step));
}

function isOf(step: Step, slot: string): boolean {
  return step.slot.endsWith(slot) && step.slot.slice(0, -slot.length).replaceAll(mark, '') === '';
}

export function containerOf({ container }: Receipt): string {
  return JSON.stringify(container.path);
}

export function templateOf({ template }: Receipt): { readonly template?: string } {
  return template === undefined ? {} : { template };
}

export function stepBetween(slot: string, before: string | null, after: string): Step {
  return {
    slot,
    splice: spliceBetween(before ?? '', after),
    beforeHash: before === null ? null : hashOf(before),
    afterHash: hashOf(after),
  };
}
