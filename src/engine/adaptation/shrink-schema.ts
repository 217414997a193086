import { isRecord, isString } from '../base/value-checks.js';
import { measureSchema } from '../compatibility/schema-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { mapSubschemas } from '../schema/map-subschemas.js';
import { cutText } from './cut-text.js';

type ShrinkStep = (schema: JsonSchema) => JsonSchema;

/**
 * Makes a schema smaller than a number of bytes, as clients count them. Steps that cost the model less come first: keywords
 * without facts for it, then ever shorter descriptions, then deep parts. All parameters keep their names and types.
 */
export function shrinkSchema(schema: JsonSchema, maxBytes: number): JsonSchema {
  let smaller = schema;
  for (const step of steps) {
    if (measureSchema(smaller) <= maxBytes) return smaller;
    smaller = step(smaller);
  }
  return smaller;
}

const steps: readonly ShrinkStep[] = [
  (schema) => onParts(schema, (part) => without(part, ['$schema', '$comment', 'title', 'examples'])),
  (schema) => onParts(schema, withoutClosing),
  ...[400, 250, 160, 100, 60].map(
    (max): ShrinkStep =>
      (schema) =>
        onParts(schema, (part) => withDescription(part, max)),
  ),
  ...[4, 3, 2].map(
    (depth): ShrinkStep =>
      (schema) =>
        collapse(schema, depth) as JsonSchema,
  ),
  (schema) => onParts(schema, (part) => withDescription(part, 30)),
];

function onParts(schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema {
  const onPart = (part: unknown): unknown => (isRecord(part) ? change(mapSubschemas(part, onPart)) : part);
  return onPart(schema) as JsonSchema;
}

function without(part: JsonSchema, keys: readonly string[]): JsonSchema {
  if (!keys.some((key) => Object.hasOwn(part, key))) return part;
  return Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));
}

/** The server refuses other properties, with or without the keyword. */
function withoutClosing(part: JsonSchema): JsonSchema {
  return typeof part.additionalProperties === 'boolean' ? without(part, ['additionalProperties']) : part;
}

function withDescription(part: JsonSchema, max: number): JsonSchema {
  const { description } = part;
  return isString(description) && description.length > max
    ? { ...part, description: cutText(description, max) }
    : part;
}

/** Parts below some levels of objects and arrays accept any value of their type. */
function collapse(part: unknown, levels: number): unknown {
  if (!isRecord(part)) return part;
  if (levels === 0) {
    const { type, description } = part;
    return { ...(type !== undefined && { type }), ...(description !== undefined && { description }) };
  }
  return mapSubschemas(part, (child, [keyword]) =>
    collapse(child, keyword === 'properties' || keyword === 'items' ? levels - 1 : levels),
  );
}
