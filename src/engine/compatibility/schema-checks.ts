import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, isString } from '../base/value-checks.js';
import { collectDeclared } from '../schema/declared-properties.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { fromPointer } from '../schema/schema-issue.js';
import { type Subschema, walkSchema } from '../schema/walk-schema.js';
import { refuses } from './client-limits.js';
import type { CompatibilityFinding } from './compatibility-finding.js';

const unions = ['oneOf', 'anyOf', 'allOf'] as const;

/** Keywords that replace a type. */
const typing = ['type', '$ref', 'enum', 'const', ...unions, 'not', 'if', 'properties', 'items'] as const;

/** Keywords that Codex and VS Code delete. A description can repeat them. */
export const constraints = [
  ...['pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'default'],
] as const;

/** Keywords that Codex deletes before it measures a schema. @see openai/codex, codex-rs/tools/src/json_schema.rs */
const unmeasured = new Set<string>([
  ...['$schema', '$id', 'title', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'nullable'],
  ...['propertyNames', 'not', '$comment', 'uniqueItems', 'contentEncoding', 'contentMediaType'],
  ...constraints,
]);

/** Checks an input schema for forms that clients refuse, drop or change. Paths begin with `inputSchema`. */
export function* checkInputSchema(schema: JsonSchema): Generator<CompatibilityFinding> {
  const parts = [...walkSchema(schema)];
  yield* checkRoot(schema, parts);
  for (const part of parts)
    for (const finding of checkPart(part))
      yield { ...finding, path: ['inputSchema', ...part.path, ...finding.path] };
}

function* checkRoot(schema: JsonSchema, parts: readonly Subschema[]): Generator<CompatibilityFinding> {
  const path = ['inputSchema'];
  const union = [...unions, 'not', 'if'].find((keyword) => schema[keyword] !== undefined);
  if (union !== undefined)
    yield {
      code: 'compat/root-union',
      problem: `The input schema has "${union}" at its root`,
      remedy: 'Use one object with optional properties, and a property with "enum" that chooses the variant.',
      path: [...path, union],
    };
  // Few clients have limits of bytes, and the measurement is slow.
  let measured: number | undefined;
  const bytes = (): number => (measured ??= measureSchema(schema));
  yield {
    code: 'compat/schema-size',
    get problem() {
      return `The input schema has ${format(bytes())} bytes`;
    },
    remedy: 'Split the tool, or move details into the description of the tool.',
    path,
    get measured() {
      return bytes();
    },
  };
  const depth = objectDepth(parts);
  yield {
    code: 'compat/schema-depth',
    get problem() {
      return `The input schema has ${depth} levels of objects and ${format(bytes())} bytes`;
    },
    remedy: 'Make the schema flatter or smaller.',
    path,
    measured: depth,
    concerns: ({ scope }) => bytes() > Number(scope?.above ?? 0),
  };
}

type PartFinding = CompatibilityFinding;

function* checkPart({ schema, path }: Subschema): Generator<PartFinding> {
  yield* checkKeys(schema, path);
  yield* checkRequired(schema, path);
  yield* checkReferences(schema, path);
  yield* checkArrays(schema);
  yield* checkTypes(schema, path);
  yield* checkValues(schema);
  yield* checkPatterns(schema);
}

function* checkKeys(schema: JsonSchema, at: DocumentPath): Generator<PartFinding> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(properties)) {
    const path = ['properties', name];
    yield {
      code: 'compat/param-name-charset',
      problem: `The parameter has the name ${JSON.stringify(name)}`,
      remedy: 'Use letters, digits and _ in its name, and not the name "items".',
      path,
      concerns: ({ scope }) =>
        !patternOf(String(scope?.pattern)).test(name) && !(scope?.of === 'parameter' && at.length > 0),
    };
    if (typeof value === 'boolean')
      yield {
        code: 'compat/tool-list-rejected',
        problem: `The parameter "${name}" has the schema ${value}`,
        remedy: value ? 'Use {} instead.' : 'Leave the parameter out.',
        path,
        concerns: refuses('boolean'),
      };
    if (isRecord(value) && isString(value.description) && value.description.length > 0)
      yield {
        code: 'compat/description-length',
        problem: `The description of the parameter "${name}" has ${format(value.description.length)} characters`,
        remedy: 'Write the most important part into the first sentence.',
        path: [...path, 'description'],
        measured: value.description.length,
        concerns: ({ scope }) => scope?.of === 'parameter',
      };
  }
}

const patterns = new Map<string, RegExp>();

/** Each pattern is compiled once. */
export function patternOf(text: string): RegExp {
  const pattern = patterns.get(text) ?? new RegExp(text);
  patterns.set(text, pattern);
  return pattern;
}

