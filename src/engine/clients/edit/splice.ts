/** The one part of a text that an edit changed. */
export interface Splice {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/**
 * Minimum length, in characters, of an insertion to search for. Shorter ones may occur in a text by chance.
 */
const minSearchLength = 24;

/** Lengths of the parts to compare at once, for speed. */
const steps = [65_536, 256, 1];

/** Shortest edit from one text to the other that does not split a surrogate pair or a CRLF. */
export function spliceBetween(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  for (const step of steps)
    while (start + step <= shorter && before.slice(start, start + step) === after.slice(start, start + step))
      start += step;
  if (isWithinCharacter(before, start) || isWithinCharacter(after, start)) start--;

  let kept = 0;
  const lastOf = (text: string, step: number) => text.slice(text.length - kept - step, text.length - kept);
  for (const step of steps)
    while (kept + step <= shorter - start && lastOf(before, step) === lastOf(after, step)) kept += step;
  if (isWithinCharacter(before, before.length - kept) || isWithinCharacter(after, after.length - kept)) {
    kept--;
  }
  return {
    offset: start,
    removed: before.slice(start, before.length - kept),
    inserted: after.slice(start, after.length - kept),
  };
}

/** Texts before and after an edit. */
export interface EditedTexts {
  readonly before: string;
  readonly after: string;
}

export type TextRange = readonly [start: number, end: number];

/** The part of the earlier text that an edit changed. */
export function changedRange({ before, after }: EditedTexts): {
  readonly offset: number;
  readonly end: number;
} {
  const { offset, removed } = spliceBetween(before, after);
  return { offset, end: offset + removed.length };
}

/** True for a text that takes long to parse. Edits of other texts are verified on the whole texts. */
export function isLong(text: string): boolean {
  return text.length > 200_000;
}

/** Cuts ranges out of both texts. The ranges are positions in the earlier text, before or after the changed range. */
export function cutUnchanged({ before, after }: EditedTexts, ranges: readonly TextRange[]): EditedTexts {
  if (ranges.length === 0) return { before, after };
  const { end } = changedRange({ before, after });
  const shift = after.length - before.length;
  const moved = ranges.map(([from, to]): TextRange => (from < end ? [from, to] : [from + shift, to + shift]));
  return { before: cutOut(before, ranges), after: cutOut(after, moved) };
}

function cutOut(text: string, ranges: readonly TextRange[]): string {
  let kept = '';
  let from = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

export function applySplice(text: string, { offset, removed, inserted }: Splice): string {
  return text.slice(0, offset) + inserted + text.slice(offset + removed.length);
}

/** Returns the text before the edit; undefined if the insertion is no longer at its offset. */
export function undoSplice(text: string, { offset, removed, inserted }: Splice): string | undefined {
  if (offset > text.length || !text.startsWith(inserted, offset)) return undefined;
  return text.slice(0, offset) + removed + text.slice(offset + inserted.length);
}

/**
 * As `undoSplice`, for an insertion that has moved. Undefined if the insertion is too short or not unique.
 */
export function undoMovedSplice(text: string, splice: Splice): string | undefined {
  if (splice.inserted.length < minSearchLength) return undefined;
  const offset = text.indexOf(splice.inserted);
  if (offset === -1 || offset !== text.lastIndexOf(splice.inserted)) return undefined;
  return undoSplice(text, { ...splice, offset });
}

function isWithinCharacter(text: string, offset: number): boolean {
  return /^(?:\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(Math.max(offset - 1, 0), offset + 1));
}
