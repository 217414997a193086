import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/value-checks.js';
import { compileSchema } from './compile.js';
import { type CompiledSchema, noInput } from './compiled-schema.js';
import { fitsSchema } from './fits-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';
import { type FixedArguments, type FixedValues, fixOnlyValues, PartialSchema } from './partial-schema.js';
import { expandedSize } from './reference-depth.js';
import { SchemaError } from './schema-error.js';
import { fromPointer, type SchemaIssue } from './schema-issue.js';
import { findBoundsFault } from './schema-limits.js';

/**
 * Reason that arguments cannot be fixed: the name is unknown, the value does not fit, the values do not fit
 * together, or the remaining schema is too large to list.
 */
export type FixedValueFault =
  | { readonly problem: 'unknown'; readonly name: string; readonly known: readonly string[] }
  | { readonly problem: 'unfit'; readonly name: string; readonly issues: readonly SchemaIssue[] }
  | { readonly problem: 'together' }
  | { readonly problem: 'excessive'; readonly reason: string };

/**
 * Returns the schema of the remaining arguments. It accepts the values that the whole schema accepts together
 * with the pinned ones.
 * @throws SchemaError if the result is too large or nested too deep
 */
export function omitFixed(whole: JsonSchema, pinned: FixedValues): JsonSchema {
  // If no value fits, {@link findPinFaults} reports it.
  return remainingSchema(whole, fixOnlyValues(pinned)) || whole;
}

/**
 * Returns the schema of the arguments that clients still send; `false` if no value fits.
 * @throws SchemaError if the result is too large or nested too deep
 */
export function remainingSchema(whole: JsonSchema, settled: FixedArguments): JsonSchema | false {
  const rest = new PartialSchema(whole, settled).rest();
  if (!isRecord(rest)) return false;
  const left = { ...rest, properties: isRecord(rest.properties) ? rest.properties : {} };
  const schema = withFormerTargets(left, whole);
  const fault = findBoundsFault(schema);
  if (fault) throw fault;
  return schema;
}

/** Checks fixed arguments. A tool without a schema accepts any. */
export async function findPinFaults(
  input: CompiledSchema,
  pinned: FixedValues,
): Promise<readonly FixedValueFault[]> {
  if (input === noInput) return [];
  const { wire } = input;
  const properties = isRecord(wire.properties) ? wire.properties : {};
  const known = Object.keys(properties);
  const unknown = isClosed(wire) ? Object.keys(pinned).filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0) return unknown.map((name) => ({ problem: 'unknown', name, known }));
  const isPlain = Object.entries(pinned).every(([name, value]) => {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : wire.additionalProperties;
    return fitsSchema(value, wanted) === true;
  });
  const rest = restOrFault(wire, pinned);
  if (rest instanceof SchemaError) return [{ problem: 'excessive', reason: rest.message }];
  const isTaken = rest !== false;
  if (isPlain && isTaken) return [];
  const unfit = await unfitArguments(wire, pinned);
  if (unfit.length > 0 || isTaken) return unfit;
  return [{ problem: 'together' }];
}

function restOrFault(
  wire: JsonSchema,
  pinned: FixedValues,
): ReturnType<typeof remainingSchema> | SchemaError {
  try {
    return remainingSchema(wire, fixOnlyValues(pinned));
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
}

/** Largest schema, in values with references expanded, that checks fixed values while a server starts. */
const maxCheckedSize = 100_000;

/**
 * Checks each fixed value with a validator. Returns no faults for an unusable schema, which is reported for
 * the tool.
 */
async function unfitArguments(wire: JsonSchema, pinned: FixedValues): Promise<readonly FixedValueFault[]> {
  const alone = Object.fromEntries(Object.entries(wire).filter(([keyword]) => ofEach.includes(keyword)));
  if (expandedSize(alone) > maxCheckedSize) return [];
  const checked = await compileSchema(alone, { side: 'input', rawOnly: true })
    .then((schema) => schema.check(pinned))
    .catch(() => undefined);
  const issues = checked && !checked.ok ? checked.issues : [];
  return Object.keys(pinned).flatMap((name): readonly FixedValueFault[] => {
    const own = issues.filter(({ path }) => fromPointer(path)[0] === name);
    return own.length > 0 ? [{ problem: 'unfit', name, issues: own }] : [];
  });
}

/** Keywords that describe single properties, and the definitions that these refer to. */
const ofEach = [
  ...['$schema', '$id', 'type', 'properties', 'patternProperties', 'additionalProperties'],
  ...['$defs', 'definitions'],
];

/** Keywords that allow properties that the schema does not list itself. */
const composingKeywords = [
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'],
  ...['dependentSchemas', 'dependencies', 'unevaluatedProperties'],
];

/** True if the schema lists all arguments. A missing `additionalProperties` counts as `false`. */
function isClosed({ additionalProperties = false, ...rest }: JsonSchema): boolean {
  return additionalProperties === false && !composingKeywords.some((keyword) => Object.hasOwn(rest, keyword));
}

/** Keeps the meaning of references: if a target has changed, its former version is kept under `$defs`. */
function withFormerTargets(left: JsonSchema, whole: JsonSchema): JsonSchema {
  const defs = isRecord(left.$defs) ? left.$defs : {};
  let key = 'whole';
  while (Object.hasOwn(defs, key)) key += '_';
  let isNeeded = false;
  const same = new Map<string, boolean>();
  const isSame = (reference: string): boolean => {
    const known =
      same.get(reference) ??
      isDeepStrictEqual(resolveLocalReference(reference, whole), resolveLocalReference(reference, left));
    same.set(reference, known);
    return known;
  };
  const redirected = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(redirected);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([keyword, held]) => {
      if (keyword !== '$ref' || typeof held !== 'string') return [keyword, redirected(held)];
      if (resolveLocalReference(held, whole) === undefined || isSame(held)) return [keyword, held];
      isNeeded = true;
      return [keyword, `#/$defs/${key}${held.slice(1)}`];
    });
    return Object.fromEntries(entries);
  };
  const schema = redirected(left) as JsonSchema;
  if (!isNeeded) return left;
  const { $schema: _, $id: __, $defs: ___, definitions: ____, ...former } = whole;
  return { ...schema, $defs: { ...(schema.$defs as JsonSchema), [key]: redirected(former) } };
}
