import { isRecord } from '../extension/definition-shapes.js';

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string;
}

/** A cursor that nobody gave out for this list. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}

/**
 * Cuts one page out of a list, which may have changed since the page before: the cursor knows the last entry that was
 * sent, and goes on behind it wherever that is now.
 * @throws CursorError for a cursor that {@link page} did not make, or whose entry has gone.
 */
export function page<T>(items: readonly T[], cursor: string | undefined, size: number): ListPage<T> {
  const start = cursor === undefined ? 0 : readCursor(cursor, items);
  const end = start + size;
  return {
    items: items.slice(start, end),
    ...(end < items.length && { nextCursor: makeCursor(end, items) }),
  };
}

/** How many entries came before, and the last of them. */
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
    // Whatever it is, it is not ours.
  }
  throw new CursorError('Invalid cursor');
}

/** What tells an entry of a list, or what one is made of, from the others. */
function pagingKey(item: unknown): string {
  if (!isRecord(item)) return String(item);
  const { uri, uriTemplate, name } = isRecord(item.wire) ? item.wire : item;
  return String(uri ?? uriTemplate ?? name);
}
