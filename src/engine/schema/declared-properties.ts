import { isRecord } from '../base/value-checks.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** Arguments that a schema declares, at its root and in all subschemas that apply to the same value. */
export interface DeclaredProperties {
  /** All schemas of each argument. */
  readonly properties: ReadonlyMap<string, readonly JsonSchema[]>;
  /** Arguments that are always required. */
  readonly required: ReadonlySet<string>;
  /** Keys of all `patternProperties`. */
  readonly patterns: readonly string[];
  /** True if a part has `propertyNames`. */
  readonly limitsNames: boolean;
  /** First reference that is not followed. Its target may declare more. */
  readonly reference: string | undefined;
}

/**
 * Collects the arguments that a schema declares. Visits each subschema once, or twice if it first seemed
 * optional.
 */
export function collectDeclared(root: JsonSchema): DeclaredProperties {
  const properties = new Map<string, JsonSchema[]>();
  const required = new Set<string>();
  const patterns = new Set<string>();
  let limitsNames = false;
  let reference: string | undefined;
  const seen = new Map<object, boolean>();
  const waiting: { readonly schema: unknown; readonly isSure: boolean }[] = [{ schema: root, isSure: true }];
  // The loop appends the subschemas that it finds.
  for (const { schema, isSure } of waiting) {
    // Visit a subschema again if it always applies and was optional before.
    if (!isRecord(schema) || seen.get(schema) === true || (seen.has(schema) && !isSure)) continue;
    const isNew = !seen.has(schema);
    seen.set(schema, isSure);
    if (isSure && Array.isArray(schema.required)) for (const name of schema.required) required.add(name);
    if (isNew) {
      for (const [name, held] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
        const before = properties.get(name) ?? [];
        properties.set(name, before);
        before.push(isRecord(held) ? held : {});
      }
      for (const pattern of Object.keys(isRecord(schema.patternProperties) ? schema.patternProperties : {})) {
        patterns.add(pattern);
      }
      limitsNames ||= schema.propertyNames !== undefined;
    }
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? resolveLocalReference($ref, root) : undefined;
    if (target !== undefined) waiting.push({ schema: target, isSure });
    const unfollowed = [target === undefined ? $ref : undefined, schema.$dynamicRef, schema.$recursiveRef];
    reference ??= unfollowed.find((one) => typeof one === 'string');
    for (const part of subschemasOfSame(schema))
      waiting.push({ schema: part.schema, isSure: isSure && part.isSure });
  }
  return { properties, required, patterns: [...patterns], limitsNames, reference };
}

/** Returns the subschemas that apply to the same value. `isSure` is true if they always apply. */
function subschemasOfSame(schema: JsonSchema): { readonly schema: unknown; readonly isSure: boolean }[] {
  const lists = [schema.anyOf, schema.oneOf].flatMap((held) => (Array.isArray(held) ? held : []));
  const maps = [schema.dependentSchemas, schema.dependencies];
  const dependent = maps.flatMap((held) => (isRecord(held) ? Object.values(held) : []));
  const unsure = [...lists, ...dependent, schema.if, schema.then, schema.else, schema.not];
  return [
    ...(Array.isArray(schema.allOf) ? schema.allOf : []).map((one) => ({ schema: one, isSure: true })),
    ...unsure.map((one) => ({ schema: one, isSure: false })),
  ];
}
