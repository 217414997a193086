import { isRecord } from '../base/value-checks.js';

/** How values of an adapted schema become values of the original schema. */
export interface ValueMap {
  /** Original values by the strings that replace them. */
  readonly values?: ReadonlyMap<string, unknown>;
  /** Original names of properties by their names in the adapted schema. */
  readonly names?: ReadonlyMap<string, string>;
  /** Properties, by their original names, that become null if they are absent. */
  readonly nulls?: readonly string[];
  /** Maps of properties, by their original names. */
  readonly properties?: ReadonlyMap<string, ValueMap>;
  /** Map of the elements of an array. */
  readonly items?: ValueMap;
}

/** Returns a value as the original schema expects it. Values without a map stay as they are. */
export function toOriginal(value: unknown, map: ValueMap | undefined): unknown {
  if (!map) return value;
  if (typeof value === 'string' && map.values?.has(value)) return map.values.get(value);
  if (Array.isArray(value)) return map.items ? value.map((item) => toOriginal(item, map.items)) : value;
  return isRecord(value) ? toOriginalObject(value, map) : value;
}

function toOriginalObject(value: Readonly<Record<string, unknown>>, map: ValueMap): unknown {
  const entries = Object.entries(value).map(([key, one]) => {
    const renamed = map.names?.get(key);
    // A client that knows the original name may use it.
    const name = renamed !== undefined && !Object.hasOwn(value, renamed) ? renamed : key;
    return [name, toOriginal(one, map.properties?.get(name))] as const;
  });
  const given = new Set(entries.map(([name]) => name));
  const absent = (map.nulls ?? []).filter((name) => !given.has(name)).map((name) => [name, null] as const);
  return Object.fromEntries([...entries, ...absent]);
}
