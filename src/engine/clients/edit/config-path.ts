import {
  type ConfigEntry,
  ConfigError,
  type ConfigPath,
  type ConfigValue,
  type Editor,
  type EditStep,
} from './editor.js';
import { isMap, sameValue } from './merge-entry.js';

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

/** Adds the methods of an editor that need only the data. */
export function dataEditor(editor: Pick<Editor, 'parse' | 'set' | 'remove'>): Editor {
  const valueAt = (text: string, path: ConfigPath) => configValueAt(editor.parse(text), path);
  return {
    ...editor,
    valueAt,
    holds: (text, path) => !isNothing(valueAt(text, path)),
    offsetAt: () => undefined,
    isChangedBy: (steps, { before, after }) =>
      isDataChangedBy(steps, editor.parse(before), editor.parse(after)),
  };
}

/** True if data differ from earlier ones by the steps only. Ignores empty maps and lists that contained a removed value. */
export function isDataChangedBy(steps: readonly EditStep[], before: unknown, after: unknown): boolean {
  let expected = before;
  let found = after;
  for (const { path, value } of steps) {
    expected = value === undefined ? withoutValue(expected, path) : withValue(expected, path, value);
    if (value !== undefined) continue;
    expected = withoutEmpty(expected, path.slice(0, -1));
    found = withoutEmpty(found, path.slice(0, -1));
  }
  return sameValue(found, expected);
}

/**
 * Returns the data without empty containers on a path. Their presence depends on the syntax and has no
 * meaning.
 */
function withoutEmpty(data: unknown, path: ConfigPath): unknown {
  const empty = outermostEmpty(data, path);
  const kept = empty ? withoutValue(data, empty) : data;
  return isEmpty(kept) ? undefined : kept;
}

/** Path of the outermost container on a path that is empty, apart from empty containers of the path. */
export function outermostEmpty(data: unknown, path: ConfigPath): ConfigPath | undefined {
  let outermost: ConfigPath | undefined;
  let rest = data;
  for (let length = path.length; length > 0; length--) {
    const here = path.slice(0, length);
    if (!isEmpty(configValueAt(rest, here))) break;
    if (configValueAt(data, here) !== undefined) outermost = here;
    rest = withoutValue(rest, here);
  }
  return outermost;
}

function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isNothing(value) || (isMap(value) && Object.keys(value).length === 0);
}
