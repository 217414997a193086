/**
 * Escapes characters of untrusted text that control a terminal (`\u001b`) or are invisible (`\u200b`,
 * `\u{e0041}`). So the text cannot move the cursor, change colours, reverse text, or carry a message for the
 * model alone. Line breaks, tabs and characters of ordinary writing stay.
 */
export function visibleText(text: string): string {
  if (printableAscii.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(invisiblePattern, (found, kept?: string) => kept ?? spelledOut(found));
}

/** A {@link visibleText} on one line, for names, paths and keys. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n').replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}

/** Message on one line, for quoted text of any origin: line breaks become spaces. */
export function visibleMessage(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return visibleLine(lines.filter((line) => line !== '').join(' '));
}

/** Escapes the same characters in JSON text with JSON escapes, so the value stays the same. */
export function visibleJson(json: string): string {
  return json.replace(
    invisiblePattern,
    (found, kept?: string) => kept ?? found.split('').map(escapeCodeUnit).join(''),
  );
}

/** Fast path without a check of each character. The pattern below takes half a millisecond to compile. */
const printableAscii = /^[\t\n\x20-\x7e]*$/;

const unseenCharacters = '(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';

/** One emoji, which may be joined to another. */
const emoji = '\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?';

/** Scripts that use invisible characters to join or separate letters. */
const joiningScripts = [
  'Arab',
  'Syrc',
  'Beng',
  'Deva',
  'Gujr',
  'Guru',
  'Knda',
  'Mlym',
  'Mymr',
  'Orya',
  'Sinh',
  'Taml',
  'Telu',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/**
 * Invisible characters. The group matches sequences of ordinary writing, which stay: joined or coloured
 * emoji, joined letters.
 */
const invisiblePattern = new RegExp(
  [
    `(${emoji}(?:\\u200d${emoji})+|\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]|[#*0-9]\\ufe0f\\u20e3|(?<=[${joiningScripts}])[\\u200c\\u200d](?=[${joiningScripts}]))`,
    unseenCharacters,
  ].join('|'),
  'gu',
);

function spelledOut(character: string): string {
  const code = character.codePointAt(0)!;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeCodeUnit(character);
}

function escapeCodeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** First characters of a text; a shortened text ends with an ellipsis. */
export function shortenText(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character has at most two units, so the rest of a long text need not be read.
  const start = [...text.slice(0, length * 2)];
  return start.length <= length && text.length <= length * 2
    ? text
    : `${start.slice(0, length - 1).join('')}…`;
}

/** Data with {@link visibleText} applied to all strings and keys. */
export function visibleTexts<T>(data: T): T;
export function visibleTexts(data: unknown): unknown {
  if (typeof data === 'string') return visibleText(data);
  if (Array.isArray(data)) return data.map((one) => visibleTexts(one));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [visibleText(key), visibleTexts(value)]),
  );
}
