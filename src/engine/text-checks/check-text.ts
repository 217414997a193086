import { type CharacterCheck, characterChecks, type TextSeverity } from './hidden-characters.js';
import { phraseChecks } from './suspicious-phrases.js';

/** A fault of a text that a model reads. */
export interface TextFault {
  readonly code: string;
  /** The fault, as the end of the sentence "The description has …". Holds no hidden characters. */
  readonly fault: string;
  readonly severity: TextSeverity;
  /** Index of the first faulty character, in UTF-16 units. */
  readonly index: number;
}

/** Most characters of a text that messages quote. */
const maxQuoted = 60;

const unusual = /[^\x20-\x7e\n\r\t]/u;

/** Short words, such as most keys of schemas. They have neither hidden characters nor phrases, but can name a key file. */
const harmless = /^(?!.{0,39}id_)[\w$.-]{0,39}$/;

/** Severities by code. Faults in names can be more severe. */
const severities = new Map(
  [...characterChecks, ...phraseChecks].map(({ code, severity }) => [code, severity]),
);

/** The codes of all checks. */
export const textCodes: readonly string[] = [...severities.keys()];

/** Severity of the faults of a code in texts. */
export function textSeverity(code: string): TextSeverity {
  return severities.get(code)!;
}

interface TextOptions {
  /** True for the name of an item or parameter, which models write in calls. Default: false. */
  readonly isName?: boolean;
}

/** Finds hidden characters and suspicious phrases in a text: at most one fault for each code. */
export function checkText(text: string, { isName = false }: TextOptions = {}): readonly TextFault[] {
  if (harmless.test(text)) return [];
  const isPlain = !unusual.test(text);
  return [...findCharacters(text, { isName, isPlain }), ...findPhrases(text, isPlain)];
}

interface TextKind {
  readonly isName: boolean;
  /** True if the text has printable ASCII only. */
  readonly isPlain: boolean;
}

function* findCharacters(text: string, { isName, isPlain }: TextKind): Generator<TextFault> {
  for (const check of characterChecks) {
    const { code, fault: kind, decode, isErrorInNames } = check;
    if (isPlain && code !== 'text/blank-space') continue;
    const { found, index } = findIn(text, check, isName);
    if (index < 0) continue;
    const hidden = decode?.(found.join('')) ?? '';
    const reading = hidden === '' ? '' : `, which read ${quotePlain(hidden)}`;
    const names = code === 'text/blank-space' ? '' : ` (${nameCharacters(found[0]!)})`;
    const severity = isName && isErrorInNames ? 'error' : check.severity;
    yield { code, severity, fault: `${kind}${names}${reading}`, index };
  }
}

interface FoundCharacters {
  readonly found: readonly string[];
  /** -1: none. */
  readonly index: number;
}

function findIn(
  text: string,
  { pattern, allowed, isUsual, more, isStrictInNames }: CharacterCheck,
  isName: boolean,
): FoundCharacters {
  const isStrict = isName && isStrictInNames;
  if (!isStrict && isUsual?.(text)) return { found: [], index: -1 };
  const searched = allowed && !isStrict ? text.replace(allowed, (one) => ' '.repeat(one.length)) : text;
  const matches = searched.match(pattern);
  if (matches) return { found: matches, index: searched.search(pattern) };
  const found = more?.(text) ?? [];
  return { found, index: found.length === 0 ? -1 : text.indexOf(found[0]!) };
}

/** Characters that split words without a visible sign. */
const splitting = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Finds phrases, also between hidden characters and in letters of other forms. */
function* findPhrases(text: string, isPlain: boolean): Generator<TextFault> {
  const folded = isPlain ? text : text.replace(splitting, '').normalize('NFKC');
  for (const { code, severity, pattern, fault: kind, isHonest } of phraseChecks) {
    let read = text;
    if (text.search(pattern) < 0) {
      if (folded === text || folded.search(pattern) < 0) continue;
      read = folded;
    }
    const phrase = read.match(pattern)!.find((one) => !isHonest?.(one, text));
    if (phrase === undefined) continue;
    yield {
      code,
      severity,
      fault: `${kind}: ${quotePlain(phrase)}`,
      index: Math.max(0, text.indexOf(phrase)),
    };
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
  const short =
    text.length > maxQuoted ? `${text.slice(0, maxQuoted - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e…]/gu,
    (one) => `\\u{${one.codePointAt(0)!.toString(16).toUpperCase()}}`,
  );
}
