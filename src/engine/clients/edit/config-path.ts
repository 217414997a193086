import { type ConfigEntry, ConfigError, type ConfigPath, type ConfigValue } from './editor.js';
import { isMap } from './merge-entry.js';

/** Returns the value at a path in the data of a config file; undefined if missing. */
export function configValueAt(data: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((held, key) => {
    if (typeof key === 'number') return Array.isArray(held) ? held[key] : undefined;
    return isMap(held) && Object.hasOwn(held, key) ? held[key] : undefined;
  }, data);
}

/** Returns the data with another value at a path. Creates missing parents. */
export function withValue(data: unknown, [key, ...rest]: ConfigPath, value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withValue(configValueAt(data, [key]), rest, value);
  if (typeof key === 'number') {
    const items: readonly unknown[] = Array.isArray(data) ? data : [];
    return [...items.slice(0, key), inner, ...items.slice(key + 1)];
  }
  return { ...(isMap(data) ? data : {}), [key]: inner };
}

/** Returns the data without the value at a path. */
export function withoutValue(data: unknown, [key, ...rest]: ConfigPath): unknown {
  if (key === undefined || configValueAt(data, [key]) === undefined) return data;
  if (rest.length > 0) return withValue(data, [key], withoutValue(configValueAt(data, [key]), rest));
  if (typeof key === 'number') return (data as readonly unknown[]).toSpliced(key, 1);
  const { [key]: _, ...others } = data as ConfigEntry;
  return others;
}

/**
 * Wraps a value in its missing parents.
 * @throws ConfigError if a missing list would begin with another index than 0.
 */
export function wrapMissing(path: ConfigPath, value: ConfigValue): ConfigValue {
  return path.reduceRight<ConfigValue>((inner, key) => {
    if (typeof key === 'string') return Object.fromEntries([[key, inner]]);
    if (key === 0) return [inner];
    throw new ConfigError(`There is no list with an item ${key}.`);
  }, value);
}
