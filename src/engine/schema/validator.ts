import type { Options, ValidateFunction } from 'ajv';
import type { CheckResult, SchemaSide } from './compiled-schema.js';
import { type Dialect, detectDialect, unknownDialect } from './dialects.js';
import { explainErrors, incomparable } from './explain-errors.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaError } from './schema-error.js';

/** An Ajv instance of any dialect. */
export type Validator = InstanceType<typeof import('ajv/dist/core.js').default>;

/** Checks values by a JSON Schema. Loads the validator and compiles the schema for the first value. */
export function checkLazily(schema: JsonSchema, side: SchemaSide): (value: unknown) => Promise<CheckResult> {
  let compiled: Promise<ValidateFunction> | undefined;
  return async (value) => {
    compiled ??= compileOnce(schema);
    return runCheck(await compiled, value, subjects[side]);
  };
}

/** Names of the whole value in messages. */
const subjects = { input: 'The arguments', output: 'The result' } as const satisfies Record<
  SchemaSide,
  string
>;

function runCheck(validate: ValidateFunction, value: unknown, whole: string): CheckResult {
  try {
    if (validate(value)) return { ok: true, value };
    return { ok: false, issues: explainErrors(validate.errors ?? [], whole) };
  } catch (error) {
    const reason = incomparable(error) ?? (error instanceof RangeError && 'must be nested less deep');
    if (!reason) throw error;
    return { ok: false, issues: [{ path: '', message: `${whole} ${reason}` }] };
  }
}

/** Each schema has its own validator, so that equal `$id`s of two packages never clash. */
async function compileOnce(schema: JsonSchema): Promise<ValidateFunction> {
  const dialect = detectDialect(schema);
  if (!dialect) throw new SchemaError(unknownDialect, ['$schema']);

  const validator = await createValidator(dialect);
  return compileSafely(validator, schema);
}

/** Compiles a schema. @throws SchemaError for any failure */
export function compileSafely(validator: Validator, schema: JsonSchema): ValidateFunction {
  try {
    // `$async` belongs to Ajv and would turn results into promises.
    const { $async: _, ...plain } = schema;
    return validator.compile(plain);
  } catch (error) {
    // Ajv recurses forever if a subschema has an `$id` next to a `$ref` into itself.
    const reason =
      error instanceof RangeError
        ? 'its references never end. If a "$ref" is next to an "$id", drop the "$id" or put the "$ref" under "allOf"'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new SchemaError(`The schema cannot be compiled: ${reason}.`, [], { cause: error });
  }
}

/** Creates a validator that knows only the schemas of its dialect. */
export async function createValidator({ id }: Dialect): Promise<Validator> {
  const [create, { default: formats }] = await Promise.all([loaders[id](), import('ajv-formats')]);
  const validator = create(options);
  formats.default(validator);
  // JSON Schema has no keyword `id` since draft-06, and Ajv throws on it.
  validator.removeKeyword('id');
  return validator;
}

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  // Own properties only: otherwise a field named "constructor" is present in every object.
  ownProperties: true,
  validateFormats: true,
  validateSchema: false,
  logger: false,
  code: { regExp: Object.assign(toRegExp, { code: 'RegExp' }) },
};

/** A pattern that is valid only without the `u` flag still works. `validate` reports it. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace('u', ''));
  }
}

type CreateValidator = (options: Options) => Validator;

/** Only the default export exists both in Node and in a bundle. */
const loaders: Readonly<Record<Dialect['id'], () => Promise<CreateValidator>>> = {
  'draft-2020-12': async () => {
    const { default: ajv } = await import('ajv/dist/2020.js');
    return (given) => new ajv.Ajv2020(given);
  },
  'draft-2019-09': async () => {
    const { default: ajv } = await import('ajv/dist/2019.js');
    return (given) => new ajv.Ajv2019(given);
  },
  'draft-07': async () => {
    const { default: ajv } = await import('ajv');
    return (given) => new ajv.Ajv(given);
  },
  'draft-06': async () => {
    const [{ default: ajv }, { default: draft06 }] = await Promise.all([
      import('ajv'),
      import('ajv/dist/refs/json-schema-draft-06.json', { with: { type: 'json' } }),
    ]);
    return (given) => new ajv.Ajv(given).addMetaSchema(draft06);
  },
};
