import { isDeepStrictEqual } from 'node:util';
import { ConfigError, type ConfigPath, type ConfigValue } from './editor.js';
import { isList } from './yaml-print.js';
import { rereadYaml, spellingsIn, type YamlSource } from './yaml-source.js';

/** Intended effect of an edit, to verify the result. */
export interface IntendedEdit {
  /** Returns the expected data from the data before the edit. */
  readonly expect: (data: unknown) => unknown;
  /** Part of the previous tree that may be removed. */
  readonly gone?: unknown;
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
export function verifyEdit(before: YamlSource, edited: string, intent: IntendedEdit): string {
  const after = tryReread(edited);
  const isMerging = before.merged !== before.plain || after?.merged !== after?.plain;
  const isRight =
    after !== undefined &&
    isDeepStrictEqual(after.plain, intent.expect(before.plain)) &&
    (!isMerging || isDeepStrictEqual(after.merged, intent.expect(before.merged))) &&
    isSame(spellingsIn(after, intent.made?.(after.root)), spellingsIn(before, intent.gone));
  if (isRight) return edited;
  const reason = 'the text around it would change its meaning.';
  throw new ConfigError(
    `${intent.name} cannot be edited safely: ${reason}`,
    intent.offset,
    'Change it by hand.',
  );
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

function tryReread(text: string): YamlSource | undefined {
  try {
    return rereadYaml(text);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
