import { isRecord } from '../base/value-checks.js';

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string;
}

/** A cursor that this list did not return. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}

/**
 * Returns one page of a list. The list may have changed since the previous page: the cursor has the last entry that was
 * sent, and the page begins after the current position of that entry.
 * @throws CursorError for a cursor that {@link page} did not create, or if its entry is gone.
 */
export function page<T>(items: readonly T[], cursor: string | undefined, size: number): ListPage<T> {
  const start = cursor === undefined ? 0 : readCursor(cursor, items);
  const end = start + size;
  return {
    items: items.slice(start, end),
    ...(end < items.length && { nextCursor: makeCursor(end, items) }),
  };
}

/** Number of entries before the page, and the last of them. */
type CursorPosition = readonly [count: number, last: string];

function makeCursor(count: number, items: readonly unknown[]): string {
  return encodeCursor([count, pagingKey(items[count - 1])]);
}

function encodeCursor(place: CursorPosition): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readCursor(cursor: string, items: readonly unknown[]): number {
  const [count, last] = decodeCursor(cursor);
  if (count <= items.length && pagingKey(items[count - 1]) === last) return count;
  const index = items.findIndex((item) => pagingKey(item) === last);
  if (index === -1) throw new CursorError('Invalid cursor');
  return index + 1;
}

function decodeCursor(cursor: string): CursorPosition {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [count, last] = place as CursorPosition;
    const isPlace = Number.isSafeInteger(count) && count >= 1 && typeof last === 'string';
    if (isPlace && encodeCursor([count, last]) === cursor) return [count, last];
  } catch {
    // Falls through: `makeCursor` did not create it.
  }
  throw new CursorError('Invalid cursor');
}

/** Key that identifies an entry of a list, or the spec of an entry. */
function pagingKey(item: unknown): string {
  if (!isRecord(item)) return String(item);
  const { uri, uriTemplate, name } = isRecord(item.wire) ? item.wire : item;
  return String(uri ?? uriTemplate ?? name);
}
