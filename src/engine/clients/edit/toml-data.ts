import { TomlDate, type TomlTable, type TomlValue } from 'smol-toml';
import { ConfigError } from './editor.js';
import { isMap } from './merge.js';

/** Deeper nesting is refused, so that whatever walks data cannot run out of stack. */
const maxDepth = 500;

/**
 * What the parser gives as plain data: integers are numbers where a number can hold them. Dates stay its own `Date`s.
 * @throws ConfigError if it is nested too deep.
 */
export function plainData(value: TomlValue | TomlTable, depth = 0): unknown {
  if (depth > maxDepth) throw new ConfigError(`It is nested deeper than ${maxDepth} levels.`);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value instanceof TomlDate) return value;
  if (Array.isArray(value)) return value.map((item) => plainData(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainData(held, depth + 1)]));
}

/** Whether two values are the same to the last detail that TOML knows; the order of keys is none. */
export function sameData(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameData(item, other[index]));
  }
  if (isMap(one) && isMap(other)) {
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    return keys.every((key) => Object.hasOwn(other, key) && sameData(one[key], other[key]));
  }
  // A local date and one with an offset can mean the same instant, but are spelled differently.
  if (one instanceof TomlDate && other instanceof TomlDate) return one.toISOString() === other.toISOString();
  return Object.is(one, other);
}

/** What a path leads to; undefined if nothing. */
export function dataAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (held, key) => (isMap(held) && Object.hasOwn(held, key) ? held[key] : undefined),
    data,
  );
}

/** The data with something else at a path; what is missing on the way is made. */
export function withData(data: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withData(dataAt(data, [key]), rest, value);
  return Object.fromEntries([...Object.entries(isMap(data) ? data : {}), [key, inner]]);
}

/** The data with nothing at a path. */
export function withoutData(data: unknown, path: readonly string[]): unknown {
  const holder = path.slice(0, -1);
  const kept = Object.entries(dataAt(data, holder) ?? {}).filter(([key]) => key !== path.at(-1));
  return withData(data, holder, Object.fromEntries(kept));
}
