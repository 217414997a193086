/** The one stretch of a text that an edit changed. */
export interface Splice {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** Shorter insertions than this may stand in a text by chance, so they are not looked for elsewhere. */
const tellingLength = 24;

/** What turns one text into the other, as short as can be without parting a surrogate pair or a CRLF. */
export function spliceBetween(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (isWithinCharacter(before, start) || isWithinCharacter(after, start)) start--;

  let kept = 0;
  while (kept < shorter - start && before.at(-1 - kept) === after.at(-1 - kept)) kept++;
  if (isWithinCharacter(before, before.length - kept) || isWithinCharacter(after, after.length - kept)) {
    kept--;
  }
  return {
    offset: start,
    removed: before.slice(start, before.length - kept),
    inserted: after.slice(start, after.length - kept),
  };
}

/** The text after the edit. */
export function applySplice(text: string, { offset, removed, inserted }: Splice): string {
  return text.slice(0, offset) + inserted + text.slice(offset + removed.length);
}

/** The text before the edit; undefined if what was inserted no longer stands exactly where it was put. */
export function undoSplice(text: string, { offset, removed, inserted }: Splice): string | undefined {
  if (offset > text.length || !text.startsWith(inserted, offset)) return undefined;
  return text.slice(0, offset) + removed + text.slice(offset + inserted.length);
}

/** As `undoSplice`, wherever the insertion has moved to; undefined unless it is unmistakable. */
export function undoMovedSplice(text: string, splice: Splice): string | undefined {
  if (splice.inserted.length < tellingLength) return undefined;
  const offset = text.indexOf(splice.inserted);
  if (offset === -1 || offset !== text.lastIndexOf(splice.inserted)) return undefined;
  return undoSplice(text, { ...splice, offset });
}

function isWithinCharacter(text: string, offset: number): boolean {
  return /^(?:\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(Math.max(offset - 1, 0), offset + 1));
}
