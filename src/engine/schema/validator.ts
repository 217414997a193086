import type { AnySchema, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { CheckResult } from './compiled.js';
import { type Dialect, dialectOf, unknownDialect } from './dialects.js';
import { explainErrors } from './explain.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaError } from './schema-error.js';

/** The parts of Ajv that are used, whichever dialect it speaks. */
export interface Validator {
  compile(schema: AnySchema): ValidateFunction;
  validateSchema(schema: AnySchema): boolean | Promise<unknown>;
  errors?: null | ErrorObject[];
}

/** Checks values by a JSON Schema. The validator is loaded and the schema compiled when the first value comes. */
export function checkLazily(schema: JsonSchema): (value: unknown) => Promise<CheckResult> {
  let compiled: Promise<ValidateFunction> | undefined;
  return async (value) => {
    compiled ??= compileOnce(schema);
    return runCheck(await compiled, value);
  };
}

function runCheck(validate: ValidateFunction, value: unknown): CheckResult {
  try {
    if (validate(value)) return { ok: true, value };
    return { ok: false, issues: explainErrors(validate.errors ?? []) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, issues: [{ path: '', message: 'The arguments are nested too deep' }] };
  }
}

/** Each schema has a validator of its own, so that equal `$id`s of two packages never meet. */
async function compileOnce(schema: JsonSchema): Promise<ValidateFunction> {
  const dialect = dialectOf(schema);
  if (!dialect) throw new SchemaError(unknownDialect, ['$schema']);

  const validator = await createValidator(dialect);
  return compileSafely(validator, schema);
}

/** Compiles a schema, or says why it cannot be: a SchemaError in every case. */
export function compileSafely(validator: Validator, schema: JsonSchema): ValidateFunction {
  try {
    // `$async` is Ajv's own and would turn answers into promises.
    const { $async: _, ...plain } = schema;
    return validator.compile(plain);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaError(`The schema cannot be compiled: ${reason}.`, [], { cause: error });
  }
}

export async function createValidator({ id }: Dialect): Promise<Validator> {
  const [create, { default: addFormats }] = await Promise.all([loaders[id](), import('ajv-formats')]);
  const validator = create(options);
  (addFormats as unknown as (ajv: unknown) => void)(validator);
  return validator;
}

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  // Own properties only: a field named "constructor" is not there because every object has one.
  ownProperties: true,
  validateFormats: true,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  code: { regExp: Object.assign(toRegExp, { code: 'RegExp' }) },
};

/** A pattern that is legal only without the `u` flag still works; validating its schema reports it. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace('u', ''));
  }
}

type Create = (options: Options) => Validator;

const loaders: Readonly<Record<Dialect['id'], () => Promise<Create>>> = {
  'draft-2020-12': async () => {
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    return (given) => new Ajv2020(given);
  },
  'draft-2019-09': async () => {
    const { Ajv2019 } = await import('ajv/dist/2019.js');
    return (given) => new Ajv2019(given);
  },
  'draft-07': async () => {
    const { Ajv } = await import('ajv');
    return (given) => new Ajv(given);
  },
  'draft-06': async () => {
    const [{ Ajv }, { default: draft06 }] = await Promise.all([
      import('ajv'),
      import('ajv/dist/refs/json-schema-draft-06.json', { with: { type: 'json' } }),
    ]);
    return (given) => new Ajv(given).addMetaSchema(draft06);
  },
};
