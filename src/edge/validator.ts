import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import type { CheckResult, SchemaSide } from '../engine/schema/compiled-schema.js';
import { detectDialect, unknownDialect } from '../engine/schema/dialects.js';
import type { JsonSchema } from '../engine/schema/json-schema.js';
import { SchemaError } from '../engine/schema/schema-error.js';
import { formatPathName, type SchemaIssue } from '../engine/schema/schema-issue.js';

type SchemaCheck = (value: unknown) => readonly ValueFault[];

/** A location in a value, and the fault there. */
interface ValueFault {
  readonly path: string;
  readonly text: string;
}

/**
 * Checks values by a JSON Schema without generating code, for platforms that forbid it. Replaces
 * `engine/schema/validator.ts`, which is faster.
 */
export function checkLazily(schema: JsonSchema, side: SchemaSide): (value: unknown) => Promise<CheckResult> {
  let check: SchemaCheck | undefined;
  const whole = side === 'input' ? 'The arguments' : 'The result';
  return async (value) => {
    check ??= compile(schema);
    const faults = check(value);
    return faults.length === 0 ? { ok: true, value } : { ok: false, issues: deepestIssues(faults, whole) };
  };
}

/** Compiles the schema for callers that need its errors, not a check. */
export function compileSafely(_: unknown, schema: JsonSchema): SchemaCheck {
  return compile(schema);
}

/** Does not check the rules of a dialect: validation of the definition did. */
export async function createValidator(): Promise<{
  readonly errors: readonly never[];
  validateSchema(): boolean;
}> {
  return { errors: [], validateSchema: () => true };
}

function compile(schema: JsonSchema): SchemaCheck {
  if (!detectDialect(schema)) throw new SchemaError(unknownDialect, ['$schema']);
  const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(schema as never);
  return (value) => {
    const { valid, errorMessage = '' } = validate(value);
    return valid ? [] : splitValidationMessage(errorMessage);
  };
}

/** The provider joins all faults to one text: `#/a/b: fault; #/c: fault`. */
function splitValidationMessage(message: string): ValueFault[] {
  return message.split(/; (?=#)/).map((part) => {
    const end = part.indexOf(': ');
    return { path: part.slice(1, end), text: part.slice(end + 2) };
  });
}

/** Keeps the deepest faults: a value is only faulty through the values that it holds. */
function deepestIssues(faults: readonly ValueFault[], whole: string): SchemaIssue[] {
  const own = faults.filter(
    ({ path, text }) =>
      !/^(Property|Items?|A subschema|Additional property) .*(match|does not|had errors)/.test(text) ||
      !faults.some((other) => other.path.startsWith(`${path}/`)),
  );
  const told = own.length > 0 ? own : faults;
  return told.map(({ path, text }) => {
    const keys = path.split('/').slice(1);
    return { path, message: `${formatPathName(keys, whole)}: ${text}` };
  });
}
