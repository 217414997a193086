import type { WireObject } from '../protocol/envelope.js';
import { type ListPage, page } from '../runtime/paging.js';
import type { ServedKind, SpecOf } from '../runtime/served-kind.js';
import type { ListRequest, SelectedListItems } from './list-request.js';

/** Returns the items that the list hook picks, or all items that are not hidden. @throws CursorError */
export async function selectListItems<K extends ServedKind>(
  kind: K,
  asked: ListRequest,
): Promise<SelectedListItems<SpecOf<K>>> {
  const { registry, listHooks } = asked.connection.calls.server;
  const hook = listHooks[kind];
  if (hook) {
    // Loaded on first use: few servers have hooks.
    const { pickedItems } = await import('./list-hooks.js');
    const picked = await pickedItems(kind, hook, asked);
    if (picked) return picked;
  }
  return {
    specs: registry.all(kind).filter(({ hidden }) => !hidden),
    page: (entries) => page(entries, asked.cursor, registry.pageSize),
  };
}

/** Result of a list method: the items under its key, and the cursor of the next page. */
export function listResult(key: string, { items, nextCursor }: ListPage<WireObject>): WireObject {
  return { [key]: items, ...(nextCursor !== undefined && { nextCursor }) };
}

/** Cursor of a request; undefined if it is not a string. */
export function toCursor(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined;
}
