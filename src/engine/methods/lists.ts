import type { Connection } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { type ListPage, page } from '../runtime/paging.js';
import type { ServedKind, SpecOf } from '../runtime/registry.js';

/** The request of a list: who asks, and where the page begins. */
export interface ListRequest {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly cursor: string | undefined;
}

/** What a list shows to whoever asks. */
export interface SelectedListItems<S> {
  readonly specs: readonly S[];
  /** Cuts the page that was asked for out of what was made of the items. @throws CursorError for a cursor that is not ours. */
  page<T>(entries: readonly T[]): ListPage<T>;
}

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
