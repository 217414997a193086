/**
 * A text of somebody else's as a terminal may show it: what controls it is spelled out (`\u001b`), so that it
 * cannot move the cursor, recolour, rename or turn around anything. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/(?![\n\t])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, spelledOut);
}

function spelledOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The first characters of a text; where something is missing, it ends with an ellipsis. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  // No character has more than two units, so the rest of a megabyte need not be looked at.
  const start = [...text.slice(0, length * 2)];
  return start.length <= length && text.length <= length * 2
    ? text
    : `${start.slice(0, length - 1).join('')}…`;
}

/** Data in which every text, and every key, is a {@link visibleText}. */
export function visibleTexts<T>(data: T): T;
export function visibleTexts(data: unknown): unknown {
  if (typeof data === 'string') return visibleText(data);
  if (Array.isArray(data)) return data.map((one) => visibleTexts(one));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [visibleText(key), visibleTexts(value)]),
  );
}
