/** Share of the limit that a text must keep to end with a sentence. */
const minShare = 0.5;

const ellipsis = ' …';

/** Cuts a text to a number of UTF-16 units, at the end of a sentence, or else of a word. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return headOf(text, max - ellipsis.length).trimEnd() + ellipsis;
}

/** Splits a text into parts of at most `max` UTF-16 units. They end like {@link cutText} and are the whole text together. */
export function splitText(text: string, max: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const part = headOf(rest, max);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}

/** Begin of a text, up to the end of a line or sentence, or else of a word. */
function headOf(text: string, max: number): string {
  const room = text.slice(0, max);
  const sentence = endOfLast(room, /(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s|$)|[。！？](?=\s|$)|\n/g);
  if (sentence >= max * minShare) return room.slice(0, sentence);
  const word = endOfLast(room, /\s/g);
  return word >= max * minShare ? room.slice(0, word) : withoutHalf(room);
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
