import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { SchemaSide } from './compiled-schema.js';
import { fieldsBrand } from './fields.js';
import { jsonSchemaBrand } from './json-schema.js';
import { isStandardSchema, type StandardSchema, standardWire } from './standard-schema.js';

/**
 * Converts a live schema to plain data that can be sent to another process. Returns any other value
 * unchanged.
 */
export async function describeSchema(value: unknown, resolveFrom?: string): Promise<unknown> {
  if (isStandardSchema(value)) return describeStandard(value, resolveFrom);
  if (!isRecord(value)) return value;
  const branded: Readonly<Record<symbol, unknown>> = value;
  if (Object.hasOwn(value, fieldsBrand)) return { '@@': 'fields', spec: branded[fieldsBrand] };
  if (Object.hasOwn(value, jsonSchemaBrand)) return { '@@': 'json-schema', schema: branded[jsonSchemaBrand] };
  return value;
}

async function describeStandard(schema: StandardSchema, resolveFrom: string | undefined): Promise<unknown> {
  const { vendor } = schema['~standard'];
  const [input, output] = await Promise.all([
    describeSide(schema, 'input', resolveFrom),
    describeSide(schema, 'output', resolveFrom),
  ]);
  return { '@@': 'standard-schema', vendor, ...output, ...input };
}

/** Returns one side, or the error that prevents it. */
async function describeSide(
  schema: StandardSchema,
  side: SchemaSide,
  resolveFrom: string | undefined,
): Promise<Record<string, unknown>> {
  try {
    return { [side]: await standardWire(schema, side, resolveFrom) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
