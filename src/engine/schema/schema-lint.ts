import { isRecord } from '../base/value-checks.js';
import type { SchemaSide } from './compiled-schema.js';
import { type FieldWarning, looksLikeField } from './field-spec.js';
import { isOfType } from './fits-schema.js';
import { suggestFormat } from './formats.js';
import type { JsonSchema } from './json-schema.js';
import { findTypo } from './keyword-typo.js';
import { type Subschema, walkSchema } from './walk-schema.js';

/**
 * Yields parts of a JSON Schema that have no effect or contradict each other. Ignores keywords of other
 * vocabularies.
 */
export function* lintSchema(schema: JsonSchema, side: SchemaSide): Generator<FieldWarning> {
  yield* fieldsAtRoot(schema, side);
  for (const part of walkSchema(schema)) {
    yield* misspeltKeywords(part);
    yield* misspeltFormat(part);
    yield* findUndeclaredRequired(part);
    yield* refusedDefault(part);
  }
}

/** True if a JSON Schema is a misplaced field spec: no key is a keyword, and every value is a field. */
export function isFieldSpecLike(schema: JsonSchema): boolean {
  const names = Object.keys(schema);
  return names.length > 0 && names.every((name) => !knownKeywords.has(name) && isField(schema[name]));
}

/** True if a value is a field. Values of other vocabularies seldom are. */
function isField(value: unknown): boolean {
  return looksLikeField(isRecord(value) ? value.type : value);
}

function* fieldsAtRoot(schema: JsonSchema, side: SchemaSide): Generator<FieldWarning> {
  if (isFieldSpecLike(schema)) {
    const message = `This looks like a field spec, which goes under "${side}". In a JSON Schema it means nothing.`;
    yield { path: [], message };
    return;
  }
  for (const [name, value] of Object.entries(schema)) {
    if (knownKeywords.has(name) || name.startsWith('x-')) continue;
    const isSpec = name === 'fields' && isRecord(value) && Object.values(value).every(isField);
    if (isSpec) {
      const message = `"fields" means nothing at the root of a JSON Schema, which "type": "object" makes this. Write the fields themselves under "${side}", without "type" and "fields".`;
      yield { path: [name], message };
    } else if (isField(value)) {
      const message = `"${name}" means nothing beside a "type", which makes this a JSON Schema. Put it under "properties", or write all fields as a list of [name, field].`;
      yield { path: [name], message };
    }
  }
}

/** Keywords of all supported dialects. */
const knownKeywords: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
  ...['$recursiveAnchor', '$vocabulary', '$comment', '$defs', 'definitions', 'id'],
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
  ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired', 'dependencies'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'prefixItems', 'items'],
  ...['additionalItems', 'contains', 'properties', 'patternProperties', 'additionalProperties'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'format', 'contentEncoding'],
  ...['contentMediaType', 'contentSchema', 'title', 'description', 'default', 'deprecated', 'readOnly'],
  ...['writeOnly', 'examples'],
]);

/** Keywords of other vocabularies that look like typos. */
const foreignKeywords: ReadonlySet<string> = new Set(['example']);

function* misspeltKeywords({ schema, path }: Subschema): Generator<FieldWarning> {
  for (const name of Object.keys(schema)) {
    if (knownKeywords.has(name) || foreignKeywords.has(name)) continue;
    const meant = findTypo(name, knownKeywords);
    if (meant === undefined) continue;
    const message = `"${name}" is no keyword of JSON Schema and has no effect. Did you mean "${meant}"?`;
    yield { path: [...path, name], message };
  }
}

function* misspeltFormat({ schema: { format }, path }: Subschema): Generator<FieldWarning> {
  const meant = suggestFormat(format);
  if (meant === undefined) return;
  const message = `"${String(format)}" is no known format, so nothing is checked by it. Did you mean "${meant}"?`;
  yield { path: [...path, 'format'], message };
}

/** Keywords with subschemas that may share their value with other subschemas. */
const sharedValueKeywords: readonly unknown[] = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'],
  ...['$defs', 'definitions'],
];

/** Keywords that can add properties that `properties` does not list. */
const propertyKeywords = [
  ...['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies', '$ref'],
  ...['$dynamicRef', '$recursiveRef', 'patternProperties', 'unevaluatedProperties', 'propertyNames'],
];

function* findUndeclaredRequired({ schema, path }: Subschema): Generator<FieldWarning> {
  const { properties, required, additionalProperties } = schema;
  if (!Array.isArray(required) || !isRecord(properties) || isRecord(additionalProperties)) return;
  if (propertyKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return;
  if (path.slice(-2).some((key) => sharedValueKeywords.includes(key))) return;
  for (const [index, name] of required.entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue;
    const meant = findTypo(name, Object.keys(properties));
    const hint = meant === undefined ? `Declare it, or leave it out.` : `Did you mean "${meant}"?`;
    const message = `"required" lists "${name}", which "properties" does not declare. ${hint}`;
    yield { path: [...path, 'required', index], message };
  }
}

function* refusedDefault({ schema, path }: Subschema): Generator<FieldWarning> {
  if (schema.default === undefined || isTaken(schema.default, schema)) return;
  const message = `The default ${JSON.stringify(schema.default)} is a value that its own schema refuses.`;
  yield { path: [...path, 'default'], message };
}

/** True if a value satisfies the simple keywords of a schema. */
function isTaken(value: unknown, schema: JsonSchema): boolean {
  const { type, enum: values, nullable } = schema;
  if (value === null && nullable === true) return true;
  const types: readonly unknown[] = type === undefined ? [] : [type].flat();
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) return false;
  const same = (one: unknown) => JSON.stringify(one) === JSON.stringify(value);
  if (Array.isArray(values) && typeof value !== 'object' && !values.some(same)) return false;
  if (typeof value === 'number') return isWithin(value, schema.minimum, schema.maximum);
  if (typeof value === 'string') return isWithin([...value].length, schema.minLength, schema.maxLength);
  return true;
}

function isWithin(count: number, low: unknown, high: unknown): boolean {
  return !(typeof low === 'number' && count < low) && !(typeof high === 'number' && count > high);
}
