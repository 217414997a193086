import { page, type ServedKind } from '../../items/registry.js';
import type { Connection } from '../context.js';
import type { Handler, Wire } from './handler.js';

/** `tools/list` and `prompts/list`. */
export function listKind(kind: Exclude<ServedKind, 'resources'>): Handler {
  return ({ calls }, { cursor }) => {
    const { items, nextCursor } = calls.server.registry.list(kind, { cursor: cursorOf(cursor) });
    return { [kind]: items.map(({ wire }) => wire), ...(nextCursor !== undefined && { nextCursor }) };
  };
}

/** One page of entries under a key, as a list method answers. @throws CursorError for a cursor that is not ours. */
export function pageOf({ calls }: Connection, key: string, entries: readonly Wire[], cursor: unknown): Wire {
  const { items, nextCursor } = page(entries, cursorOf(cursor), calls.server.registry.pageSize);
  return { [key]: items, ...(nextCursor !== undefined && { nextCursor }) };
}

function cursorOf(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined;
}
