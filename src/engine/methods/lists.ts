import type { WireObject } from '../protocol/envelope.js';
import { type ListPage, page } from '../runtime/paging.js';
import type { ServedKind, SpecOf } from '../runtime/served-kind.js';
import type { ListRequest, SelectedListItems } from './list-request.js';

/** What a list of a kind shows: what its hook picks, or all that is not hidden. @throws CursorError */
export async function selectListItems<K extends ServedKind>(
  kind: K,
  asked: ListRequest,
): Promise<SelectedListItems<SpecOf<K>>> {
  const { registry, listHooks } = asked.connection.calls.server;
  const hook = listHooks[kind];
  if (hook) {
    // Few servers have hooks, and what runs them is loaded for those.
    const { pickedItems } = await import('./list-hooks.js');
    const picked = await pickedItems(kind, hook, asked);
    if (picked) return picked;
  }
  return {
    specs: registry.all(kind).filter(({ hidden }) => !hidden),
    page: (entries) => page(entries, asked.cursor, registry.pageSize),
  };
}

/** A page under the key that a list method answers with. */
export function listResult(key: string, { items, nextCursor }: ListPage<WireObject>): WireObject {
  return { [key]: items, ...(nextCursor !== undefined && { nextCursor }) };
}

/** The cursor of a request, if it has one. */
export function toCursor(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined;
}