/** Keywords with parts of one schema. One part can require properties of another. */
const shared: readonly unknown[] = [
  ...unions,
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
];

function* checkRequired(schema: JsonSchema, path: DocumentPath): Generator<PartFinding> {
  const { required, additionalProperties } = schema;
  if (!Array.isArray(required) || isRecord(additionalProperties)) return;
  if (path.slice(-2).some((key) => shared.includes(key))) return;
  const { properties, patterns, limitsNames, reference } = collectDeclared(schema);
  if (properties.size === 0 || patterns.length > 0 || limitsNames || reference !== undefined) return;
  const unknown = required.find((name) => isString(name) && !properties.has(name));
  if (unknown !== undefined)
    yield {
      code: 'compat/required-unknown',
      problem: `The schema requires "${unknown}", which it does not declare`,
      remedy: 'Declare it, or leave it out.',
      path: ['required'],
    };
}

/** A name of a parameter that all APIs accept. */
export function plainParameterName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 64);
  if (plain === 'items') return 'items_';
  return /^[A-Za-z_]/.test(plain) ? plain : `p_${plain}`.slice(0, 64);
}

function* checkReferences(schema: JsonSchema, path: DocumentPath): Generator<PartFinding> {
  const { $ref: reference } = schema;
  if (isString(reference))
    yield {
      code: 'compat/schema-ref',
      problem: `The schema refers to "${reference}"`,
      remedy: 'Write the schema in its place.',
      path: ['$ref'],
    };
  const union = unions.find((keyword) => schema[keyword] !== undefined);
  if (union !== undefined && path.length > 0)
    yield {
      code: 'compat/nested-union',
      problem: `The schema has "${union}"`,
      remedy: 'Use separate optional parameters.',
      path: [union],
    };
}

function* checkArrays(schema: JsonSchema): Generator<PartFinding> {
  const tuple = Array.isArray(schema.items)
    ? 'items'
    : schema.prefixItems === undefined
      ? undefined
      : 'prefixItems';
  if (tuple !== undefined)
    yield {
      code: 'compat/schema-tuple',
      problem: `The array has one schema for each position ("${tuple}")`,
      remedy: 'Use an object with named properties.',
      path: [tuple],
      concerns: ({ scope }) => scope?.keyword === tuple,
    };
  else if (hasType(schema, 'array') && schema.items === undefined)
    yield {
      code: 'compat/array-without-items',
      problem: 'The array has no "items"',
      remedy: 'Give the type of its elements, or "items": {}.',
      path: [],
    };
}

function* checkTypes(schema: JsonSchema, path: DocumentPath): Generator<PartFinding> {
  const isParameter = path.at(-2) === 'properties';
  if (isParameter && !typing.some((keyword) => schema[keyword] !== undefined))
    yield {
      code: 'compat/untyped-property',
      problem: `The parameter "${path.at(-1)}" has no type`,
      remedy: 'Give it a type.',
      path: [],
    };
  if (Array.isArray(schema.type))
    yield {
      code: 'compat/type-array',
      problem: `The schema has several types (${schema.type.join(', ')})`,
      remedy: 'Give one type, and make the parameter optional instead of nullable.',
      path: ['type'],
    };
}

function* checkValues(schema: JsonSchema): Generator<PartFinding> {
  const values = schema.const === undefined ? listOf(schema.enum) : [schema.const];
  if (values.some((value) => !isString(value)))
    yield {
      code: 'compat/enum-non-string',
      problem: `The schema allows values that are not strings (${values
        .map((value) => JSON.stringify(value))
        .join(', ')
        .slice(0, 60)})`,
      remedy: 'Use strings, and convert them in the handler.',
      path: [schema.const === undefined ? 'enum' : 'const'],
    };
  for (const key of ['default', 'enum', 'examples', 'const'])
    if (schema[key] === null || listOf(schema[key]).includes(null))
      yield {
        code: 'compat/null-in-schema',
        problem: `The schema has null in "${key}"`,
        remedy: 'Leave it out, and make the parameter optional.',
        path: [key],
      };
  const text = isString(schema.description) ? schema.description : '';
  const lost = constraints.filter(
    (key) => schema[key] !== undefined && !isPlain(key, schema[key]) && !mentions(text, schema[key]),
  );
  if (lost.length > 0)
    yield {
      code: 'compat/keyword-lost',
      problem: `The description does not repeat ${lost.map((key) => `"${key}"`).join(', ')}`,
      remedy: 'Add the values.',
      path: [lost[0]!],
    };
}

