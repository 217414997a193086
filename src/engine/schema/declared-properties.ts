import { isRecord } from './compiled-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** What a schema says of arguments by name, at its root and in the parts that speak of the same arguments. */
export interface DeclaredProperties {
  /** What is said of each, in every place. */
  readonly properties: ReadonlyMap<string, readonly JsonSchema[]>;
  /** Those asked for in any case. */
  readonly required: ReadonlySet<string>;
  /** Patterns that speak of arguments, which a name may meet or not. */
  readonly patterns: readonly string[];
  /** Whether it says how arguments may be called at all. */
  readonly limitsNames: boolean;
  /** A reference that is not followed, behind which more may be said. */
  readonly reference: string | undefined;
}

/** Collects what a schema says of arguments; each part of it is looked at once. */
export function collectDeclared(root: JsonSchema): DeclaredProperties {
  const properties = new Map<string, JsonSchema[]>();
  const required = new Set<string>();
  const patterns = new Set<string>();
  let limitsNames = false;
  let reference: string | undefined;
  const seen = new Map<object, boolean>();
  const waiting: { readonly schema: unknown; readonly isSure: boolean }[] = [{ schema: root, isSure: true }];
  // What is found on the way is looked at in its turn.
  for (const { schema, isSure } of waiting) {
    // A part that applies in any case says more than one met before that may not.
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

/** Schemas within a schema that speak of the same value. */
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
