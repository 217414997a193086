import { findRemoteUrl, remoteFields } from '../read-remote-entry.js';
import type { ConfigEntry, ConfigValue } from './editor.js';

/** Fields that start a server. Changes to any other field belong to the client or the user. */
const launchFields: readonly string[] = ['command', 'cmd', 'args', 'env', 'envs', 'environment'];

/** Fields for the transport. In the entry of a program, the command implies them. */
const transportFields: readonly string[] = ['type', 'transport'];

/** Fields that define how a server is reached. Taking over a foreign entry removes all of them. */
const reachFields: readonly string[] = [
  ...launchFields,
  ...transportFields,
  'cwd',
  'working_directory',
  'envFile',
  'env_vars',
  'env_keys',
  ...remoteFields,
];

/**
 * Returns the entry to write over an existing one. Values written now win, and fields written before but not
 * now are removed. Values that the user added stay, in maps at any depth. User changes to fields that do not
 * start the server, such as `disabled`, stay too. Without `previous`, the entry is foreign: all fields that
 * define how it is reached are replaced.
 */
export function mergeEntry(
  current: ConfigEntry,
  next: ConfigEntry,
  previous: ConfigEntry | undefined,
): ConfigEntry {
  if (!previous) return mergeMaps(current, next, only(current, reachFields));
  const settings = Object.entries(next).map(([name, value]) => {
    const isSetting = !reachFields.includes(name) && Object.hasOwn(previous, name);
    return [name, isSetting ? (fieldOf(current, name) ?? value) : value] as const;
  });
  return mergeMaps(current, Object.fromEntries(settings), previous);
}

/** True if the entry still starts or reaches the server as written. Ignores added values and other fields. */
export function isIntact(current: unknown, written: ConfigEntry): boolean {
  return isMap(current) && containsWritten(current, launchPart(written));
}

/** Returns the fields of an entry that start or reach a server. */
export function launchPart(entry: ConfigEntry): ConfigEntry {
  return only(entry, findRemoteUrl(entry) ? [...remoteFields, ...transportFields] : launchFields);
}

function containsWritten(current: ConfigEntry, written: ConfigEntry): boolean {
  return Object.entries(written).every(([key, value]) => {
    const held = fieldOf(current, key);
    return isMap(value) ? isMap(held) && containsWritten(held, value) : sameValue(held, value);
  });
}

/** True if a value of a config file is a map. A date of TOML or YAML is not a map. */
export function isMap(value: unknown): value is ConfigEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** True if two config values are equal. Ignores the order of keys and the parser's type for integers. */
export function sameValue(one: unknown, other: unknown): boolean {
  return areAlike(one, other, sameScalar);
}

/**
 * True if two values consist of equal maps and lists. `isSame` compares all other values. Ignores the order
 * of keys.
 */
export function areAlike(
  one: unknown,
  other: unknown,
  isSame: (one: unknown, other: unknown) => boolean,
): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => areAlike(item, other[index], isSame));
  }
  if (isMap(one) && isMap(other)) {
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    return keys.every((key) => Object.hasOwn(other, key) && areAlike(one[key], other[key], isSame));
  }
  return isSame(one, other);
}

function sameScalar(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) {
    return Object.is(one.getTime(), other.getTime()) && String(one) === String(other);
  }
  // biome-ignore lint/suspicious/noDoubleEquals: an integer is a bigint or a number, as its parser likes.
  if (isNumeric(one) && isNumeric(other) && one == other) return true;
  return one === other || (Number.isNaN(one) && Number.isNaN(other));
}

function mergeMaps(current: ConfigEntry, next: ConfigEntry, previous: ConfigEntry): ConfigEntry {
  const kept = Object.entries(current).flatMap(([key, held]) => {
    const merged = mergeValue(held, fieldOf(next, key), fieldOf(previous, key));
    return merged === undefined ? [] : [[key, merged] as const];
  });
  const added = Object.entries(next).filter(([key]) => !Object.hasOwn(current, key));
  return Object.fromEntries([...kept, ...added]);
}

/** Returns the new value for an existing one; undefined removes it. */
function mergeValue(
  held: ConfigValue,
  wanted: ConfigValue | undefined,
  written: ConfigValue | undefined,
): ConfigValue | undefined {
  if (wanted === undefined && written === undefined) return held;
  if (!isMap(held) || (wanted !== undefined && !isMap(wanted))) return wanted;

  const merged = mergeMaps(held, wanted ?? {}, isMap(written) ? written : {});
  return wanted === undefined && Object.keys(merged).length === 0 ? undefined : merged;
}

function only(entry: ConfigEntry, fields: readonly string[]): ConfigEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => fields.includes(name)));
}

function fieldOf(entry: ConfigEntry, key: string): ConfigValue | undefined {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
