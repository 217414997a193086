import { isRecord, isString } from '../base/value-checks.js';
import { constraints, mentions } from '../compatibility/schema-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { mapSubschemas } from '../schema/map-subschemas.js';

/** Repeats the constraints of all parts in their descriptions, for clients that delete the keywords. */
export function describeConstraints(schema: JsonSchema): JsonSchema {
  return described(schema) as JsonSchema;
}

function described(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const mapped = mapSubschemas(part, described);
  const text = isString(part.description) ? part.description : '';
  const lost = constraints.filter((key) => part[key] !== undefined && !mentions(text, part[key]));
  if (lost.length === 0) return mapped;
  const words = `(${lost.map((key) => `${labels[key] ?? key} ${inWords(part[key])}`).join('; ')})`;
  return { ...mapped, description: text === '' ? words : `${text.trimEnd()} ${words}` };
}

const labels: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
  minLength: 'shortest length',
  maxLength: 'longest length',
  minItems: 'fewest elements',
  maxItems: 'most elements',
};

function inWords(value: unknown): string {
  return isString(value) ? value : (JSON.stringify(value) ?? '');
}
