import { type ConfigEntry, ConfigError, type ConfigValue } from './editor.js';
import { isMap } from './merge-entry.js';

/** Prints `key = value` without a line break. */
export function printPair(keys: readonly string[], value: ConfigValue): string {
  return `${printKey(keys)} = ${printValue(value)}`;
}

/**
 * Prints a value without a line break.
 * @throws ConfigError for values that TOML cannot express.
 */
export function printValue(value: ConfigValue): string {
  if (value === null) throw new ConfigError('TOML has no null value.');
  if (typeof value === 'string') return printString(value);
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map(printValue).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, held]) => printPair([key], held));
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/**
 * Prints a table as blocks of lines, each under a header. Maps in it become sub-tables. A table with only
 * sub-tables gets no header.
 */
export function printTable(keys: readonly string[], table: ConfigEntry): string[][] {
  const entries = Object.entries(table);
  const pairs = entries.filter(([, held]) => !isMap(held)).map(([key, held]) => printPair([key], held));
  const inner = entries.flatMap(([key, held]) => (isMap(held) ? printTable([...keys, key], held) : []));
  return pairs.length === 0 && inner.length > 0 ? inner : [[`[${printKey(keys)}]`, ...pairs], ...inner];
}

function printKey(keys: readonly string[]): string {
  return keys.map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : printString(key))).join('.');
}

function printString(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new ConfigError('A lone surrogate cannot be written in TOML.');
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}

/** Integers that some TOML readers do not support are written as floats. */
function printNumber(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const digits = String(value);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

function isList(value: ConfigValue): value is readonly ConfigValue[] {
  return Array.isArray(value);
}
