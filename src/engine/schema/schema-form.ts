import { isRecord } from '../base/value-checks.js';
import type { SchemaSide } from './compiled-schema.js';
import { compileFields, type FieldWarning, fieldWarnings, looksLikeField } from './field-spec.js';
import { fieldsBrand } from './fields.js';
import { type JsonSchema, jsonSchemaBrand } from './json-schema.js';
import { SchemaError } from './schema-error.js';
import { findBoundsFault } from './schema-limits.js';
import { lintSchema } from './schema-lint.js';
import { parseSchemaText } from './schema-text.js';
import { isStandardSchema, type StandardSchema, unwrapSchema } from './standard-schema.js';

/** A schema value with its form. */
export type SchemaForm =
  | { readonly form: 'fields'; readonly spec: unknown }
  | { readonly form: 'raw'; readonly schema: unknown }
  | { readonly form: 'standard'; readonly schema: StandardSchema }
  | { readonly form: 'described'; readonly described: Readonly<Record<string, unknown>> };

/** Marks of the values that `fields()` and `jsonSchema()` return. */
export const schemaMarks: readonly symbol[] = [fieldsBrand, jsonSchemaBrand];

/**
 * True if a live value is a schema without doubt: made by `fields()` or `jsonSchema()`, or a Standard Schema.
 */
export function isSchemaValue(value: unknown): boolean {
  if (isStandardSchema(value)) return true;
  // A Proxy can claim any key.
  return schemaMarks.some((mark) => hasBrand(value, mark) && value[mark] !== undefined);
}

