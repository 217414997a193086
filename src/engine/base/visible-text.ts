/**
 * A text of somebody else's as it may be shown: what controls a terminal (`\u001b`), and what nobody sees
 * (`\u200b`, `\u{e0041}`), is spelled out, so that it can neither move the cursor, recolour or turn around anything nor
 * say something to a model alone. Line breaks and tabs stay, and what ordinary writing needs.
 */
export function visibleText(text: string): string {
  if (printableAscii.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(invisiblePattern, (found, kept?: string) => kept ?? spelledOut(found));
}

/** A {@link visibleText} that is one line: a name, a path, a key. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll('\r\n', '\n').replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
}

/** A message as one line, whosever words it quotes: its line breaks are spaces. */
export function visibleMessage(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return visibleLine(lines.filter((line) => line !== '').join(' '));
}

/** JSON text with the same characters escaped as JSON does, so that it says the same. */
export function visibleJson(json: string): string {
  return json.replace(
    invisiblePattern,
    (found, kept?: string) => kept ?? found.split('').map(escapeCodeUnit).join(''),
  );
}

/** Text that needs no look at each character. The pattern below takes half a millisecond to compile. */
const printableAscii = /^[\t\n\x20-\x7e]*$/;

const unseenCharacters = '(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';

/** One emoji, as it may be joined to another. */
const emoji = '\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?';

/** Scripts that join letters, or keep them apart, by characters that show in nothing else. */
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

/** What nobody sees, or, as the group, what ordinary writing needs of it: joined or coloured emoji, joined letters. */
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

/** The first characters of a text; where something is missing, it ends with an ellipsis. */
export function shortenText(text: string, length: number): string {
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
