import { isDeepStrictEqual } from 'node:util';

/** The one part of a list that differs from its state before. */
export interface ListChange<Item> {
  readonly at: number;
  readonly removed: readonly Item[];
  readonly inserted: readonly Item[];
  /** Number of equal items at the end. */
  readonly rest: number;
}

export function changeBetween<Item>(before: readonly Item[], after: readonly Item[]): ListChange<Item> {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && isDeepStrictEqual(before[at], after[at])) at++;
  let rest = 0;
  while (rest < shorter - at && isDeepStrictEqual(before.at(-1 - rest), after.at(-1 - rest))) rest++;
  return {
    at,
    removed: before.slice(at, before.length - rest),
    inserted: after.slice(at, after.length - rest),
    rest,
  };
}

/** Returns the list before the change; undefined if the list has changed since. */
export function undoListChange<Item>(
  list: readonly Item[],
  { at, removed, inserted, rest }: ListChange<Item>,
): readonly Item[] | undefined {
  const end = at + inserted.length;
  const isSame = list.length === end + rest && isDeepStrictEqual(list.slice(at, end), inserted);
  return isSame ? list.toSpliced(at, inserted.length, ...removed) : undefined;
}
