import { isRecord } from './compiled.js';
import type { JsonSchema } from './json-schema.js';
import { targetOf } from './leads.js';

/** The values that an argument may have, where its schema lists them. */
export interface Choices {
  readonly values: readonly unknown[];
  /** In how many lists within each other they stand: 1 for a list of choices. */
  readonly depth: number;
}

/** The values that a schema lists, itself or for the items of a list; undefined if it lists none. */
export function choicesOf(schema: unknown, root: JsonSchema): Choices | undefined {
  return findChoices(schema, root, deepestChoice);
}

/** How many references and parts lead to a list of values at most. */
const deepestChoice = 16;

function findChoices(schema: unknown, root: JsonSchema, left: number): Choices | undefined {
  if (!isRecord(schema) || left === 0) return undefined;
  const { enum: values, $ref, allOf, anyOf, oneOf, items } = schema;
  if (Array.isArray(values)) return { values, depth: 0 };
  if (Object.hasOwn(schema, 'const')) return { values: [schema.const], depth: 0 };
  if (schema.type === 'null') return { values: [null], depth: 0 };
  const find = (one: unknown) => findChoices(one, root, left - 1);
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) return joined(branches.map(find));
  }
  const parts = [...(Array.isArray(allOf) ? allOf : []), typeof $ref === 'string' && targetOf($ref, root)];
  for (const part of parts) {
    const found = find(part);
    if (found) return found;
  }
  const ofItems = find(items);
  return ofItems && { values: ofItems.values, depth: ofItems.depth + 1 };
}

/** The values of all branches, if each of them lists its own. */
function joined(branches: readonly (Choices | undefined)[]): Choices | undefined {
  if (!branches.every((one) => one?.depth === 0)) return undefined;
  return { values: branches.flatMap((one) => one!.values), depth: 0 };
}

/** A schema that takes only some of the values it lists. */
export function narrowed(schema: JsonSchema, values: readonly unknown[], depth: number): JsonSchema {
  if (depth === 0) return { ...schema, enum: values };
  const { items } = schema;
  return { ...schema, items: narrowed(isRecord(items) ? items : {}, values, depth - 1) };
}
