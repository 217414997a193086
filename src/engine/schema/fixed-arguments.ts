import { isDeepStrictEqual } from 'node:util';
import { compileSchema } from './compile.js';
import { type CompiledSchema, isRecord, noInput } from './compiled-schema.js';
import { fitsSchema } from './fits-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';
import { type FixedArguments, type FixedValues, fixOnlyValues, PartialSchema } from './partial-schema.js';
import { expandedSize } from './reference-depth.js';
import { SchemaError } from './schema-error.js';
import { fromPointer, type SchemaIssue } from './schema-issue.js';
import { findBoundsFault } from './schema-limits.js';

/**
 * Why arguments cannot be fixed: the tool has none of that name, or none that can be so, or not these together; or what
 * would be left of its schema is more than can be listed.
 */
export type FixedValueFault =
  | { readonly problem: 'unknown'; readonly name: string; readonly known: readonly string[] }
  | { readonly problem: 'unfit'; readonly name: string; readonly issues: readonly SchemaIssue[] }
  | { readonly problem: 'together' }
  | { readonly problem: 'excessive'; readonly reason: string };

/**
 * The schema of the arguments that are left when some are fixed: it takes what the whole one takes together with those.
 * @throws SchemaError if it gets too large, or is nested too deep to be worked out
 */
export function omitFixed(whole: JsonSchema, pinned: FixedValues): JsonSchema {
  // If nothing fits it, that is a fault, and told as one.
  return remainingSchema(whole, fixOnlyValues(pinned)) || whole;
}

/**
 * The schema of what is left to send when some things about arguments are settled; `false` if nothing could be.
 * @throws SchemaError if it gets too large, or is nested too deep to be worked out
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

/** What is wrong with fixing arguments. A tool without a schema takes whatever it is given. */
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

/** How large a schema may be, its references followed, for values to be judged by it while a server starts. */
const maxCheckedSize = 100_000;

/** What a validator says of the fixed values, each for itself. A schema that cannot be used is told of the tool. */
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

/** What a schema says of each property, and what that refers to. */
const ofEach = [
  ...['$schema', '$id', 'type', 'properties', 'patternProperties', 'additionalProperties'],
  ...['$defs', 'definitions'],
];

/** Keywords by which a schema may have properties that it does not list itself. */
const composingKeywords = [
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'],
  ...['dependentSchemas', 'dependencies', 'unevaluatedProperties'],
];

/** Whether all arguments are in the list. An author who does not forbid others does not mean them either. */
function isClosed({ additionalProperties = false, ...rest }: JsonSchema): boolean {
  return additionalProperties === false && !composingKeywords.some((keyword) => Object.hasOwn(rest, keyword));
}

/** References mean what they meant before: what they lead to is kept where it has changed. */
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
