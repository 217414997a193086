import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import type { CheckResult, SchemaSide } from '../engine/schema/compiled-schema.js';
import { detectDialect, unknownDialect } from '../engine/schema/dialects.js';
import type { JsonSchema } from '../engine/schema/json-schema.js';
import { SchemaError } from '../engine/schema/schema-error.js';
import { formatPathName, type SchemaIssue } from '../engine/schema/schema-issue.js';

type SchemaCheck = (value: unknown) => readonly ValueFault[];

/** A place in a value, and what is wrong there. */
interface ValueFault {
  readonly path: string;
  readonly text: string;
}

/**
 * Checks values by a JSON Schema without making code of it, for platforms that run no code but what they were given.
 * Stands for `engine/schema/validator.ts`, which is faster.
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

/** A schema that is looked at, and not only used, says what is wrong with it only by being compiled. */
export function compileSafely(_: unknown, schema: JsonSchema): SchemaCheck {
  return compile(schema);
}

/** The rules of a dialect are not checked here: they were when the definition was validated. */
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

/** The provider joins what is wrong to one text: `#/a/b: what; #/c: what`. */
function splitValidationMessage(message: string): ValueFault[] {
  return message.split(/; (?=#)/).map((part) => {
    const end = part.indexOf(': ');
    return { path: part.slice(1, end), text: part.slice(end + 2) };
  });
}

/** What holds something wrong is not wrong by itself: what is told is what is wrong deepest down. */
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