/** Parts of regular expressions that some engines do not have, by the form in the table of limits. */
const patternForms: readonly (readonly [
  form: string,
  problem: string,
  found: (pattern: string) => boolean,
])[] = [
  ['look-around', 'looks around or back', (pattern) => /\(\?<?[=!]|\\[1-9]|\\k</.test(pattern)],
  ['classes', 'has named groups or classes such as \\d', (pattern) => /\(\?<\w|\\[dDwWsSpPbB]/.test(pattern)],
  ['anchors', 'does not begin with ^ and end with $', (pattern) => !/^\^.*\$$/s.test(pattern)],
];

/** One finding for each form, since clients differ in the forms that they read. */
function* checkPatterns({ pattern }: JsonSchema): Generator<PartFinding> {
  if (!isString(pattern)) return;
  for (const [form, problem, found] of patternForms)
    if (found(pattern))
      yield {
        code: 'compat/pattern-dialect',
        problem: `The pattern ${JSON.stringify(pattern).slice(0, 60)} ${problem}`,
        remedy:
          'Use anchors and plain character classes, such as "^[A-Za-z0-9_]+$", and check the rest in the handler.',
        path: ['pattern'],
        concerns: ({ scope }) => scope?.form === form,
      };
}

const leastCounts = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems']);

/** True for values that generators of schemas write, and that models assume without words. */
function isPlain(key: string, value: unknown): boolean {
  if (key === 'default')
    return value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
  if (key === 'format') return /^u?int\d+$|^float$|^double$/.test(String(value));
  if (typeof value !== 'number') return false;
  return Math.abs(value) >= Number.MAX_SAFE_INTEGER || (leastCounts.has(key) && (value === 0 || value === 1));
}

/** True if a text contains a value. */
export function mentions(text: string, value: unknown): boolean {
  return text.includes(isString(value) ? value : JSON.stringify(value));
}

function hasType({ type }: JsonSchema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Size of a schema in bytes, as Codex measures it: compact JSON without keywords that it deletes, and without definitions that no
 * reference leads to.
 */
export function measureSchema(schema: JsonSchema): number {
  return Buffer.byteLength(JSON.stringify(withoutUnreached(withoutUnmeasured(schema))) ?? '');
}

/** Removes the definitions at the root that the other parts do not need. */
function withoutUnreached(schema: unknown): unknown {
  if (!isRecord(schema) || (schema.$defs === undefined && schema.definitions === undefined)) return schema;
  const { $defs, definitions, ...rest } = schema;
  const reached = { $defs: new Set<string>(), definitions: new Set<string>() };
  const follow = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { $ref: reference, ...beside } = part as JsonSchema;
    if (isString(reference) && reference.startsWith('#/')) {
      const [key, name] = fromPointer(reference.slice(1));
      const names = key === '$defs' || key === 'definitions' ? reached[key] : undefined;
      if (name !== undefined && names && !names.has(name)) {
        names.add(name);
        follow((schema[key as string] as JsonSchema | undefined)?.[name]);
      }
    }
    for (const child of Object.values(beside)) follow(child);
  };
  follow(rest);
  const kept = (all: unknown, names: ReadonlySet<string>) =>
    isRecord(all) ? Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name))) : {};
  return {
    ...rest,
    ...(reached.$defs.size > 0 && { $defs: kept($defs, reached.$defs) }),
    ...(reached.definitions.size > 0 && { definitions: kept(definitions, reached.definitions) }),
  };
}

function withoutUnmeasured(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (!unmeasured.has(key)) kept[key] = measuredPart(key, schema[key]);
  return kept;
}

const listsOfSchemas = new Set<string>([...unions, 'prefixItems', 'items']);
const mapsOfSchemas = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const holdsSchema = new Set(['items', 'additionalProperties', 'if', 'then', 'else']);

function measuredPart(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return listsOfSchemas.has(key) ? value.map(withoutUnmeasured) : value;
  if (!isRecord(value)) return value;
  if (mapsOfSchemas.has(key))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutUnmeasured(one)]));
  return holdsSchema.has(key) ? withoutUnmeasured(value) : value;
}

/** Levels of nested objects, the root included. */
function objectDepth(parts: readonly Subschema[]): number {
  let depth = 0;
  for (const { path, schema: part } of parts) {
    if (!isRecord(part.properties)) continue;
    depth = Math.max(depth, 1 + path.filter((key, index) => key === 'properties' && index % 2 === 0).length);
  }
  return depth;
}

/** Most numbers are small, and the conversion by locale is slow. */
function format(count: number): string {
  return count < 1000 ? String(count) : count.toLocaleString('en-US');
}
