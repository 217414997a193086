import { isRecord } from '../base/value-checks.js';
import type { JsonSchema } from './json-schema.js';
import type { SchemaIssue } from './schema-issue.js';

/** Direction of the values: arguments to a handler, or its structured result. */
export type SchemaSide = 'input' | 'output';

export type CheckResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A schema that is ready for lists. It loads its validator when it checks the first value. */
export interface CompiledSchema {
  readonly form: 'fields' | 'raw' | 'standard';
  /** The schema that `tools/list` shows. */
  readonly wire: JsonSchema;
  /**
   * Returns the value to deliver, or its issues. Rejects with a SchemaError if the schema itself is unusable.
   */
  check(value: unknown): Promise<CheckResult> | CheckResult;
}

/** Schema of a tool without input: accepts any arguments and delivers them unchanged. */
export const noInput: CompiledSchema = {
  form: 'raw',
  wire: { type: 'object', properties: {} },
  check: (value) =>
    isRecord(value)
      ? { ok: true, value }
      : { ok: false, issues: [{ path: '', message: 'The arguments must be object' }] },
};