/** Returns the parts of a schema that have no effect; empty if the schema itself is invalid. */
export function schemaWarnings(value: unknown, request: FormRequest): readonly FieldWarning[] {
  try {
    const form = detectSchemaForm(value, request);
    if (form.form === 'fields') return fieldWarnings(form.spec);
    if (form.form !== 'raw' || !isRecord(form.schema) || findBoundsFault(form.schema)) return [];
    const found = [...lintSchema(form.schema, request.side)];
    // Paths cannot point into a JSON text or a function's result.
    return form.schema === value ? found : found.map((one) => ({ ...one, path: [] }));
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}

/** Returns the JSON Schema of a value; undefined if the value has another form or is not a schema. */
export function unwrapRawSchema(value: unknown, request: FormRequest): JsonSchema | undefined {
  try {
    const form = detectSchemaForm(value, request);
    return form.form === 'raw' && isRecord(form.schema) ? form.schema : undefined;
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

/** Key that holds a schema: `input`, `output`, `inputSchema` or `outputSchema`. */
interface FormRequest {
  readonly side: SchemaSide;
  readonly rawOnly: boolean;
}

/**
 * Detects the form of a schema. Under a raw-only key, every other form than JSON Schema is an error.
 * @throws SchemaError if the value is not a schema
 */
export function detectSchemaForm(value: unknown, { side, rawOnly }: FormRequest): SchemaForm {
  const form = recognise(value, side, rawOnly);
  if (!rawOnly || form.form === 'raw') return form;
  throw new SchemaError(
    `${side}Schema takes JSON Schema only. Put ${namesOfForms[form.form]} under "${side}".`,
  );
}

const namesOfForms: Readonly<Record<SchemaForm['form'], string>> = {
  fields: 'a field spec',
  raw: 'a JSON Schema',
  standard: 'a Standard Schema',
  described: 'a Standard Schema',
};

function recognise(given: unknown, side: SchemaSide, rawOnly: boolean): SchemaForm {
  const value = unwrapSchema(given);
  if (isStandardSchema(value)) return { form: 'standard', schema: value };
  if (typeof value === 'string') return { form: 'raw', schema: parseSchemaText(value) };
  if (hasBrand(value, fieldsBrand)) return { form: 'fields', spec: value[fieldsBrand] };
  if (hasBrand(value, jsonSchemaBrand)) return readRaw(value[jsonSchemaBrand]);
  if (isRecord(value) && typeof value['@@'] === 'string') return readDescribed(value);
  if (isRecord(value)) refuseSchemaMembers(value, side);
  if (isRecord(value) && (rawOnly || isRawLooking(value, side))) {
    if (!rawOnly) requireNoFields(value, side);
    return { form: 'raw', schema: value };
  }
  if (!rawOnly && isRecord(value)) return readUnmarked(value, side);
  if (!rawOnly && Array.isArray(value)) return { form: 'fields', spec: value };
  throw new SchemaError(
    rawOnly
      ? `${side}Schema must be a JSON Schema: an object or its JSON text.`
      : `${side} must be a field spec, a JSON Schema or a Standard Schema.`,
  );
}

/** @throws SchemaError if a member is a Standard Schema: the members of `z.object()`, as `registerTool()` of MCP takes them */
function refuseSchemaMembers(value: Readonly<Record<string, unknown>>, side: SchemaSide): void {
  for (const [key, member] of Object.entries(value)) {
    const vendor = standardVendor(unwrapSchema(member));
    if (vendor === undefined) continue;
    const wayOut = `Make them one schema of an object${vendor === 'zod' ? ', z.object({ … }),' : ''} under "${side}"`;
    throw new SchemaError(`Its members are ${vendor} schemas. ${wayOut}.`, [key]);
  }
}

/** Vendor of a Standard Schema or of its description; undefined for any other value. */
function standardVendor(value: unknown): string | undefined {
  if (isStandardSchema(value)) return value['~standard'].vendor;
  return isRecord(value) && value['@@'] === 'standard-schema' ? String(value.vendor) : undefined;
}

function readRaw(schema: unknown): SchemaForm {
  return { form: 'raw', schema: typeof schema === 'string' ? parseSchemaText(schema) : schema };
}

/** Reads a schema that another process described. */
function readDescribed(described: Readonly<Record<string, unknown>>): SchemaForm {
  switch (described['@@']) {
    case 'fields':
      return { form: 'fields', spec: described.spec };
    case 'json-schema':
      return readRaw(described.schema);
    case 'standard-schema':
      return { form: 'described', described };
    default:
      throw new SchemaError(`A ${String(described['@@'])} is not a schema.`);
  }
}

/** Keywords that no field spec contains by accident. */
const rawKeywords = ['$schema', '$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties'];

/**
 * True if `type` has a sibling that only fields have. `required` counts if boolean; in JSON Schema it is a
 * list.
 */
function hasFieldOptions({ required, ...others }: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof required === 'boolean' || ['min', 'max', 'values', 'fields', 'wire'].some((name) => name in others)
  );
}

function isRawLooking(value: Readonly<Record<string, unknown>>, side: SchemaSide): boolean {
  if (rawKeywords.some((keyword) => Object.hasOwn(value, keyword))) return true;
  if (value.type === 'object') return true;
  if (side === 'output' && typeof value.type === 'string') return !hasFieldOptions(value);
  return isRecord(value.properties) && typeof value.properties.type !== 'string';
}

/**
 * @throws SchemaError if every value looks like a field and a key is a JSON Schema keyword: the root of an
 * input schema needs `type: object`
 */
function requireNoFields(value: Readonly<Record<string, unknown>>, side: SchemaSide): void {
  if (side === 'output' || value.type === 'object' || !Object.values(value).every(looksLikeField)) return;
  const keyword = rawKeywords.find((name) => Object.hasOwn(value, name));
  if (keyword === undefined) return;
  const what = `"${keyword}" may be a keyword of JSON Schema or a field of that name.`;
  throw new SchemaError(`${what} ${explainSchemaForm(side)}`, [keyword]);
}

/** Advice for an ambiguous schema. Data files cannot call functions, so they need another key or a list. */
function explainSchemaForm(side: SchemaSide): string {
  return `Wrap it in jsonSchema() or fields(); in data, put it under "${side}Schema" or write a list of [name, field].`;
}

function readUnmarked(value: Readonly<Record<string, unknown>>, side: SchemaSide): SchemaForm {
  const isAmbiguous =
    Array.isArray(value.type) || (typeof value.type === 'string' && Object.keys(value).length === 1);
  const fault = isAmbiguous ? undefined : findFieldSpecFault(value);
  if (fault === null) return { form: 'fields', spec: value };
  if (isAmbiguous || typeof value.type === 'string')
    throw new SchemaError(
      `"type": ${JSON.stringify(value.type)} may begin a JSON Schema or be a field named "type". ${explainSchemaForm(side)}`,
      ['type'],
    );
  if (fault && Object.values(value).some(looksLikeField)) throw fault;
  throw new SchemaError(
    `Neither a field spec nor a JSON Schema. ${explainSchemaForm(side)} ${fault?.message ?? ''}`.trimEnd(),
    fault?.path,
  );
}

/** Returns the reason that a value is not a field spec; `null` if it is one. */
function findFieldSpecFault(value: unknown): SchemaError | null {
  try {
    compileFields(value);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
}

function hasBrand<B extends symbol>(value: unknown, brand: B): value is Record<B, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}
