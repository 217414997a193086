import { isRecord } from './compiled-schema.js';

/** A schema within a schema. */
export interface Subschema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: readonly (string | number)[];
  /** What its references are relative to. */
  readonly base: string;
}

/** What references are relative to in a schema without `$id`. */
export const defaultBase = 'schema:///';

/** Every schema within a schema, itself first. Values that only look like schemas (`const`, `default`, …) are not entered. */
export function* walkSchema(
  schema: unknown,
  path: Subschema['path'] = [],
  base = defaultBase,
): Generator<Subschema> {
  if (!isRecord(schema)) return;
  const own = resolveUri(schema.$id, base) ?? base;
  yield { schema, path, base: own };
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [key, child] of childSchemas(keyword, value))
      yield* walkSchema(child, [...path, keyword, ...key], own);
  }
}

/** An absolute URI without its fragment; `undefined` if there is none to be had. */
export function resolveUri(reference: unknown, base: string): string | undefined {
  if (typeof reference !== 'string' || !URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
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

function childSchemas(keyword: string, value: unknown): [key: (string | number)[], child: unknown][] {
  if (holdsList.has(keyword) && Array.isArray(value)) return value.map((child, index) => [[index], child]);
  if (holdsMap.has(keyword) && isRecord(value))
    return Object.entries(value).map(([key, child]) => [[key], child]);
  return holdsSchema.has(keyword) ? [[[], value]] : [];
}
