import { isRecord } from '../base/value-checks.js';
import type { JsonSchema } from './json-schema.js';
import { types } from './keyword-faults.js';

/** Deeper or larger schemas are left to the validator. */
const maxDepth = 32;
const maxSubschemas = 1000;

/**
 * True if a schema consists of common keywords with values that every dialect allows. Such a schema has no
 * fault that only a meta-schema or the validator finds. Loading and running the validator takes a hundred
 * times as long.
 */
export function isPlainSchema(schema: JsonSchema): boolean {
  const { $schema: _, ...rest } = schema;
  return isPlain(rest, { depth: 0, left: { subschemas: maxSubschemas } });
}

interface Bounds {
  readonly depth: number;
  readonly left: { subschemas: number };
}

function isPlain(schema: unknown, { depth, left }: Bounds): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isRecord(schema) || depth > maxDepth) return false;
  left.subschemas -= 1;
  if (left.subschemas < 0) return false;
  const bounds = { depth: depth + 1, left };
  return Object.entries(schema).every(
    ([keyword, value]) =>
      keyword.startsWith('x-') || (Object.hasOwn(keywords, keyword) && keywords[keyword]!(value, bounds)),
  );
}

type IsPlainValue = (value: unknown, bounds: Bounds) => boolean;

const isText: IsPlainValue = (value) => typeof value === 'string';
const isFlag: IsPlainValue = (value) => typeof value === 'boolean';
const isNumber: IsPlainValue = (value) => Number.isFinite(value);
const isCount: IsPlainValue = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTypeName: IsPlainValue = (value) => types.includes(value as string);

const isSchemas: IsPlainValue = (value, bounds) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isPlain(one, bounds));

/** Objects and arrays are equal by content, which only the validator compares. */
const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

function isSet(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isMember) && new Set(value).size === value.length;
}

const keywords: Readonly<Record<string, IsPlainValue>> = {
  type: (value, bounds) =>
    isTypeName(value, bounds) ||
    (isSet(value, (name) => isTypeName(name, bounds)) && (value as readonly unknown[]).length > 0),
  title: isText,
  description: isText,
  $comment: isText,
  format: isText,
  pattern: isText,
  default: () => true,
  const: () => true,
  examples: (value) => Array.isArray(value),
  enum: (value) => isSet(value, isScalar) && (value as readonly unknown[]).length > 0,
  readOnly: isFlag,
  writeOnly: isFlag,
  deprecated: isFlag,
  uniqueItems: isFlag,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => Number.isFinite(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  required: (value) => isSet(value, (name) => typeof name === 'string'),
  properties: (value, bounds) =>
    isRecord(value) &&
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((one) => isPlain(one, bounds)),
  additionalProperties: isPlain,
  items: isPlain,
  not: isPlain,
  allOf: isSchemas,
  anyOf: isSchemas,
  oneOf: isSchemas,
};
