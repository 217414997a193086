import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { describePlainFault, plainData } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { CheckResult, CompiledSchema, SchemaSide } from './compiled-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';
import { SchemaError } from './schema-error.js';
import { formatPathName, type SchemaIssue, toPointer } from './schema-issue.js';

/** The part of https://standardschema.dev that AgentTools uses. */
export interface StandardSchema {
  readonly '~standard': {
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: Record<SchemaSide, (options: { target: string }) => unknown>;
  };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const holder: unique symbol = Symbol('live schema');

/**
 * Wraps a Standard Schema in an opaque object, so that library code runs only if the value is used as a
 * schema.
 */
export function wrapSchema(schema: StandardSchema): object {
  return { [holder]: schema };
}

/** Returns the Standard Schema of a wrapper; any other value unchanged. */
export function unwrapSchema(value: unknown): unknown {
  return isRecord(value) && Object.hasOwn(value, holder)
    ? (value as { readonly [holder]?: unknown })[holder]
    : value;
}

/** True for a Standard Schema: an object or, with some libraries, a function. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return isRecord(standard) && typeof standard.validate === 'function';
}

/** Compiles a Standard Schema. Its own library checks the values. */
export async function compileStandard(
  schema: StandardSchema,
  side: SchemaSide,
  resolveFrom: string | undefined,
): Promise<CompiledSchema> {
  return {
    form: 'standard',
    wire: await standardWire(schema, side, resolveFrom),
    async check(value) {
      return readResult(await schema['~standard'].validate(value));
    },
  };
}

/** Returns the JSON Schema of one side. @throws SchemaError if the library cannot provide it */
export async function standardWire(
  schema: StandardSchema,
  side: SchemaSide,
  resolveFrom: string | undefined,
): Promise<JsonSchema> {
  const writer = schema['~standard'].jsonSchema ?? (await findWriter(schema, resolveFrom));
  return convertStandardSchema(writer, side, schema);
}

/** As {@link standardWire}; undefined if the schema does not convert itself. @throws SchemaError */
export function exportedWire(schema: StandardSchema, side: SchemaSide): JsonSchema | undefined {
  const writer = schema['~standard'].jsonSchema;
  return writer && convertStandardSchema(writer, side, schema);
}

function convertStandardSchema(
  writer: JsonSchemaWriter,
  side: SchemaSide,
  schema: StandardSchema,
): JsonSchema {
  const { vendor } = schema['~standard'];
  const wire = exportStandardSchema(writer, side, vendor);
  const { value, faults } = plainData(wire);
  if (faults[0]) {
    throw new SchemaError(
      `The JSON Schema of the ${vendor} schema is unusable: ${describePlainFault(faults[0])}.`,
    );
  }
  if (isRecord(value)) return withRootType(value);
  throw new SchemaError(
    `The ${vendor} schema gives no JSON Schema object for its ${side}. Give ${side}Schema.`,
  );
}

/**
 * Adds `type: object` to a union of objects. MCP requires the type at the root, but libraries set it on each
 * member only.
 */
function withRootType(wire: JsonSchema): JsonSchema {
  const known = new Map<object, boolean>();
  const isOfObjects = (schema: unknown): boolean => {
    if (!isRecord(schema)) return false;
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, false);
    const { type, $ref, anyOf, oneOf, allOf } = schema;
    const choices = [anyOf, oneOf].filter((list) => Array.isArray(list));
    const isOne =
      type === 'object' ||
      (typeof $ref === 'string' && isOfObjects(resolveLocalReference($ref, wire))) ||
      choices.some((list) => list.length > 0 && list.every(isOfObjects)) ||
      (Array.isArray(allOf) && allOf.some(isOfObjects));
    known.set(schema, isOne);
    return isOne;
  };
  return wire.type === undefined && isOfObjects(wire) ? { ...wire, type: 'object' } : wire;
}

type JsonSchemaWriter = NonNullable<StandardSchema['~standard']['jsonSchema']>;

function exportStandardSchema(writer: JsonSchemaWriter, side: SchemaSide, vendor: string): unknown {
  try {
    return writer[side]({ target: 'draft-2020-12' });
  } catch (error) {
    const reason = errorMessage(error).replace(/\.?$/, '.');
    throw new SchemaError(
      `The ${vendor} schema cannot be written as JSON Schema: ${reason} Give ${side}Schema, or fix the schema.`,
      [],
      { cause: error },
    );
  }
}

/** Libraries that convert to JSON Schema in a second package. The author must install it. */
const writerPackages: Readonly<Record<string, { name: string; export: string }>> = {
  valibot: { name: '@valibot/to-json-schema', export: 'toStandardJsonSchema' },
};

async function findWriter(
  schema: StandardSchema,
  resolveFrom: string | undefined,
): Promise<JsonSchemaWriter> {
  const { vendor } = schema['~standard'];
  const source = Object.hasOwn(writerPackages, vendor) ? writerPackages[vendor] : undefined;
  if (!source)
    throw new SchemaError(
      `The ${vendor} schema provides no JSON Schema. Export a Standard JSON Schema, or give inputSchema or outputSchema.`,
    );

  const load = await importFrom(source.name, resolveFrom);
  const convert = load?.[source.export];
  if (typeof convert !== 'function')
    throw new SchemaError(
      `A ${vendor} schema needs ${source.name} to provide its JSON Schema. Run: npm install ${source.name}, or give inputSchema or outputSchema.`,
    );
  return callWriter(() => convert(schema), vendor);
}

function callWriter(convert: () => StandardSchema, vendor: string): JsonSchemaWriter {
  try {
    const writer = convert()['~standard'].jsonSchema;
    if (writer) return writer;
  } catch (error) {
    throw new SchemaError(
      `The ${vendor} schema cannot be written as JSON Schema: ${errorMessage(error)}`,
      [],
      {
        cause: error,
      },
    );
  }
  throw new SchemaError(`The ${vendor} schema provides no JSON Schema. Give inputSchema or outputSchema.`);
}

async function importFrom(
  name: string,
  resolveFrom: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (resolveFrom === undefined) return undefined;
  try {
    return await import(pathToFileURL(createRequire(resolveFrom).resolve(name)).href);
  } catch {
    return undefined;
  }
}

function readResult(result: StandardResult): CheckResult {
  if (!result.issues) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(readIssue) };
}

function readIssue({ path = [], message }: StandardIssue): SchemaIssue {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  const isNamed = keys.length === 0 || message.includes(String(keys.at(-1)));
  return { path: toPointer(keys), message: isNamed ? message : `${formatPathName(keys, 'It')}: ${message}` };
}
