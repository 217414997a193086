import type { ErrorObject } from 'ajv';
import { isRecord } from '../base/value-checks.js';
import type { SchemaSide } from './compiled-schema.js';
import { type Dialect, detectDialect, unknownDialect } from './dialects.js';
import { incomparable } from './explain-errors.js';
import { isPattern } from './field-options.js';
import type { JsonSchema } from './json-schema.js';
import { findBadHeaders } from './mcp-header.js';
import { isPlainSchema } from './plain-schema.js';
import { findReferenceFaults } from './references.js';
import { SchemaError } from './schema-error.js';
import { fromPointer, toPointer, type WireIssue } from './schema-issue.js';
import { findBoundsFault } from './schema-limits.js';
import { compileSafely, createValidator, type Validator } from './validator.js';
import { type Subschema, walkSchema } from './walk-schema.js';
import { rootProblem } from './wire-schema.js';

/**
 * Finds the problems for which a client, or AgentTools' own check, would reject a schema. At most one issue
 * per path.
 */
export async function checkWireSchema(schema: unknown, side: SchemaSide): Promise<readonly WireIssue[]> {
  const fault = findBoundsFault(schema);
  if (fault) return [{ path: fault.path, message: fault.message }];
  if (!isRecord(schema)) return [{ path: [], message: 'A JSON Schema must be an object.' }];

  const dialect = detectDialect(schema);
  if (!dialect) return [{ path: ['$schema'], message: unknownDialect }];

  const subschemas = [...walkSchema(schema)];
  const isPlain = isPlainSchema(schema);
  const issues = [
    ...findBadRoot(schema, side),
    ...findBadPatterns(subschemas),
    ...findReferenceFaults(subschemas, dialect),
    ...(side === 'input' ? findBadHeaders(subschemas) : []),
    ...(isPlain ? [] : await findMetaIssues(schema, dialect)),
  ];
  if (issues.length > 0) return firstAtEachPlace(issues);
  return isPlain ? [] : await tryToCompile(schema, dialect);
}

function* findBadRoot(schema: JsonSchema, side: SchemaSide): Generator<WireIssue> {
  const message = side === 'input' ? rootProblem(schema) : undefined;
  if (message !== undefined) yield { path: schema.type === undefined ? [] : ['type'], message };
}

function* findBadPatterns(subschemas: readonly Subschema[]): Generator<WireIssue> {
  for (const { schema, path } of subschemas) {
    const keyed = isRecord(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    const patterns = [
      ...(typeof schema.pattern === 'string' ? [{ pattern: schema.pattern, at: ['pattern'] }] : []),
      ...keyed.map((pattern) => ({ pattern, at: ['patternProperties', pattern] })),
    ];
    for (const { pattern, at } of patterns) {
      if (isPattern(pattern)) continue;
      const message = `"${pattern}" is not a regular expression of ECMAScript with the "u" flag.`;
      yield { path: [...path, ...at], message };
    }
  }
}

/** Validators that hold only the meta-schemas of a dialect. */
const metaValidators = new Map<Dialect, Promise<Validator>>();

async function findMetaIssues(schema: JsonSchema, dialect: Dialect): Promise<WireIssue[]> {
  const known = metaValidators.get(dialect) ?? createValidator(dialect);
  metaValidators.set(dialect, known);

  const validator = await known;
  // A clone, because Ajv compares objects by methods that objects without prototype lack.
  try {
    validator.validateSchema({ ...structuredClone(schema), $schema: dialect.uri });
  } catch (error) {
    const reason = incomparable(error);
    if (reason === undefined) throw error;
    return [{ path: [], message: `The schema ${reason}.` }];
  }
  const errors = validator.errors ?? [];
  return errors.filter((error) => !isAboutPattern(error)).map((error) => readMetaError(error, schema));
}

/**
 * True if the error is about a pattern. {@link findBadPatterns} checks patterns with the flag that calls use.
 */
function isAboutPattern({ keyword, params }: ErrorObject): boolean {
  return params.format === 'regex' || keyword === 'propertyNames';
}

function readMetaError(
  { instancePath, keyword, params, message }: ErrorObject,
  schema: JsonSchema,
): WireIssue {
  const path = toDocumentPath(fromPointer(instancePath), schema);
  const name = path.length > 0 ? `"${path.at(-1)}"` : 'The schema';
  const words = keyword === 'enum' ? `must be one of: ${params.allowedValues.join(', ')}` : message;
  return { path, message: `${name} ${words}.` };
}

/** Converts list indexes from pointer text to numbers. */
function toDocumentPath(keys: readonly string[], root: unknown): (string | number)[] {
  let value = root;
  return keys.map((key) => {
    const isItem = Array.isArray(value);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
    return isItem ? Number(key) : key;
  });
}

async function tryToCompile(schema: JsonSchema, dialect: Dialect): Promise<WireIssue[]> {
  try {
    compileSafely(await createValidator(dialect), schema);
    return [];
  } catch (error) {
    if (error instanceof SchemaError) return [{ path: error.path, message: error.message }];
    throw error;
  }
}

function firstAtEachPlace(issues: readonly WireIssue[]): WireIssue[] {
  const byPlace = new Map<string, WireIssue>();
  for (const issue of issues) {
    const place = toPointer(issue.path);
    if (!byPlace.has(place)) byPlace.set(place, issue);
  }
  return [...byPlace.values()];
}
