import { characterChecks } from './hidden-characters.js';
import { phraseChecks } from './suspicious-phrases.js';

/** A fault of a text that a model reads. */
export interface TextFault {
  readonly code: string;
  /** The fault, as the end of the sentence "The description has …". Holds no hidden characters. */
  readonly fault: string;
  /** True if the fault is an error in a name. */
  readonly isErrorInNames: boolean;
  /** Index of the first faulty character, in UTF-16 units. */
  readonly index: number;
}

/** Most characters of a text that messages quote. */
const maxQuoted = 60;

const unusual = /[^\x20-\x7e\n\r\t]/u;

/** Finds hidden characters and suspicious phrases in a text: at most one fault for each code. */
export function checkText(text: string): readonly TextFault[] {
  return [...findCharacters(text), ...findPhrases(text)];
}

function* findCharacters(text: string): Generator<TextFault> {
  const isPlain = !unusual.test(text);
  for (const {
    code,
    pattern,
    fault: kind,
    allowed,
    isUsual,
    decode,
    isErrorInNames = false,
  } of characterChecks) {
    if ((isPlain && code !== 'text/blank-space') || isUsual?.(text)) continue;
    const searched = allowed ? text.replace(allowed, (found) => ' '.repeat(found.length)) : text;
    const index = searched.search(pattern);
    if (index < 0) continue;
    const found = searched.match(pattern)!;
    const hidden = decode?.(found.join('')) ?? '';
    const reading = hidden === '' ? '' : `, which read ${quotePlain(hidden)}`;
    const names = code === 'text/blank-space' ? '' : ` (${nameCharacters(found[0])})`;
    yield { code, fault: `${kind}${names}${reading}`, index, isErrorInNames };
  }
}

function* findPhrases(text: string): Generator<TextFault> {
  for (const { code, pattern, fault: kind, isHonest } of phraseChecks) {
    const index = text.search(pattern);
    if (index < 0) continue;
    const phrase = text.match(pattern)![0];
    if (isHonest?.(phrase, text)) continue;
    yield { code, fault: `${kind}: ${quotePlain(phrase)}`, index, isErrorInNames: false };
  }
}

/** The code points of a text, at most four. */
function nameCharacters(characters: string): string {
  const points = [...characters].map(
    (one) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return points.length > 4 ? `${points.slice(0, 4).join(' ')} …` : points.join(' ');
}

/** Quotes a text, at most 60 characters, with escapes for all characters but printable ASCII: hidden text stays visible. */
export function quotePlain(text: string): string {
  const short = text.length > maxQuoted ? `${text.slice(0, maxQuoted - 1)}…` : text;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e…]/gu,
    (one) => `\\u{${one.codePointAt(0)!.toString(16).toUpperCase()}}`,
  );
}
