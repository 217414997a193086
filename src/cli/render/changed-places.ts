import { diffWordsWithSpace } from 'diff';

/** A stretch that differs, in each of two texts, with a little of what is around it. */
type TextPair = readonly [string, string];

/** How much is shown of what is still the same. */
const lead = 30;

/** A stretch that is longer is cut; how much of it is not shown is said. */
const maxStretchLength = 1000;

/** Texts that differ in more words than these are told apart by where they begin and end to differ. */
const maxEdits = 2000;

/** Every stretch in which two texts differ, in their order. Stretches that are near each other are one. */
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

/** A part of a text without the half of a character at either end. */
export function wholeCharacters(part: string): string {
  return part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
