import { isRecord, type SchemaSide } from './compiled-schema.js';
import { detectDialect, unknownDialect } from './dialects.js';
import { compileFields } from './field-spec.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaError } from './schema-error.js';
import { detectSchemaForm, type SchemaForm } from './schema-form.js';
import { findBoundsFault } from './schema-limits.js';
import { isFieldSpecLike } from './schema-lint.js';
import { writeNow } from './standard-schema.js';

/** Which schema is looked at. */
interface SchemaSlot {
  readonly side: SchemaSide;
  /** It stood under `inputSchema` or `outputSchema`, which take JSON Schema only. */
  readonly rawOnly: boolean;
}

/**
 * Makes sure that a value is a schema, as far as that shows at once: nothing is loaded, and no library is asked.
 * @throws SchemaError if it is none
 */
export function requireSchema(value: unknown, place: SchemaSlot): void {
  const told = detectSchemaForm(value, place);
  if (told.form !== 'standard') toWireSchema(told, place.side);
}

/**
 * What lists show of a schema; undefined for one whose library says it with the help of a second one, which would have
 * to be loaded.
 * @throws SchemaError if it is none
 */
export function wireSchema(value: unknown, place: SchemaSlot): JsonSchema | undefined {
  return toWireSchema(detectSchemaForm(value, place), place.side);
}

function toWireSchema(told: SchemaForm, side: SchemaSide): JsonSchema | undefined {
  if (told.form === 'fields') return requireWireSchema(compileFields(told.spec).wire, side);
  if (told.form === 'raw') return requireWireSchema(told.schema, side);
  const written = told.form === 'standard' ? writeNow(told.schema, side) : told.described[side];
  return written === undefined ? undefined : requireWireSchema(written, side);
}

/** A schema that clients will accept for this side. @throws SchemaError */
export function requireWireSchema(schema: unknown, side: SchemaSide): JsonSchema {
  const fault = findBoundsFault(schema);
  if (fault) throw fault;
  if (!isRecord(schema)) throw new SchemaError('A JSON Schema must be an object.');
  if (!detectDialect(schema)) throw new SchemaError(unknownDialect, ['$schema']);
  const problem = side === 'input' ? rootProblem(schema) : undefined;
  if (problem !== undefined) throw new SchemaError(problem);
  return schema;
}

/** Why a schema cannot be that of an input; undefined if nothing at its root speaks against it. */
export function rootProblem(schema: JsonSchema): string | undefined {
  if (schema.type === 'object') return undefined;
  if (isFieldSpecLike(schema)) return 'This looks like a field spec, which goes under "input".';
  return 'The schema of an input must describe an object: "type": "object" at its root.';
}
