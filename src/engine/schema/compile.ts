import { cast } from './cast-plan.js';
import type { CheckResult, CompiledSchema, SchemaSide } from './compiled-schema.js';
import { detectDialect } from './dialects.js';
import { compileFields, toWire } from './field-spec.js';
import type { JsonSchema } from './json-schema.js';
import { findKeywordFault } from './keyword-faults.js';
import { findReferenceFaults } from './references.js';
import { SchemaError } from './schema-error.js';
import { detectSchemaForm } from './schema-form.js';
import { compileStandard } from './standard-schema.js';
import { checkLazily } from './validator.js';
import { walkSchema } from './walk-schema.js';
import { requireWireSchema } from './wire-schema.js';

/** Options for compiling a schema value. */
export interface CompileOptions {
  readonly side: SchemaSide;
  /**
   * True if the value comes from `inputSchema` or `outputSchema`, which accept JSON Schema only. Default:
   * false.
   */
  readonly rawOnly?: boolean;
  /** The author's file. Companion packages of a schema library are resolved from here. */
  readonly resolveFrom?: string;
}

/** Compiles a schema of any form. @throws SchemaError if the value is not a schema */
export async function compileSchema(
  value: unknown,
  { side, rawOnly = false, resolveFrom }: CompileOptions,
): Promise<CompiledSchema> {
  const told = detectSchemaForm(value, { side, rawOnly });
  if (told.form === 'fields') return compileFieldSpec(told.spec, side);
  if (told.form === 'raw') return compileWire('raw', told.schema, side);
  if (told.form === 'described') return compileWire('standard', describedWire(told.described, side), side);

  const compiled = await compileStandard(told.schema, side, resolveFrom);
  const wire = requireWireSchema(compiled.wire, side);
  requireCompilable(wire);
  return { ...compiled, wire };
}

function compileFieldSpec(spec: unknown, side: SchemaSide): CompiledSchema {
  const { wire, plan } = compileFields(spec);
  const checkWire = checkLazily(requireWireSchema(wire, side), side);
  const onValue = async (value: unknown, deliver: (value: unknown) => unknown): Promise<CheckResult> => {
    const result = await checkWire(value);
    return result.ok ? { ok: true, value: deliver(result.value) } : result;
  };

  if (side === 'output')
    return { form: 'fields', wire, check: (value) => onValue(toWire(value, plan), (sent) => sent) };
  return { form: 'fields', wire, check: (value) => onValue(value, (sent) => cast(sent, plan)) };
}

function compileWire(form: 'raw' | 'standard', schema: unknown, side: SchemaSide): CompiledSchema {
  const wire = requireWireSchema(schema, side);
  requireCompilable(wire);
  return { form, wire, check: checkLazily(wire, side) };
}

/** @throws SchemaError if no call could be checked by the schema */
function requireCompilable(schema: JsonSchema): void {
  const dialect = detectDialect(schema);
  if (!dialect) return;
  const subschemas = [...walkSchema(schema)];
  const fault = findKeywordFault(subschemas, dialect);
  if (fault) throw fault;
  for (const { message, path } of findReferenceFaults(subschemas, dialect))
    throw new SchemaError(message, path);
}

function describedWire(described: Readonly<Record<string, unknown>>, side: SchemaSide): unknown {
  const wire = described[side];
  if (wire !== undefined) return wire;
  const { error, vendor } = described;
  throw new SchemaError(
    typeof error === 'string' ? error : `The ${String(vendor)} schema gives no JSON Schema for its ${side}.`,
  );
}
