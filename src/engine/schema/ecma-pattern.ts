/**
 * Translates a PCRE pattern to ECMAScript. Returns `undefined` if it begins with other flags than `m`, `s`
 * and `u`.
 */
export function toEcmaPattern(pattern: string): string | undefined {
  const [prefix = '', flags = ''] = /^\(\?([a-z]*)\)/.exec(pattern) ?? [];
  if (/[^msu]/.test(flags)) return undefined;

  const dotAll = flags.includes('s');
  let inClass = false;
  let result = '';
  for (const [token] of pattern.slice(prefix.length).matchAll(tokens)) {
    result += translate(token, inClass, dotAll);
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
  }
  return result;
}

/** True if a pattern matches every text. */
export function matchesAnything(pattern: string): boolean {
  return /^\^?\(?(?:\.|\[\\s\\S\])\*\)?\$?$/.test(pattern) || pattern === '';
}

const tokens = /\\x\{[0-9A-Fa-f]+\}|\\[\s\S]|\[:\w+:\]|\(\?P<|[\s\S]/gu;

function translate(token: string, inClass: boolean, dotAll: boolean): string {
  if (token.startsWith('\\x{')) return codeUnits(Number.parseInt(token.slice(3, -1), 16));
  if (token.startsWith('\\')) return translateEscape(token, inClass);
  if (token.startsWith('[:')) return inClass ? (posixClasses[token.slice(2, -2)] ?? token) : token;
  if (token === '(?P<') return '(?<';
  if (token === '.' && dotAll && !inClass) return '[\\s\\S]';
  return token === '[' && inClass ? '\\[' : token;
}

function translateEscape(token: string, inClass: boolean): string {
  if (!inClass && Object.hasOwn(anchors, token)) return anchors[token]!;
  const character = token.slice(1);
  const needsEscape = /[\w^$\\.*+?()[\]{}|/]/.test(character) || (inClass && character === '-');
  return needsEscape ? token : character;
}

/** Writes a code point as escapes that mean the same with and without the `u` flag. */
function codeUnits(codePoint: number): string {
  if (codePoint > 0x10ffff) return '\\x{';
  if (codePoint <= 0xff) return `\\x${codePoint.toString(16).padStart(2, '0')}`;
  const units = String.fromCodePoint(codePoint).split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

const anchors: Readonly<Record<string, string>> = { '\\A': '^', '\\z': '$', '\\Z': '$' };

const posixClasses: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};
