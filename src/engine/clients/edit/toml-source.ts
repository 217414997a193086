import { parse, TomlError } from 'smol-toml';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { ConfigError, type ConfigPath } from './editor.js';
import { plainData } from './toml-data.js';

/** A text of TOML, what it says, and where. */
export interface TomlSource {
  readonly text: string;
  /** Undefined if the text holds nothing but blanks and comments. */
  readonly data: unknown;
  /** What stands before the first header, then one for each header. */
  readonly sections: readonly TomlSection[];
  /** Offsets of the commas outside strings and comments. */
  readonly commas: readonly number[];
}

/** A stretch of text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A header and the pairs under it, from the bracket to the end of the last value. */
export interface TomlSection extends Span {
  /** Its place among the sections. */
  readonly index: number;
  /** What stands in brackets, with them; undefined before the first header. */
  readonly header: Span | undefined;
  /** The table; in an array of tables with the place in the array. */
  readonly path: ConfigPath;
  readonly pairs: readonly TomlPair[];
}

/** A key with its value. */
export interface TomlPair extends Span {
  /** From the root, whatever part of it the header says. */
  readonly path: ConfigPath;
  readonly value: AST.TOMLContentNode;
}

/** An inline table. */
export interface TomlInlineTable extends Span {
  readonly path: ConfigPath;
  readonly members: readonly TomlPair[];
}

/** What makes up a value, or a part of it: a section as a whole, a pair in one, or a member of an inline table in one. */
export interface TomlPart extends Span {
  readonly section: TomlSection;
  readonly pair?: TomlPair;
  readonly inline?: TomlInlineTable;
}

/**
 * Two parsers read the text: one for what it says, one for where. What either of them refuses is malformed.
 * @throws ConfigError at the place that is malformed.
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
    refuseDisputed(section, sections.slice(0, index));
  });
  const commas = program.tokens.filter(({ type, value }) => type === 'Punctuator' && value === ',');
  return {
    text,
    data: program.tokens.length === 0 ? undefined : data,
    sections: [root, ...sections],
    commas: commas.map(({ range }) => range[0]),
  };
}

/** All that makes up what a path leads to, in the order of the text. */
export function findTomlParts({ sections }: TomlSource, path: ConfigPath): TomlPart[] {
  return sections.flatMap((section) => {
    const { start, end } = section;
    if (isWithin(section.path, path)) return [{ section, start, end }];
    return isWithin(path, section.path) ? findParts(section.pairs, path, { section }) : [];
  });
}

/** The inline table that a pair's value is, if it is one. */
export function asInlineTable({ path, value }: TomlPair): TomlInlineTable | undefined {
  if (value.type !== 'TOMLInlineTable') return undefined;
  const [start, end] = value.range;
  return { path, start, end, members: toTomlPairs(value.body, path) };
}

/** Whether one path leads to what another leads to, or to something in it. */
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
 * Whether a dotted key may add to a table that stands there only for the header of a sub-table is read differently. The
 * parser for data lets it pass beside a list of tables alone, so that without the list it could not read the text again.
 * @see https://github.com/toml-lang/toml/issues/771
 */
function refuseDisputed({ path, pairs }: TomlSection, above: readonly TomlSection[]): void {
  for (const pair of pairs) {
    const table = pair.path.slice(0, path.length + 1);
    if (table.length === pair.path.length || !above.some((other) => isWithin(other.path, table))) continue;
    const name = JSON.stringify(table.at(-1));
    throw new ConfigError(
      `Parsers of TOML disagree on this key, since a sub-table of ${name} has a header above it. Move it up, or under a header of its own.`,
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

/** Lines and columns count from one, and every line feed ends a line. */
function errorOffset(text: string, { line, column }: TomlError): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
