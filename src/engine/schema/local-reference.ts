import { fromPointer } from './schema-issue.js';

/**
 * Returns the target of a reference within a schema; undefined if it is not a path (`#` or `#/…`) or has no
 * target.
 */
export function resolveLocalReference(reference: string, root: unknown): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const key of fromPointer(decodeURIComponent(reference.slice(1)))) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
