export { checkWireSchema } from './check-wire-schema.js';
export { type CompileOptions, compileSchema } from './compile.js';
export { type CheckResult, type CompiledSchema, noInput, type SchemaSide } from './compiled-schema.js';
export { describeSchema } from './describe.js';
export { type FieldWarning, fieldWarnings } from './field-spec.js';
export { type EnumValue, type Field, type FieldSpec, type Fields, fields } from './fields.js';
export type { InferFields, InferInput, InferOutput } from './inferred-types.js';
export { type JsonSchema, jsonSchema, type RawSchema } from './json-schema.js';
export { findHeaderFaults } from './mcp-header.js';
export { translateParameters } from './parameters.js';
export { SchemaError } from './schema-error.js';
export { isSchemaValue, schemaMarks, schemaWarnings, unwrapRawSchema } from './schema-form.js';
export type { WireIssue } from './schema-issue.js';
export { formatIssues, type SchemaIssue } from './schema-issue.js';
export { maxSchemaDepth, maxSchemaLength, maxSchemaValues } from './schema-limits.js';
export {
  isStandardSchema as isLiveSchema,
  oldZodFault,
  type StandardSchema as LiveSchema,
  unwrapSchema,
  wrapSchema,
} from './standard-schema.js';
