/** Severity of a fault, as in diagnostics. */
export type TextSeverity = 'error' | 'warning' | 'info';

/** A check for characters without honest use in text for a model. */
export interface CharacterCheck {
  readonly code: string;
  readonly severity: TextSeverity;
  /** Matches the faulty characters. Global and Unicode; without unbounded repeats, which overflow the stack in long texts. */
  readonly pattern: RegExp;
  /** The fault, as the end of the sentence "The description has …". */
  readonly fault: string;
  /** Sequences that may contain these characters. Global and Unicode. */
  readonly allowed?: RegExp;
  /** True if these characters are usual in the text. */
  readonly isUsual?: (text: string) => boolean;
  /** True if the fault makes a name unusable, as another name can look the same. Default: false. */
  readonly isErrorInNames?: boolean;
  /** Finds further faulty characters, which depend on the whole text. */
  readonly more?: (text: string) => readonly string[];
  /** True if nothing is allowed in names. Default: false. */
  readonly isStrictInNames?: boolean;
  /** Reads the text that the characters hide. */
  readonly decode?: (characters: string) => string;
}

/** Letters and marks of scripts with joiners between letters. @see Unicode 17, chapter 23.2, "Cursive Connection and Ligatures" */
const joined = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

/** Scripts without spaces between words, which mark the end of a word with U+200B. */
const unspaced = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** An emoji before a joiner. */
const emoji = '\\p{Extended_Pictographic}[\\uFE0F\\u{1F3FB}-\\u{1F3FF}\\u20E3]{0,3}';

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Samaritan}\p{Script=Mandaic}]/u;

/**
 * Checks of characters. A reader does not see these characters, or sees others, but a model reads them.
 * @see UTS #39 (Unicode security mechanisms), UAX #9 (bidirectional text), UTS #51 (emoji sequences)
 */
