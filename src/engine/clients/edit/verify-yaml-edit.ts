import { isDeepStrictEqual } from 'node:util';
import { ConfigError, type ConfigPath, type ConfigValue } from './editor.js';
import { isList } from './yaml-print.js';
import { readYaml, spellingsIn, type YamlSource } from './yaml-source.js';

/** What an edit is meant to do, so that the outcome can be held against it. */
export interface IntendedEdit {
  /** The data after it, from the data before it. */
  readonly expect: (data: unknown) => unknown;
  /** The part of the tree before it that may go. */
  readonly gone?: unknown;
  /** Finds the part of the tree after it that may be new. */
  readonly made?: (root: unknown) => unknown;
  /** What is edited, in words and as an offset. */
  readonly name: string;
  readonly offset: number;
}

/**
 * Reads an edited text again: the data are the old ones and the change, whether merge keys are worked in or not, and
 * everything else is spelled as it was.
 * @throws ConfigError if it is not so.
 */
export function verifyEdit(before: YamlSource, edited: string, intent: IntendedEdit): string {
  const after = rereadYaml(edited);
  const isMerging = before.merged !== before.plain || after?.merged !== after?.plain;
  const isRight =
    after !== undefined &&
    isDeepStrictEqual(after.plain, intent.expect(before.plain)) &&
    (!isMerging || isDeepStrictEqual(after.merged, intent.expect(before.merged))) &&
    isDeepStrictEqual(spellingsIn(after, intent.made?.(after.root)), spellingsIn(before, intent.gone));
  if (isRight) return edited;
  const reason = 'its form gives what stands around it another meaning.';
  throw new ConfigError(`${intent.name} cannot be edited safely: ${reason}`, intent.offset);
}

/** What a path leads to in data with maps as `Map`s; undefined if nothing. */
export function dataAt(data: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((held, step) => {
    if (held instanceof Map) return held.get(step);
    return isList(held) && typeof step === 'number' ? held[step] : undefined;
  }, data);
}

/** A value as the parser gives it. */
export function toPlainValue(value: ConfigValue): unknown {
  if (isList(value)) return value.map(toPlainValue);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value).map(([key, held]: [string, ConfigValue]) => [key, toPlainValue(held)]),
  );
}

/** Data with maps as objects. What is no text as a key becomes text; `__proto__` is a key like any other. */
export function mapsToObjects(data: unknown): unknown {
  if (isList(data)) return data.map(mapsToObjects);
  if (!(data instanceof Map)) return data;
  return Object.fromEntries([...data].map(([key, held]) => [keyText(key), mapsToObjects(held)]));
}

/** Data with something else at a path; what is missing on the way is made. */
export function withData(data: unknown, [step, ...rest]: ConfigPath, value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withData(dataAt(data, [step]), rest, value);
  if (typeof step === 'number') return isList(data) ? data.toSpliced(step, 1, inner as never) : [inner];
  return new Map([...(data instanceof Map ? data : []), [step, inner]]);
}

/** Data with nothing at a path. */
export function withoutData(data: unknown, path: ConfigPath): unknown {
  const key = path.at(-1)!;
  const way = path.slice(0, -1);
  const holder = dataAt(data, way);
  const left = isList(holder)
    ? holder.filter((_, index) => index !== key)
    : new Map([...(holder as ReadonlyMap<unknown, unknown>)].filter(([name]) => name !== key));
  return withData(data, way, left);
}

function keyText(key: unknown): string {
  return typeof key === 'object' && key !== null ? JSON.stringify(mapsToObjects(key)) : String(key ?? '');
}

function rereadYaml(text: string): YamlSource | undefined {
  try {
    return readYaml(text);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
