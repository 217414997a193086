import { isRecord, isString } from '../base/value-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { resolveLocalReference } from '../schema/local-reference.js';
import { mapSubschemas } from '../schema/map-subschemas.js';
import { walkSchema } from '../schema/walk-schema.js';

/** Times that a schema may contain itself. Deeper parts accept any value. */
const maxRepeats = 2;

/** Most parts of the result. A schema that would get larger stays as it is. */
const maxParts = 2000;

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

class TooLargeError extends Error {}

/** Writes referenced schemas in the place of their references. Schemas with addresses (`$id`, `$anchor`) stay as they are. */
export function inlineReferences(schema: JsonSchema): JsonSchema {
  const parts = [...walkSchema(schema)];
  if (!parts.some(({ schema: part }) => isString(part.$ref))) return schema;
  const hasAddresses = parts.some(
    ({ schema: part, path }) =>
      (path.length > 0 && part.$id !== undefined) ||
      part.$anchor !== undefined ||
      part.$dynamicRef !== undefined,
  );
  if (hasAddresses) return schema;
  try {
    const inlined = new Inliner(schema).expand(schema, []) as JsonSchema;
    const { $defs: _, definitions: __, ...rest } = inlined;
    return [...walkSchema(rest)].some(({ schema: part }) => isString(part.$ref)) ? inlined : rest;
  } catch (error) {
    if (error instanceof TooLargeError) return schema;
    throw error;
  }
}

class Inliner {
  readonly #root: JsonSchema;
  #parts = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  expand(part: unknown, open: readonly unknown[]): unknown {
    if (!isRecord(part)) return part;
    if (++this.#parts > maxParts) throw new TooLargeError();
    const { $ref: reference, ...beside } = part;
    if (isString(reference)) {
      const target = this.#resolve(reference);
      if (typeof target === 'boolean') return target ? beside : { ...beside, not: {} };
      if (!isRecord(target)) return part;
      if (open.filter((one) => one === target).length > maxRepeats) return withoutDefinitions(beside);
      return this.expand(mergeBeside(target, beside), [...open, target]);
    }
    return mapSubschemas(withoutDefinitions(part, open.length > 0), (child, [keyword]) =>
      keyword === '$defs' || keyword === 'definitions' ? child : this.expand(child, open),
    );
  }

  #resolve(reference: string): unknown {
    try {
      return resolveLocalReference(reference, this.#root);
    } catch {
      return undefined;
    }
  }
}

function withoutDefinitions(part: JsonSchema, drops = true): JsonSchema {
  if (!drops || (part.$defs === undefined && part.definitions === undefined)) return part;
  const { $defs: _, definitions: __, ...rest } = part;
  return rest;
}

/** A referenced schema with the keywords beside the reference. */
function mergeBeside(target: JsonSchema, beside: JsonSchema): JsonSchema {
  const conflicts = Object.keys(beside).some((key) => !annotations.has(key) && target[key] !== undefined);
  if (!conflicts) return { ...target, ...beside };
  const listed = Array.isArray(beside.allOf) ? beside.allOf : [];
  return { ...beside, allOf: [...listed, target] };
}
