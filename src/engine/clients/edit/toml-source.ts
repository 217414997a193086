import { parse, TomlError } from 'smol-toml';
import { ConfigError, type ConfigPath } from './editor.js';
import { RecentTexts } from './recent.js';
import { plainData } from './toml-data.js';
import {
  type Span,
  scanInlineTable,
  scanTomlPairs,
  scanTomlTables,
  type TomlKeyValue,
  type TomlTableSpan,
} from './toml-scan.js';

/** A TOML text with its data and the positions of its parts. */
export interface TomlSource {
  readonly text: string;
  /** Undefined if the text holds only blanks and comments. */
  readonly data: unknown;
  /** Pairs before the first header, then one section for each header. */
  readonly sections: readonly TomlSection[];
}

/** A header and the pairs under it, from the bracket to the end of the last value. */
export interface TomlSection extends Span {
  /** Index in `sections`. */
  readonly index: number;
  /** Header with its brackets; undefined for the pairs before the first header. */
  readonly header: Span | undefined;
  /** Path of the table; in an array of tables, with the index. */
  readonly path: ConfigPath;
  /** Located when they are used. */
  readonly pairs: readonly TomlPair[];
}

export interface TomlPair extends Span {
  /** Path from the root, including the path of the header. */
  readonly path: ConfigPath;
  readonly value: Span;
}

export interface TomlInlineTable extends Span {
  readonly path: ConfigPath;
  readonly members: readonly TomlPair[];
}

/** Part of a value: a whole section, a pair in a section, or a member of an inline table. */
export interface TomlPart extends Span {
  readonly section: TomlSection;
  readonly pair?: TomlPair;
  readonly inline?: TomlInlineTable;
}

/**
 * Reads a text. A parser decides whether it is valid.
 * @throws ConfigError with the offset of the fault if the text is malformed.
 */
export function readToml(text: string): TomlSource {
  return recent.get(text, parseToml);
}

const recent = new RecentTexts<TomlSource>();

/** As `readToml`, for a text that is read once. */
export function parseToml(text: string): TomlSource {
  const data = readData(text);
  const tables = scanTomlTables(text);
  const paths = tablePaths(tables);
  const sections = tables.map((table, index) => new Section(text, { table, index, path: paths[index]! }));
  if (tables.some(({ isDotted }) => isDotted)) rejectDisputedKeys(sections);
  const isEmpty = tables.length === 1 && tables[0]!.end === undefined;
  return { text, data: isEmpty ? undefined : data, sections };
}

class Section implements TomlSection {
  readonly index: number;
  readonly path: ConfigPath;
  readonly header: Span | undefined;
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  #pairs: readonly TomlPair[] | undefined;

  constructor(
    text: string,
    {
      table,
      index,
      path,
    }: { readonly table: TomlTableSpan; readonly index: number; readonly path: ConfigPath },
  ) {
    this.#text = text;
    this.index = index;
    this.path = path;
    this.header = table.header;
    this.start = table.header?.start ?? 0;
    this.end = table.end ?? table.header?.end ?? 0;
  }

  get pairs(): readonly TomlPair[] {
    const extent = { start: this.header?.end ?? 0, end: this.end };
    this.#pairs ??= toTomlPairs(scanTomlPairs(this.#text, extent), this.path);
    return this.#pairs;
  }
}

/** Paths of the tables. In an array of tables, a path has the index of the last item. */
function tablePaths(tables: readonly TomlTableSpan[]): readonly ConfigPath[] {
  const lastItems = new Map<string, number>();
  return tables.map(({ keys, isItem }) => {
    if (!isItem && lastItems.size === 0) return keys;
    const path: (string | number)[] = [];
    for (const [depth, key] of keys.entries()) {
      path.push(key);
      const name = JSON.stringify(path);
      const last = lastItems.get(name);
      const isNext = isItem && depth === keys.length - 1;
      const index = isNext ? (last ?? -1) + 1 : last;
      if (index === undefined) continue;
      lastItems.set(name, index);
      path.push(index);
    }
    return path;
  });
}