export const characterChecks: readonly CharacterCheck[] = [
  {
    // The flags of England, Scotland and Wales are the only allowed tags. @see UTS #51, ED-14a
    code: 'text/tag-characters',
    severity: 'error',
    pattern: /[\u{E0000}-\u{E007F}]{1,999}/gu,
    allowed:
      /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu,
    fault: 'invisible tag characters',
    decode: (characters) =>
      String.fromCodePoint(
        ...[...characters].map((one) => one.codePointAt(0)! - 0xe0000).filter((code) => code >= 0x20),
      ),
  },
  {
    code: 'text/hidden-bytes',
    severity: 'error',
    pattern:
      /[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]{2,999}|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]|[\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}]{1,999}/gu,
    // One selector after each of many ideographs or symbols can hide a byte each. Honest texts have few kinds of them.
    more: (text) => {
      const selectors = text.match(/[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]/gu) ?? [];
      return new Set(selectors).size >= 5 ? selectors : [];
    },
    fault: 'variation selectors that can hide bytes',
    decode: decodeSelectors,
  },
  {
    code: 'text/bidi-controls',
    severity: 'error',
    pattern: /[\u{202A}-\u{202E}\u{2066}-\u{2069}]{1,999}/gu,
    fault: 'controls that change the order of the text on a screen',
  },
  {
    code: 'text/invisible-characters',
    severity: 'error',
    pattern: new RegExp(
      [
        `(?<![${unspaced}])\\u200B`,
        '[\\u2060-\\u2065\\u034F\\u115F\\u1160\\u3164\\uFFA0\\u17B4\\u17B5\\u206A-\\u206F\\uFFF0-\\uFFFB\\u{13430}-\\u{1345F}\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}]',
        '(?<!^)\\uFEFF',
        // An empty cell is a space between cells with dots.
        '(?<![\\u2801-\\u28FF])\\u2800|\\u2800(?![\\u2801-\\u28FF])',
        `(?<![${joined}])\\u200C`,
        `\\u200C(?![${joined}\\s\\p{P}]|$)`,
        `(?<![${joined}]|${emoji})\\u200D`,
        `(?<=[${joined}])\\u200D(?![${joined}\\s\\p{P}]|$)`,
        `(?<=${emoji})\\u200D(?!\\p{Extended_Pictographic})`,
        '(?<!\\p{Script_Extensions=Mongolian})[\\u180B-\\u180D\\u180F]',
        '[\\u200E\\u200F\\u061C\\u00AD\\u180E]{4,999}',
      ].join('|'),
      'gu',
    ),
    fault: 'invisible characters',
  },
  {
    code: 'text/control-characters',
    severity: 'error',
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
    pattern: /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]{1,999}/gu,
    fault: 'control characters, which can change a terminal',
  },
  {
    code: 'text/private-characters',
    severity: 'warning',
    pattern: /[\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]{1,999}/gu,
    fault: 'characters for private use, which look different in each font',
  },
  {
    code: 'text/broken-characters',
    severity: 'error',
    pattern: /[\p{Cs}\p{Noncharacter_Code_Point}]{1,999}/gu,
    fault: 'characters that are not valid Unicode',
  },
  {
    code: 'text/mixed-scripts',
    severity: 'warning',
    pattern:
      /(?<![\p{L}\p{M}\p{N}_])(?=[\p{L}\p{M}\p{N}_]{0,99}\p{Script=Latin})(?=[\p{L}\p{M}\p{N}_]{0,99}[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}])[\p{L}\p{M}\p{N}_]{1,999}/gu,
    fault: 'a word with letters of two scripts',
    isErrorInNames: true,
  },
  {
    code: 'text/greek-lookalikes',
    severity: 'warning',
    pattern:
      /(?<![\p{L}\p{M}\p{N}_])(?=[\p{L}\p{M}\p{N}_]{0,99}\p{Script=Latin})(?=[\p{L}\p{M}\p{N}_]{0,99}[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρυι])[\p{L}\p{M}\p{N}_]{1,999}/gu,
    fault: 'a Latin word with Greek letters that look like Latin ones',
  },
  {
    code: 'text/letters-as-symbols',
    severity: 'warning',
    pattern:
      /[\u{1D400}-\u{1D7FF}]{4,999}|[\u24B6-\u24E9]{4,999}|[\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]{4,999}/gu,
    // Texts in East Asian scripts have Latin letters of full width.
    more: (text) => (eastAsian.test(text) ? [] : (text.match(/[\uFF21-\uFF3A\uFF41-\uFF5A]{4,999}/gu) ?? [])),
    fault: 'words of letters for symbols, which models read as plain ones',
  },
  {
    code: 'text/stray-selectors',
    severity: 'warning',
    pattern: new RegExp(
      [
        '(?<![\\p{Script=Han}\\p{Sm}\\p{Script=Mongolian}\\p{Script=Myanmar}\\p{Script=Phags_Pa}\\u3000-\\u303F\\uFF00-\\uFF0F\\uFE00-\\uFE0F])[\\uFE00-\\uFE0D]',
        '(?<![\\p{Emoji}\\p{S}\\uFE00-\\uFE0F])[\\uFE0E\\uFE0F]',
        '(?<=[0-9#*])[\\uFE0E\\uFE0F](?!\\u20E3)',
      ].join('|'),
      'gu',
    ),
    fault: 'variation selectors without effect',
  },
  {
    code: 'text/weak-marks',
    severity: 'info',
    pattern: /[\u{200E}\u{200F}\u{061C}\u{00AD}\u{180E}]{1,999}/gu,
    // Syllables of a long word, and the vowel separator of Mongolian.
    allowed: /(?<=\p{L}{2})\u{00AD}(?=\p{L}{2})|(?<=\p{Script=Mongolian})\u{180E}/gu,
    fault: 'invisible marks of direction or of possible line breaks',
    isErrorInNames: true,
    isStrictInNames: true,
    isUsual: (text) => rightToLeft.test(text),
  },
  {
    code: 'text/blank-space',
    severity: 'warning',
    pattern: /\n(?:[^\S\n]{0,99}\n){19}|[^\S\n]{100}/gu,
    fault: 'so much blank space that readers do not see the text after it',
  },
];

function decodeSelectors(characters: string): string {
  const bytes = [...characters].map((one) => {
    const code = one.codePointAt(0)!;
    return code < 0x10000 ? code - 0xfe00 : code - 0xe0100 + 16;
  });
  return Buffer.from(bytes.filter((byte) => byte >= 0 && byte < 256)).toString('latin1');
}
