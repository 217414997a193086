import { parse } from 'smol-toml';
import { ConfigError } from './editor.js';

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `key = value`, from the first character of the key to the end of the value. */
export interface TomlKeyValue extends Span {
  readonly keys: readonly string[];
  readonly value: Span;
}

/** A header, and the extent of the pairs below it. */
export interface TomlTableSpan {
  /** With its brackets; undefined for the pairs before the first header. */
  readonly header: Span | undefined;
  readonly keys: readonly string[];
  /** True for an item of an array of tables. */
  readonly isItem: boolean;
  /** End of the last pair; undefined without pairs. */
  readonly end: number | undefined;
  /** True if a pair has a dotted key. */
  readonly isDotted: boolean;
}

/** Locates the tables of a text that a parser has accepted. The first one has no header. */
export function scanTomlTables(text: string): readonly TomlTableSpan[] {
  const tables: TomlTableSpan[] = [];
  let head: Pick<TomlTableSpan, 'header' | 'keys' | 'isItem'> = {
    header: undefined,
    keys: [],
    isItem: false,
  };
  let end: number | undefined;
  let isDotted = false;
  let at = skipVoid(text, 0);
  for (; at < text.length; at = skipVoid(text, at)) {
    if (text[at] !== '[') {
      const pair = scanPair(text, at);
      isDotted ||= pair.keys.length > 1;
      end = pair.end;
      at = end;
      continue;
    }
    tables.push({ ...head, end, isDotted });
    end = undefined;
    isDotted = false;
    const isItem = text[at + 1] === '[';
    const key = scanKey(text, at + (isItem ? 2 : 1));
    const header = { start: at, end: skipBlanks(text, key.end) + (isItem ? 2 : 1) };
    head = { header, keys: key.keys, isItem };
    at = header.end;
  }
  return [...tables, { ...head, end, isDotted }];
}

/** Pairs in a part of a text without headers. */
export function scanTomlPairs(text: string, { start, end }: Span): readonly TomlKeyValue[] {
  const pairs: TomlKeyValue[] = [];
  for (let at = skipVoid(text, start); at < end; at = skipVoid(text, at)) {
    const pair = scanPair(text, at);
    pairs.push(pair);
    at = pair.end;
  }
  return pairs;
}

/** Members of the inline table that begins at an offset. */
export function scanInlineTable(
  text: string,
  start: number,
): { readonly members: readonly TomlKeyValue[]; readonly end: number } {
  const members: TomlKeyValue[] = [];
  let at = skipVoid(text, start + 1);
  while (text[at] !== '}') {
    const member = scanPair(text, at);
    members.push(member);
    at = skipSeparator(text, member.end);
  }
  return { members, end: at + 1 };
}

/** Offset of the first character from an offset on that is not in a blank, line end or comment. */
export function skipVoid(text: string, from: number): number {
  for (let at = from; ; at++) {
    const character = text[at];
    if (character === '#') at = text.indexOf('\n', at);
    else if (character === undefined || !' \t\r\n'.includes(character)) return at;
    if (at === -1) return text.length;
  }
}

function skipSeparator(text: string, from: number): number {
  const at = skipVoid(text, from);
  return text[at] === ',' ? skipVoid(text, at + 1) : at;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

function scanPair(text: string, start: number): TomlKeyValue {
  const { keys, end } = scanKey(text, start);
  const valueStart = skipBlanks(text, skipBlanks(text, end) + 1);
  const value = { start: valueStart, end: skipValue(text, valueStart) };
  return { keys, start, end: value.end, value };
}

const bareKey = /[^\s.=\]"']+/y;

function scanKey(text: string, start: number): { readonly keys: readonly string[]; readonly end: number } {
  const keys: string[] = [];
  for (let at = skipBlanks(text, start); ; ) {
    const isQuoted = text[at] === '"' || text[at] === "'";
    bareKey.lastIndex = at;
    const end = isQuoted ? skipString(text, at) : at + (bareKey.exec(text)?.[0].length ?? 0);
    if (end === at) throw unexpectedAt(at);
    const written = text.slice(at, end);
    keys.push(isQuoted ? Object.keys(parse(`${written} = 0`))[0]! : written);
    const next = skipBlanks(text, end);
    if (text[next] !== '.') return { keys, end };
    at = skipBlanks(text, next + 1);
  }
}

const word = /[^,\]}#\r\n]*/y;

function skipValue(text: string, start: number): number {
  switch (text[start]) {
    case '"':
    case "'":
      return skipString(text, start);
    case '{':
      return scanInlineTable(text, start).end;
    case '[': {
      let at = skipVoid(text, start + 1);
      while (text[at] !== ']') at = skipSeparator(text, skipValue(text, at));
      return at + 1;
    }
    default: {
      // A date can hold a blank.
      word.lastIndex = start;
      const { length } = word.exec(text)![0].trimEnd();
      if (length === 0) throw unexpectedAt(start);
      return start + length;
    }
  }
}

function skipString(text: string, start: number): number {
  const quote = text[start]!;
  const isLong = text.startsWith(quote.repeat(3), start);
  const mark = isLong ? quote.repeat(3) : quote;
  for (let at = start + mark.length; ; at++) {
    at = text.indexOf(mark, at);
    if (at === -1) throw unexpectedAt(start);
    if (quote === '"' && isEscaped(text, at)) continue;
    let end = at + mark.length;
    // Up to two quotes at the end belong to the text.
    while (isLong && end < at + 5 && text[end] === quote) end++;
    return end;
  }
}

/** True if an odd number of backslashes precedes. */
function isEscaped(text: string, offset: number): boolean {
  let start = offset;
  while (text[start - 1] === '\\') start--;
  return (offset - start) % 2 === 1;
}

/** The parser and this scanner disagree. */
function unexpectedAt(offset: number): ConfigError {
  return new ConfigError('AgentTools cannot locate the values of the file.', offset);
}
