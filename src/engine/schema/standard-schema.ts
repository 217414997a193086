import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { restoreBuiltIns } from '../base/code-boundary.js';
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

/**
 * Reason that a schema of zod before 3.24, which is no Standard Schema, cannot be used; undefined for any other value.
 */
export function oldZodFault(value: object): string | undefined {
  const own: unknown = Object.getOwnPropertyDescriptor(value, '_def')?.value;
  const isZod = isRecord(own) && /^Zod[A-Z]/.test(String(own.typeName)) && !isStandardSchema(value);
  return isZod
    ? 'a schema of zod 3.23 or older. Use zod 4, or import "zod/v4" (zod 3.25 or later)'
    : undefined;
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
      const result = await schema['~standard'].validate(value);
      restoreBuiltIns();
      return readResult(result);
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

/** A package that converts schemas of a library to JSON Schema. It is looked up from the author's file. */
interface Converter {
  readonly name: string;
  readonly convert: (
    module: Readonly<Record<string, unknown>>,
    schema: StandardSchema,
  ) => JsonSchemaWriter | undefined | Promise<JsonSchemaWriter | undefined>;
}

const valibotConverter: Converter = {
  name: '@valibot/to-json-schema',
  convert: ({ toStandardJsonSchema }, schema) =>
    callExport<StandardSchema>(toStandardJsonSchema, schema)?.['~standard'].jsonSchema,
};

/** Part of zod since 3.25. Schemas convert themselves since 4.2. */
const zod4Converter: Converter = {
  name: 'zod/v4/core',
  convert: ({ toJSONSchema }, schema) => ({
    input: () => callExport(toJSONSchema, schema, { io: 'input' }),
    output: () => callExport(toJSONSchema, schema, { io: 'output' }),
  }),
};

/** Schemas of zod 3. Authors of AI SDK tools have `ai`, others may have `zod-to-json-schema`. */
const zod3Converters: readonly Converter[] = [
  {
    name: 'zod-to-json-schema',
    convert: ({ zodToJsonSchema }, schema) => ({
      input: () => callExport(zodToJsonSchema, schema, { pipeStrategy: 'input' }),
      output: () => callExport(zodToJsonSchema, schema, { pipeStrategy: 'output' }),
    }),
  },
  {
    name: 'ai',
    convert: async ({ zodSchema }, schema) => {
      const wire: unknown = await callExport<{ readonly jsonSchema: unknown }>(zodSchema, schema)?.jsonSchema;
      return isRecord(wire) ? { input: () => wire, output: () => wire } : undefined;
    },
  },
];

function callExport<T = unknown>(exported: unknown, ...args: unknown[]): T | undefined {
  return typeof exported === 'function' ? Reflect.apply(exported, undefined, args) : undefined;
}

function findConverters(schema: StandardSchema): {
  readonly converters: readonly Converter[];
  readonly advice: string;
} {
  const { vendor } = schema['~standard'];
  if (vendor === 'valibot') {
    const advice = `A valibot schema needs ${valibotConverter.name} to provide its JSON Schema. Run: npm install ${valibotConverter.name}, or give inputSchema or outputSchema.`;
    return { converters: [valibotConverter], advice };
  }
  const advice = `The ${vendor} schema provides no JSON Schema. Export a Standard JSON Schema, or give inputSchema or outputSchema.`;
  if (vendor !== 'zod') return { converters: [], advice };
  if ('_zod' in schema) return { converters: [zod4Converter], advice };
  const wayOut = 'Use zod 4, import "zod/v4" (zod 3.25 or later), or run: npm install zod-to-json-schema';
  return { converters: zod3Converters, advice: `A zod 3 schema provides no JSON Schema. ${wayOut}.` };
}

async function findWriter(
  schema: StandardSchema,
  resolveFrom: string | undefined,
): Promise<JsonSchemaWriter> {
  const { converters, advice } = findConverters(schema);
  for (const { name, convert } of converters) {
    const module = await importFrom(name, resolveFrom);
    if (!module) continue;
    try {
      const writer = await convert(module, schema);
      if (writer) return writer;
    } catch (cause) {
      const { vendor } = schema['~standard'];
      const message = `The ${vendor} schema cannot be written as JSON Schema: ${errorMessage(cause)}`;
      throw new SchemaError(message, [], { cause });
    }
  }
  throw new SchemaError(advice);
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
