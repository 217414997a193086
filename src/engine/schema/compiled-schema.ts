import type { JsonSchema } from './json-schema.js';
import type { SchemaIssue } from './schema-issue.js';

/** Which way values go: arguments to a handler, or its structured result. */
export type SchemaSide = 'input' | 'output';

export type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A schema ready to be listed at once and to check values when the first one comes. */
export interface CompiledSchema {
  readonly form: 'fields' | 'raw' | 'standard';
  /** What `tools/list` shows. */
  readonly wire: JsonSchema;
  /** The value as it is to be delivered, or what is wrong with it. Rejects with a SchemaError if the schema itself is unusable. */
  check(value: unknown): Promise<CheckResult> | CheckResult;
}

/** What a tool without input shows: any arguments, delivered as sent. */
export const noInput: CompiledSchema = {
  form: 'raw',
  wire: { type: 'object', properties: {} },
  check: (value) =>
    isRecord(value)
      ? { ok: true, value }
      : { ok: false, issues: [{ path: '', message: 'The arguments must be object' }] },
};

/** An object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
