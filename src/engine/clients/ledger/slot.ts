import type { EntryPlace } from '../edit/entries.js';
import { spliceBetween } from '../edit/splice.js';
import { hashOf, type Receipt, type Step } from '../receipts.js';

/** Where a receipt's entry stands. */
export function placeOf({ format, container, key }: Receipt): EntryPlace {
  return { format, container, key };
}

/** One place for one entry in a file; several clients may share it. */
export function slotOf({ container, key }: Pick<Receipt, 'container' | 'key'>): string {
  return JSON.stringify([...container.path, key]);
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