/** Returns all parts of the value at a path, in text order. */
export function findTomlParts(source: TomlSource, path: ConfigPath): TomlPart[] {
  return source.sections.flatMap((section) => {
    const { start, end } = section;
    if (isWithin(section.path, path)) return [{ section, start, end }];
    return isWithin(path, section.path) ? findParts(source, section.pairs, path, { section }) : [];
  });
}

/** Offset of the first part of each value, by its path as JSON. */
export function startsOfParts(source: TomlSource): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  const add = (path: ConfigPath, from: number, start: number) => {
    for (let length = from + 1; length <= path.length; length++) {
      const name = JSON.stringify(path.slice(0, length));
      if (!starts.has(name)) starts.set(name, start);
    }
  };
  const addPairs = (pairs: readonly TomlPair[], from: number) => {
    for (const pair of pairs) {
      add(pair.path, from, pair.start);
      addPairs(asInlineTable(source, pair)?.members ?? [], pair.path.length);
    }
  };
  for (const { path, start, pairs } of source.sections) {
    add(path, 0, start);
    addPairs(pairs, path.length);
  }
  return starts;
}

/** The inline table in a pair; undefined if the value is not an inline table. */
export function asInlineTable(
  { text }: TomlSource,
  { path, value: { start, end } }: TomlPair,
): TomlInlineTable | undefined {
  if (text[start] !== '{') return undefined;
  return { path, start, end, members: toTomlPairs(scanInlineTable(text, start).members, path) };
}

/** True if a path leads to the same value as `outer`, or into it. */
export function isWithin(path: ConfigPath, outer: ConfigPath): boolean {
  return outer.length <= path.length && outer.every((key, index) => key === path[index]);
}

function findParts(
  source: TomlSource,
  pairs: readonly TomlPair[],
  path: ConfigPath,
  where: Pick<TomlPart, 'section' | 'inline'>,
): TomlPart[] {
  return pairs.flatMap((pair) => {
    const { start, end } = pair;
    if (isWithin(pair.path, path)) return [{ ...where, pair, start, end }];
    const inline = isWithin(path, pair.path) ? asInlineTable(source, pair) : undefined;
    return inline ? findParts(source, inline.members, path, { ...where, inline }) : [];
  });
}

function toTomlPairs(scanned: readonly TomlKeyValue[], path: ConfigPath): TomlPair[] {
  return scanned.map(({ keys, value, start, end }) => ({ path: [...path, ...keys], value, start, end }));
}

/**
 * Rejects a dotted key that adds to a table that exists only by the header of a sub-table: parsers disagree
 * on it. The parser for data accepts it only beside an array of tables. Without the array, it could not read
 * the text again.
 * @see https://github.com/toml-lang/toml/issues/771
 */
function rejectDisputedKeys(sections: readonly TomlSection[]): void {
  const above = new Set<string>();
  for (const { path, pairs } of sections) {
    for (const pair of pairs) {
      const table = pair.path.slice(0, path.length + 1);
      if (table.length === pair.path.length || !above.has(JSON.stringify(table))) continue;
      const name = JSON.stringify(table.at(-1));
      throw new ConfigError(
        `Parsers of TOML disagree on this key, since a sub-table of ${name} has a header above it.`,
        pair.start,
        'Change the file: move the key up, or under a separate header.',
      );
    }
    for (const depth of path.keys()) above.add(JSON.stringify(path.slice(0, depth + 1)));
  }
}

function readData(text: string): unknown {
  try {
    return plainData(parse(text, { integersAsBigInt: true }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason] = /^Invalid TOML document: (.*)$/m.exec(error.message)!;
    throw new ConfigError(`Not valid TOML: ${reason}.`, errorOffset(text, error));
  }
}

/** Lines and columns start at 1. Every line feed ends a line. */
function errorOffset(text: string, { line, column }: TomlError): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
