import { parse, TomlError } from 'smol-toml';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { ConfigError, type ConfigPath } from './editor.js';
import { plainData } from './toml-data.js';

/** A TOML text with its data and the positions of its parts. */
export interface TomlSource {
  readonly text: string;
  /** Undefined if the text holds only blanks and comments. */
  readonly data: unknown;
  /** Pairs before the first header, then one section for each header. */
  readonly sections: readonly TomlSection[];
  /** Offsets of the commas outside strings and comments. */
  readonly commas: readonly number[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A header and the pairs under it, from the bracket to the end of the last value. */
export interface TomlSection extends Span {
  /** Index in `sections`. */
  readonly index: number;
  /** Header with its brackets; undefined for the pairs before the first header. */
  readonly header: Span | undefined;
  /** Path of the table; in an array of tables, with the index. */
  readonly path: ConfigPath;
  readonly pairs: readonly TomlPair[];
}

export interface TomlPair extends Span {
  /** Path from the root, including the path of the header. */
  readonly path: ConfigPath;
  readonly value: AST.TOMLContentNode;
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
 * Reads a text with two parsers: one for the data, one for the positions.
 * @throws ConfigError with the offset of the fault if either parser rejects the text.
 */
export function readToml(text: string): TomlSource {
  const data = readData(text);
  const program = readTree(text);
  const [{ body }] = program.body;
  const loose = body.filter((node) => node.type === 'TOMLKeyValue');
  const tables = body.filter((node) => node.type === 'TOMLTable');
  const root = {
    index: 0,
    header: undefined,
    path: [],
    start: 0,
    end: loose.at(-1)?.range[1] ?? 0,
    pairs: toTomlPairs(loose, []),
  };
  const sections = tables.map(({ resolvedKey: path, key, kind, range, body }, index) => {
    const closing = text.indexOf(']', key.range[1]) + (kind === 'array' ? 2 : 1);
    const [start, end] = range;
    const header = { start, end: closing };
    return { index: index + 1, header, path, start, end, pairs: toTomlPairs(body, path) };
  });
  sections.forEach((section, index) => {
    rejectDisputedKeys(section, sections.slice(0, index));
  });
  const commas = program.tokens.filter(({ type, value }) => type === 'Punctuator' && value === ',');
  return {
    text,
    data: program.tokens.length === 0 ? undefined : data,
    sections: [root, ...sections],
    commas: commas.map(({ range }) => range[0]),
  };
}

/** Returns all parts of the value at a path, in text order. */
export function findTomlParts({ sections }: TomlSource, path: ConfigPath): TomlPart[] {
  return sections.flatMap((section) => {
    const { start, end } = section;
    if (isWithin(section.path, path)) return [{ section, start, end }];
    return isWithin(path, section.path) ? findParts(section.pairs, path, { section }) : [];
  });
}

/** The inline table in a pair; undefined if the value is not an inline table. */
export function asInlineTable({ path, value }: TomlPair): TomlInlineTable | undefined {
  if (value.type !== 'TOMLInlineTable') return undefined;
  const [start, end] = value.range;
  return { path, start, end, members: toTomlPairs(value.body, path) };
}

/** True if a path leads to the same value as `outer`, or into it. */
export function isWithin(path: ConfigPath, outer: ConfigPath): boolean {
  return outer.length <= path.length && outer.every((key, index) => key === path[index]);
}

function findParts(
  pairs: readonly TomlPair[],
  path: ConfigPath,
  where: Pick<TomlPart, 'section' | 'inline'>,
): TomlPart[] {
  return pairs.flatMap((pair) => {
    const { start, end } = pair;
    if (isWithin(pair.path, path)) return [{ ...where, pair, start, end }];
    const inline = isWithin(path, pair.path) ? asInlineTable(pair) : undefined;
    return inline ? findParts(inline.members, path, { ...where, inline }) : [];
  });
}

function toTomlPairs(nodes: readonly AST.TOMLKeyValue[], path: ConfigPath): TomlPair[] {
  return nodes.map(({ key, value, range: [start, end] }) => {
    const keys = key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
    return { path: [...path, ...keys], value, start, end };
  });
}

/**
 * Rejects a dotted key that adds to a table that exists only by the header of a sub-table: parsers disagree
 * on it. The parser for data accepts it only beside an array of tables. Without the array, it could not read
 * the text again.
 * @see https://github.com/toml-lang/toml/issues/771
 */
function rejectDisputedKeys({ path, pairs }: TomlSection, above: readonly TomlSection[]): void {
  for (const pair of pairs) {
    const table = pair.path.slice(0, path.length + 1);
    if (table.length === pair.path.length || !above.some((other) => isWithin(other.path, table))) continue;
    const name = JSON.stringify(table.at(-1));
    throw new ConfigError(
      `Parsers of TOML disagree on this key, since a sub-table of ${name} has a header above it. Move the key up, or under a separate header.`,
      pair.start,
    );
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

function readTree(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.1' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ConfigError(`Not valid TOML: ${error.message}.`, error.index);
  }
}

/** Lines and columns start at 1. Every line feed ends a line. */
function errorOffset(text: string, { line, column }: TomlError): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
