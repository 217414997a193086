import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar } from 'yaml';
import { isDataChangedBy } from './config-path.js';
import { ConfigError, type ConfigPath, type ConfigValue, type EditStep } from './editor.js';
import { changedRange, cutUnchanged, type EditedTexts, isLong, type TextRange } from './splice.js';
import { startOfLine } from './text-lines.js';
import { isFlow } from './yaml-layout.js';
import { beginsLine } from './yaml-lines.js';
import { isList } from './yaml-print.js';
import {
  mapsToObjects,
  readYaml,
  readYamlData,
  readYamlPart,
  rereadYaml,
  spellingsIn,
  type YamlSource,
  yamlOffset,
} from './yaml-source.js';

/** Intended effect of an edit, to verify the result. */
export interface IntendedEdit {
  /** Returns the expected data from the data before the edit. */
  readonly expect: (data: unknown) => unknown;
  /** The place in the earlier text that changes. */
  readonly path: ConfigPath;
  /** Finds the part of the earlier tree that may be removed. */
  readonly gone?: (root: unknown) => unknown;
  /** Finds the part of the edited tree that may be new. */
  readonly made?: (root: unknown) => unknown;
  /** Label and offset of the edited value, for errors. */
  readonly name: string;
  readonly offset: number;
}

/**
 * Parses an edited text again. Its data must equal the previous data with the change, with and without merge
 * keys applied. All other values must have the same spelling.
 * @throws ConfigError if they do not.
 */
export function verifyEdit(source: YamlSource, edited: string, intent: IntendedEdit): string {
  const texts = withoutEqualMembers(intent.path, { before: source.text, after: edited });
  const isWhole = texts.before === source.text;
  const before = isWhole ? source : tryRead(readYamlPart, texts.before);
  const after = tryRead(isWhole ? rereadYaml : readYamlPart, texts.after);
  const isMerging = before?.merged !== before?.plain || after?.merged !== after?.plain;
  const isRight =
    before !== undefined &&
    after !== undefined &&
    isDeepStrictEqual(after.plain, intent.expect(before.plain)) &&
    (!isMerging || isDeepStrictEqual(after.merged, intent.expect(before.merged))) &&
    isSame(spellingsIn(after, intent.made?.(after.root)), spellingsIn(before, intent.gone?.(before.root)));
  if (isRight) return edited;
  const reason = 'the text around it would change its meaning.';
  throw new ConfigError(
    `${intent.name} cannot be edited safely: ${reason}`,
    intent.offset,
    'Change it by hand.',
  );
}

/** True if a text differs from an earlier one by the steps only. @throws ConfigError if a text is malformed */
export function isYamlChangedBy(steps: readonly EditStep[], texts: EditedTexts): boolean {
  const path = steps.length === 1 ? steps[0]!.path : [];
  const { before, after } = withoutEqualMembers(path, texts);
  if (before === texts.before) return isDataChangedBy(steps, readYamlData(before), readYamlData(after));
  const [earlier, later] = [before, after].map((text) => mapsToObjects(readYamlPart(text).merged));
  return isDataChangedBy(steps, earlier, later);
}

/** In a long text, a map with more members is checked in part. */
const manyMembers = 8;

/**
 * Cuts members that lie before or after the change out of both texts, since the rest of a large file takes long. A parser is
 * in the same state before each member of a block map, if the file has no aliases. So if both texts are valid without equal
 * members, they are valid with them, and the members have equal values. Members next to the change remain: where a scalar of
 * several lines ends depends on the next line.
 */
function withoutEqualMembers(path: ConfigPath, { before, after }: EditedTexts): EditedTexts {
  if (!isLong(before)) return { before, after };
  const { root, aliases } = readYaml(before);
  if (aliases.length > 0) return { before, after };
  const { offset, end } = changedRange({ before, after });
  const cuts: TextRange[] = [];
  let node: unknown = root;
  for (const step of path) {
    if (!isMap(node) || isFlow(node)) break;
    const { items } = node;
    const starts = items.map(({ key }) => yamlOffset(key) ?? 0);
    const isStep = (key: unknown) => !isScalar(key) || String(key.value) === String(step);
    const cut = (first: number, next: number) => {
      if (next <= first || items.slice(first, next).some(({ key }) => isStep(key))) return;
      if (![first, next].every((index) => beginsLine(before, starts[index]!))) return;
      cuts.push([startOfLine(before, starts[first]!), startOfLine(before, starts[next]!)]);
    };
    if (items.length > manyMembers) {
      cut(1, starts.findLastIndex((start) => start <= offset) - 1);
      const late = starts.findIndex((start) => start >= end);
      if (late !== -1) cut(late + 1, items.length - 1);
    }
    node = items.find(({ key }) => isStep(key))?.value;
  }
  return cutUnchanged({ before, after }, cuts);
}

/** Returns the value at a path in data with maps as `Map`s; undefined if missing. */
export function dataAt(data: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((held, step) => {
    if (held instanceof Map) return held.get(step);
    return isList(held) && typeof step === 'number' ? held[step] : undefined;
  }, data);
}

/** Converts a value to the form that the parser returns. */
export function toPlainValue(value: ConfigValue): unknown {
  if (isList(value)) return value.map(toPlainValue);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value).map(([key, held]: [string, ConfigValue]) => [key, toPlainValue(held)]),
  );
}

/** Returns the data with another value at a path. Creates missing parents. */
export function withData(data: unknown, [step, ...rest]: ConfigPath, value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withData(dataAt(data, [step]), rest, value);
  if (typeof step === 'number') return isList(data) ? data.toSpliced(step, 1, inner as never) : [inner];
  return new Map([...(data instanceof Map ? data : []), [step, inner]]);
}

/** Returns the data without the value at a path. */
export function withoutData(data: unknown, path: ConfigPath): unknown {
  const key = path.at(-1)!;
  const way = path.slice(0, -1);
  const holder = dataAt(data, way);
  const left = isList(holder)
    ? holder.filter((_, index) => index !== key)
    : new Map([...(holder as ReadonlyMap<unknown, unknown>)].filter(([name]) => name !== key));
  return withData(data, way, left);
}

function isSame(some: Iterator<string>, others: Iterator<string>): boolean {
  for (;;) {
    const one = some.next();
    const other = others.next();
    if (one.value !== other.value || one.done !== other.done) return false;
    if (one.done) return true;
  }
}

function tryRead(read: (text: string) => YamlSource, text: string): YamlSource | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
