import { configValueAt, dataEditor, withoutValue, withValue, wrapMissing } from './config-path.js';
import { type ConfigEntry, ConfigError, type ConfigPath, type ConfigValue, type Editor } from './editor.js';
import { isMap } from './merge-entry.js';
import { endOfLine } from './text-lines.js';
import { sameData } from './toml-data.js';
import { cutMember, insertTomlMember } from './toml-inline.js';
import { cutBlock, cutLines, insertBlocks, insertLine } from './toml-layout.js';
import { printPair, printTable, printValue } from './toml-print.js';
import type { Span } from './toml-scan.js';
import {
  asInlineTable,
  findTomlParts,
  isWithin,
  readToml,
  type TomlPart,
  type TomlSection,
  type TomlSource,
} from './toml-source.js';
import { isTomlChangedBy, isTomlEdited } from './verify-toml-edit.js';

/** Keys from the root to a value. */
type KeyPath = readonly string[];

/** Lines to remove. A block also has a blank line above it. */
interface LineRemoval extends Span {
  readonly isBlock: boolean;
}

/** Edits TOML as text. One parser finds positions, another verifies the result; neither prints. */
export function tomlEditor(): Editor {
  const editor = { parse: (text: string) => readToml(text).data, set: setTomlValue, remove: removeTomlValue };
  return { ...dataEditor(editor), isChangedBy: isTomlChangedBy };
}

function setTomlValue(text: string, path: ConfigPath, value: ConfigValue): string {
  const source = readToml(text);
  const keys = toKeyPath(source, path);
  if (hasTomlValue(source, keys) && sameData(configValueAt(source.data, keys), value)) return text;
  const expect = (data: unknown) => [withValue(data, keys, value)];
  return verifyTomlEdit(putTomlValue(source, keys, value), expect, { source, keys });
}

function removeTomlValue(text: string, path: ConfigPath): string {
  const source = readToml(text);
  const keys = toKeyPath(source, path);
  if (!hasTomlValue(source, keys)) throw new ConfigError(`There is no ${keyPathLabel(keys)} to remove.`);
  const expect = (data: unknown) => removeEmptyTables(withoutValue(data, keys), keys);
  return verifyTomlEdit(removeTomlValueText(source, keys), expect, { source, keys });
}

/** Returns the text with a value, inserted or replaced. */
function putTomlValue(source: TomlSource, keys: KeyPath, value: ConfigValue): string {
  const missing = keys.findIndex((_, depth) => !hasTomlValue(source, keys.slice(0, depth + 1)));
  if (missing !== -1)
    return insert(source, keys.slice(0, missing + 1), wrapMissing(keys.slice(missing + 1), value));

  const held = configValueAt(source.data, keys);
  if (sameData(held, value)) return source.text;
  if (isMap(held) && isMap(value)) return putTableValues(source, keys, held, value);

  const [{ pair } = {}] = findTomlParts(source, keys);
  if (pair?.path.length !== keys.length)
    return putTomlValue(rereadToml(removeTomlValueText(source, keys)), keys, value);
  const { start, end } = pair.value;
  return source.text.slice(0, start) + printValue(value) + source.text.slice(end);
}

/** Changes one table into another value by value, so that equal values keep their text. */
function putTableValues({ text }: TomlSource, keys: KeyPath, held: ConfigEntry, value: ConfigEntry): string {
  const gone = Object.keys(held).filter((key) => !Object.hasOwn(value, key));
  const filled = Object.entries(value).reduce(
    (edited, [key, inner]) => putTomlValue(rereadToml(edited), [...keys, key], inner),
    text,
  );
  const edited = gone.reduce(
    (edited, key) => removeTomlValueText(rereadToml(edited), [...keys, key]),
    filled,
  );
  const after = rereadToml(edited);
  return hasTomlValue(after, keys) ? edited : putTomlValue(after, keys, value);
}

/** Inserts a missing value into an existing table, in the form of that table. */
function insert(source: TomlSource, keys: KeyPath, value: ConfigValue): string {
  const holder = keys.slice(0, -1);
  const pieces = findTomlParts(source, holder);
  const last = pieces.at(-1)!;
  const inline = last.pair?.path.length === holder.length ? asInlineTable(source, last.pair) : last.inline;
  if (inline) return insertTomlMember(source, inline, printPair(keys.slice(inline.path.length), value));
  if (isMap(value)) return insertBlocks(source, last.section, printTable(keys, value));

  const own = source.sections.find(({ path }) => path.length === holder.length && isWithin(path, holder));
  if (own) {
    if (own.pairs.length === 0 && isOptionalHeader(source, own)) {
      throw new ConfigError(
        `${keyPathLabel(holder)} has an empty header below its sub-tables.`,
        own.start,
        'Remove the header.',
      );
    }
    return insertLine(source, own, own.pairs.at(-1), printPair(keys.slice(-1), value));
  }
  const dotted = pieces.findLast(({ pair }) => pair);
  if (!dotted) return insertBlocks(source, last.section, printTable(holder, { [keys.at(-1)!]: value }));
  const { section, pair } = dotted;
  return insertLine(source, section, pair, printPair(keys.slice(section.path.length), value));
}

