import { isRecord } from '../base/value-checks.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** The allowed values of an argument, if its schema lists them. */
export interface Choices {
  readonly values: readonly unknown[];
  /** Number of nested arrays around the values: 0 for a single value, 1 for an array of values. */
  readonly depth: number;
}

/**
 * Returns the values that a schema lists, for itself or for the items of an array; undefined if it lists
 * none.
 */
export function findChoices(schema: unknown, root: JsonSchema): Choices | undefined {
  const known = new Map<object, Choices | undefined>();
  const find = (one: unknown): Choices | undefined => {
    if (!isRecord(one)) return undefined;
    if (known.has(one)) return known.get(one);
    // A schema that contains itself lists nothing.
    known.set(one, undefined);
    const found = known.size > maxSchemasRead ? undefined : collectChoices(one, root, find);
    known.set(one, found);
    return found;
  };
  return find(schema);
}

/** Most schemas searched for a list of values. */
const maxSchemasRead = 1000;

/** Most values that all branches may have together. */
const maxMergedChoices = 10_000;

function collectChoices(
  schema: JsonSchema,
  root: JsonSchema,
  find: (one: unknown) => Choices | undefined,
): Choices | undefined {
  const { enum: values, $ref, allOf, anyOf, oneOf, items } = schema;
  if (Array.isArray(values)) return { values, depth: 0 };
  if (Object.hasOwn(schema, 'const')) return { values: [schema.const], depth: 0 };
  if (schema.type === 'null') return { values: [null], depth: 0 };
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) return mergeChoices(branches.map(find));
  }
  const parts = [
    ...(Array.isArray(allOf) ? allOf : []),
    typeof $ref === 'string' && resolveLocalReference($ref, root),
  ];
  for (const part of parts) {
    const found = find(part);
    if (found) return found;
  }
  const ofItems = find(items);
  return ofItems && { values: ofItems.values, depth: ofItems.depth + 1 };
}

/** Merges the values of all branches without duplicates; undefined if a branch lists none. */
function mergeChoices(branches: readonly (Choices | undefined)[]): Choices | undefined {
  const byText = new Map<string, unknown>();
  for (const branch of branches) {
    if (branch?.depth !== 0) return undefined;
    for (const value of branch.values) byText.set(JSON.stringify(value), value);
    if (byText.size > maxMergedChoices) return undefined;
  }
  return { values: [...byText.values()], depth: 0 };
}

/** Returns the schema with fewer allowed values. */
export function restrictChoices(schema: JsonSchema, values: readonly unknown[], depth: number): JsonSchema {
  if (depth === 0) return { ...schema, enum: values };
  const { items } = schema;
  return { ...schema, items: restrictChoices(isRecord(items) ? items : {}, values, depth - 1) };
}
