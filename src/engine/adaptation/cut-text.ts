/** Share of the limit that a text must keep to end with a sentence. */
const minShare = 0.5;

const ellipsis = ' …';

/** Cuts a text to a number of UTF-16 units, at the end of a sentence, or else of a word. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const room = text.slice(0, max - ellipsis.length);
  const sentence = endOfLast(room, /[.!?。！？](?=\s|$)|\n/g);
  if (sentence >= max * minShare) return room.slice(0, sentence).trimEnd() + ellipsis;
  const word = endOfLast(room, /\s/g);
  const end = word >= max * minShare ? word : room.length;
  return withoutHalf(room.slice(0, end)).trimEnd() + ellipsis;
}

/** Index after the last match; 0 without one. */
function endOfLast(text: string, pattern: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}

/** A text that does not end in the middle of a character. */
function withoutHalf(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
