import { page } from '../../items/registry.js';
import type { Connection } from '../context.js';
import type { Wire } from './handler.js';

/** One page of entries under a key, as a list method answers. @throws CursorError for a cursor that is not ours. */
export function pageOf({ calls }: Connection, key: string, entries: readonly Wire[], cursor: unknown): Wire {
  const { items, nextCursor } = page(entries, cursorOf(cursor), calls.server.registry.pageSize);
  return { [key]: items, ...(nextCursor !== undefined && { nextCursor }) };
}

/** The cursor of a request, if it has one. */
export function cursorOf(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined;
}
