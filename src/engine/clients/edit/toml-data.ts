import { TomlDate, type TomlTable, type TomlValue } from 'smol-toml';
import { ConfigError } from './editor.js';
import { areAlike } from './merge-entry.js';

/** Deeper nesting is refused, so that whatever walks data cannot run out of stack. */
const maxTomlDepth = 500;

/**
 * What the parser gives as plain data: integers are numbers where a number can hold them. Dates stay its own `Date`s.
 * @throws ConfigError if it is nested too deep.
 */
export function plainData(value: TomlValue | TomlTable, depth = 0): unknown {
  if (depth > maxTomlDepth) throw new ConfigError(`It is nested deeper than ${maxTomlDepth} levels.`);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value instanceof TomlDate) return value;
  if (Array.isArray(value)) return value.map((item) => plainData(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainData(held, depth + 1)]));
}

/** Whether two values are the same to the last detail that TOML knows; the order of keys is none. */
export function sameData(one: unknown, other: unknown): boolean {
  return areAlike(one, other, sameScalar);
}

function sameScalar(one: unknown, other: unknown): boolean {
  // A local date and one with an offset can mean the same instant, but are spelled differently.
  if (one instanceof TomlDate && other instanceof TomlDate) return one.toISOString() === other.toISOString();
  return Object.is(one, other);
}
