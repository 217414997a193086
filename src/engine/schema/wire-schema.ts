import { isRecord } from '../base/value-checks.js';
import type { SchemaSide } from './compiled-schema.js';
import { detectDialect, unknownDialect } from './dialects.js';
import { compileFields } from './field-spec.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaError } from './schema-error.js';
import { detectSchemaForm, type SchemaForm } from './schema-form.js';
import { findBoundsFault } from './schema-limits.js';
import { isFieldSpecLike } from './schema-lint.js';
import { exportedWire } from './standard-schema.js';

/** Side and key of a schema. */
interface SchemaSlot {
  readonly side: SchemaSide;
  /** True if the schema comes from `inputSchema` or `outputSchema`, which accept JSON Schema only. */
  readonly rawOnly: boolean;
}

/**
 * Checks that a value is a schema. Loads no package and runs no library.
 * @throws SchemaError if it is not
 */
export function requireSchema(value: unknown, place: SchemaSlot): void {
  const told = detectSchemaForm(value, place);
  if (told.form !== 'standard') toWireSchema(told, place.side);
}

/**
 * Returns the schema that lists show; undefined for a Standard Schema that does not convert itself.
 * @throws SchemaError if the value is not a schema
 */
export function wireSchema(value: unknown, place: SchemaSlot): JsonSchema | undefined {
  return toWireSchema(detectSchemaForm(value, place), place.side);
}

function toWireSchema(told: SchemaForm, side: SchemaSide): JsonSchema | undefined {
  if (told.form === 'fields') return requireWireSchema(compileFields(told.spec).wire, side);
  if (told.form === 'raw') return requireWireSchema(told.schema, side);
  const written = told.form === 'standard' ? exportedWire(told.schema, side) : told.described[side];
  return written === undefined ? undefined : requireWireSchema(written, side);
}

/** Returns a schema that clients accept for this side. @throws SchemaError */
export function requireWireSchema(schema: unknown, side: SchemaSide): JsonSchema {
  const fault = findBoundsFault(schema);
  if (fault) throw fault;
  if (!isRecord(schema)) throw new SchemaError('A JSON Schema must be an object.');
  if (!detectDialect(schema)) throw new SchemaError(unknownDialect, ['$schema']);
  const problem = side === 'input' ? rootProblem(schema) : undefined;
  if (problem !== undefined) throw new SchemaError(problem);
  return schema;
}

/** Returns the reason that a schema cannot be an input; undefined if its root allows it. */
export function rootProblem(schema: JsonSchema): string | undefined {
  if (schema.type === 'object') return undefined;
  if (isFieldSpecLike(schema)) return 'This looks like a field spec, which goes under "input".';
  return 'The schema of an input must describe an object: "type": "object" at its root.';
}
