import { TomlDate, type TomlTable, type TomlValue } from 'smol-toml';
import { ConfigError } from './editor.js';
import { areAlike } from './merge-entry.js';

/** Maximum nesting depth. Prevents stack overflows in code that walks data. */
const maxTomlDepth = 500;

/**
 * Converts parser output to plain data, in place: integers become numbers if a number can hold them, and tables ordinary objects.
 * Dates remain `TomlDate`s.
 * @throws ConfigError if it is nested too deep.
 */
export function plainData(value: TomlValue | TomlTable, depth = 0): unknown {
  if (depth > maxTomlDepth) throw new ConfigError(`It is nested deeper than ${maxTomlDepth} levels.`);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value instanceof TomlDate) return value;
  const held = (Array.isArray(value) ? value : Object.setPrototypeOf(value, Object.prototype)) as TomlTable;
  for (const key of Object.keys(held)) {
    const plain = plainData(held[key]!, depth + 1);
    // Assignment to `__proto__` would set the prototype. A table there is changed in place.
    if (plain !== held[key]) Object.defineProperty(held, key, { value: plain });
  }
  return held;
}

/** True if two values are equal in every detail that TOML distinguishes. Ignores the order of keys. */
export function sameData(one: unknown, other: unknown): boolean {
  return areAlike(one, other, sameScalar);
}

function sameScalar(one: unknown, other: unknown): boolean {
  // A local date and one with an offset can mean the same instant, but are spelled differently.
  if (one instanceof TomlDate && other instanceof TomlDate) return one.toISOString() === other.toISOString();
  return Object.is(one, other);
}
