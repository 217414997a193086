import { parseUrl } from '../base/parse-url.js';
import { isRecord } from '../base/value-checks.js';

/** A schema within a schema. */
export interface Subschema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: readonly (string | number)[];
  /** Base URI of its references. */
  readonly base: string;
}

/** Base URI of a schema without `$id`. */
export const defaultBase = 'schema:///';

/**
 * Yields a schema and all its subschemas. Skips values that only look like schemas (`const`, `default`, …).
 */
export function* walkSchema(
  schema: unknown,
  path: Subschema['path'] = [],
  base = defaultBase,
): Generator<Subschema> {
  if (!isRecord(schema)) return;
  const own = resolveUri(schema.$id, base) ?? base;
  yield { schema, path, base: own };
  for (const keyword of Object.keys(schema)) {
    if (!holdsSchemas(keyword)) continue;
    for (const [key, child] of childSchemas(keyword, schema[keyword]))
      if (isRecord(child)) yield* walkSchema(child, [...path, keyword, ...key], own);
  }
}

/** Returns an absolute URI without its fragment; `undefined` if the reference is not valid. */
export function resolveUri(reference: unknown, base: string): string | undefined {
  const url = typeof reference === 'string' ? parseUrl(reference, base) : undefined;
  if (!url) return undefined;
  url.hash = '';
  return url.href;
}

const holdsSchema = new Set([
  ...['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
]);
const holdsList = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const holdsMap = new Set([
  ...['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'],
]);

/** True for keywords with schemas in their values. Most keywords have none. */
export function holdsSchemas(keyword: string): boolean {
  return holdsSchema.has(keyword) || holdsList.has(keyword) || holdsMap.has(keyword);
}

/** The direct subschemas of a keyword, with their path below it. */
export function childSchemas(keyword: string, value: unknown): [key: (string | number)[], child: unknown][] {
  if (holdsList.has(keyword) && Array.isArray(value)) return value.map((child, index) => [[index], child]);
  if (holdsMap.has(keyword) && isRecord(value))
    return Object.entries(value).map(([key, child]) => [[key], child]);
  return holdsSchema.has(keyword) ? [[[], value]] : [];
}
