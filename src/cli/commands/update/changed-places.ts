import { diffWordsWithSpace } from 'diff';

/** A changed range in each of two texts, with some context. */
type TextPair = readonly [string, string];

/** Characters of unchanged context on each side. */
const lead = 30;

/** Longest changed range that is shown in full, in characters. The cut text states how many are hidden. */
const maxStretchLength = 1000;

/** Texts with more changed words than this are compared only from both ends. */
const maxEdits = 2000;

/** Yields all ranges in which two texts differ, in order. Merges ranges that are close to each other. */
export function changedPlaces(one: string, other: string): readonly TextPair[] {
  return stretches(one, other).map(({ before, after }) => [around(one, before), around(other, after)]);
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

interface ChangedRange {
  readonly before: TextRange;
  readonly after: TextRange;
}

function stretches(one: string, other: string): readonly ChangedRange[] {
  const parts = diffWordsWithSpace(one, other, { maxEditLength: maxEdits });
  if (!parts) return [onlyStretch(one, other)];
  const found: ChangedRange[] = [];
  let [before, after] = [0, 0];
  for (const { value, added, removed } of parts) {
    const start = { before, after };
    if (!added) before += value.length;
    if (!removed) after += value.length;
    if (!added && !removed) continue;
    const last = found.at(-1);
    const isNear = last !== undefined && start.before - last.before.to <= 2 * lead;
    const from = isNear ? found.pop()! : undefined;
    found.push({
      before: { from: from?.before.from ?? start.before, to: before },
      after: { from: from?.after.from ?? start.after, to: after },
    });
  }
  return found;
}

function onlyStretch(one: string, other: string): ChangedRange {
  const shorter = Math.min(one.length, other.length);
  let from = 0;
  while (from < shorter && one[from] === other[from]) from++;
  let same = 0;
  while (same < shorter - from && one.at(-1 - same) === other.at(-1 - same)) same++;
  return { before: { from, to: one.length - same }, after: { from, to: other.length - same } };
}

function around(text: string, { from, to }: TextRange): string {
  const [start, end] = [Math.max(0, from - lead), Math.min(text.length, to + lead)];
  const hidden = to - from - maxStretchLength;
  const middle = hidden > 0 ? [from + maxStretchLength / 2, to - maxStretchLength / 2] : undefined;
  const shown = middle
    ? `${wholeCharacters(text.slice(start, middle[0]))}… (${hidden} more characters are not shown) …${wholeCharacters(text.slice(middle[1], end))}`
    : wholeCharacters(text.slice(start, end));
  return `${start > 0 ? '…' : ''}${shown}${end < text.length ? '…' : ''}`;
}

/** Removes half surrogate pairs at both ends of a text. */
export function wholeCharacters(part: string): string {
  return part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