/** Returns the text without the parts of a value. */
function removeTomlValueText(source: TomlSource, keys: KeyPath): string {
  const pieces = findTomlParts(source, keys);
  const { pair, inline } = pieces.at(-1) ?? {};
  if (pair && inline) {
    const after = rereadToml(cutMember(source, inline, pair));
    return hasTomlValue(after, keys) ? removeTomlValueText(after, keys) : after.text;
  }
  return cutsFor(source, pieces, keys).reduceRight(
    (text, { isBlock, ...span }) => (isBlock ? cutBlock(text, span) : cutLines(text, span)),
    source.text,
  );
}

/** Lines to remove. Consecutive sections are removed with everything between them. */
function cutsFor(source: TomlSource, pieces: readonly TomlPart[], keys: KeyPath): LineRemoval[] {
  const cuts: (LineRemoval & { last?: number })[] = [];
  for (const { section, pair, start, end } of pieces) {
    const isAlone = section.pairs.length === 1 && section.path.length === keys.length - 1;
    if (pair && !(isAlone && isOptionalHeader(source, section))) {
      cuts.push({ isBlock: false, start, end });
      continue;
    }
    const before = cuts.at(-1);
    const follows = before?.last === section.index - 1;
    if (follows) cuts.pop();
    cuts.push({
      isBlock: true,
      start: follows ? before.start : section.start,
      end: section.end,
      last: section.index,
    });
  }
  return cuts;
}

/**
 * True if a header is below a sub-table of its table, and no comment follows it. Such a header is optional:
 * it was written for the first value and is removed with the last one.
 */
function isOptionalHeader(
  { text, sections }: TomlSource,
  { index, path, header, pairs }: TomlSection,
): boolean {
  if (!header) return false;
  const start = pairs[0]?.start ?? endOfLine(text, header.end);
  const isBare = text.slice(header.end, start).trim() === '';
  return isBare && sections.some((other) => other.index < index && isWithin(other.path, path));
}

/**
 * Returns the edited text if its data are among the expected ones.
 * @throws ConfigError if not.
 */
function verifyTomlEdit(
  edited: string,
  expect: (data: unknown) => readonly unknown[],
  { source, keys }: { source: TomlSource; keys: KeyPath },
): string {
  if (rereading(() => isTomlEdited(keys, { before: source.text, after: edited }, expect))) return edited;
  throw new ConfigError(
    `${keyPathLabel(keys)} cannot be edited safely: more would change.`,
    valueOffset(source, keys),
    'Change it by hand.',
  );
}

/** Parses the result of an edit. A fault in it is not the user's. */
function rereadToml(edited: string): TomlSource {
  return rereading(() => readToml(edited));
}

function rereading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError('It cannot be edited safely: the result would be malformed.');
  }
}

/** The data, and the data without parent tables that are now empty: without a header, these are gone. */
function removeEmptyTables(data: unknown, keys: KeyPath): unknown[] {
  const holder = keys.slice(0, -1);
  const held = configValueAt(data, holder);
  if (holder.length === 0 || !isMap(held) || Object.keys(held).length > 0) return [data];
  return [data, ...removeEmptyTables(withoutValue(data, holder), holder)];
}

/** Converts a path to keys, and checks that its existing part leads through tables only. */
function toKeyPath(source: TomlSource, path: ConfigPath): KeyPath {
  if (path.length === 0) throw new ConfigError('The whole document is not replaced.', 0);
  const keys = path.filter((key) => typeof key === 'string');
  if (keys.length < path.length) throw new ConfigError('Items of lists are not edited in TOML.');
  for (let depth = 1; depth < keys.length; depth++) {
    const way = keys.slice(0, depth);
    const held = configValueAt(source.data, way);
    if (held !== undefined && !isMap(held)) {
      throw new ConfigError(
        `${keyPathLabel(way)} is not a map.`,
        valueOffset(source, way),
        'Change it to a table, or remove it.',
      );
    }
  }
  return keys;
}

function hasTomlValue({ data }: TomlSource, keys: KeyPath): boolean {
  return configValueAt(data, keys) !== undefined;
}

/** Offset of a value, or of its nearest existing parent. */
function valueOffset(source: TomlSource, keys: KeyPath): number | undefined {
  if (keys.length === 0) return undefined;
  return findTomlParts(source, keys)[0]?.start ?? valueOffset(source, keys.slice(0, -1));
}

function keyPathLabel(keys: KeyPath): string {
  return JSON.stringify(keys.at(-1));
}
