import type { ConfigValue, Entry } from './editor.js';

/** What says how a server is started: of an entry that is taken over, nothing of it may stay. */
const launchFields: readonly string[] = ['command', 'args', 'cmd', 'env', 'envs', 'environment'];

/**
 * The entry to write over one that is there: what we write now wins, what we wrote before and write no longer goes, and
 * what the user added stays, in maps at any depth. Without `previous` the entry was not ours: how it starts goes whole.
 */
export function mergeEntry(current: Entry, next: Entry, previous: Entry | undefined): Entry {
  return mergeMaps(current, next, previous ?? launchOf(current));
}

/** Whether all that was written is still there with its value. What was added beside it does not count. */
export function isIntact(current: unknown, written: Entry): boolean {
  if (!isMap(current)) return false;
  return Object.entries(written).every(([key, value]) => {
    const held = fieldOf(current, key);
    return isMap(value) ? isIntact(held, value) : sameValue(held, value);
  });
}

/** Whether a value of a config file is a map. A date of TOML or YAML is none. */
export function isMap(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether two values of config files say the same; neither the order of keys nor a parser's type for integers matters. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => sameValue(item, other[index]));
  }
  if (isMap(one) && isMap(other)) {
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    return keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]));
  }
  if (one instanceof Date && other instanceof Date) {
    return Object.is(one.getTime(), other.getTime()) && String(one) === String(other);
  }
  // biome-ignore lint/suspicious/noDoubleEquals: an integer is a bigint or a number, as its parser likes.
  if (isNumeric(one) && isNumeric(other) && one == other) return true;
  return one === other || (Number.isNaN(one) && Number.isNaN(other));
}

function mergeMaps(current: Entry, next: Entry, previous: Entry): Entry {
  const kept = Object.entries(current).flatMap(([key, held]) => {
    const merged = mergeValue(held, fieldOf(next, key), fieldOf(previous, key));
    return merged === undefined ? [] : [[key, merged] as const];
  });
  const added = Object.entries(next).filter(([key]) => !Object.hasOwn(current, key));
  return Object.fromEntries([...kept, ...added]);
}

/** What becomes of a value that is there; undefined: it goes. */
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

function launchOf(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => launchFields.includes(name)));
}

function fieldOf(entry: Entry, key: string): ConfigValue | undefined {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
