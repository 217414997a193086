import { isRecord } from './compiled-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** The values that an argument may have, where its schema lists them. */
export interface Choices {
  readonly values: readonly unknown[];
  /** In how many lists within each other they stand: 1 for a list of choices. */
  readonly depth: number;
}

/** The values that a schema lists, itself or for the items of a list; undefined if it lists none. */
export function findChoices(schema: unknown, root: JsonSchema): Choices | undefined {
  const known = new Map<object, Choices | undefined>();
  const find = (one: unknown): Choices | undefined => {
    if (!isRecord(one)) return undefined;
    if (known.has(one)) return known.get(one);
    // One that is part of itself lists nothing.
    known.set(one, undefined);
    const found = known.size > maxSchemasRead ? undefined : collectChoices(one, root, find);
    known.set(one, found);
    return found;
  };
  return find(schema);
}

/** How many schemas are looked at for a list of values. */
const maxSchemasRead = 1000;

/** How many values branches may have together. */
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

/** The values of all branches, each once, if each of them lists its own. */
function mergeChoices(branches: readonly (Choices | undefined)[]): Choices | undefined {
  const byText = new Map<string, unknown>();
  for (const branch of branches) {
    if (branch?.depth !== 0) return undefined;
    for (const value of branch.values) byText.set(JSON.stringify(value), value);
    if (byText.size > maxMergedChoices) return undefined;
  }
  return { values: [...byText.values()], depth: 0 };
}

/** A schema that takes only some of the values it lists. */
export function restrictChoices(schema: JsonSchema, values: readonly unknown[], depth: number): JsonSchema {
  if (depth === 0) return { ...schema, enum: values };
  const { items } = schema;
  return { ...schema, items: restrictChoices(isRecord(items) ? items : {}, values, depth - 1) };
}
