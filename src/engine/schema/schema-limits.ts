import { SchemaError } from './schema-error.js';

/** Longest JSON text of a schema, in UTF-16 units. */
export const maxSchemaLength = 1024 * 1024;

/** Greatest nesting depth of a schema. */
export const maxSchemaDepth = 100;

/** Most values in a schema. A shared object counts each time, as it is written each time. */
export const maxSchemaValues = 200_000;

/**
 * Returns the fault of a value that is not JSON, too deep or too large; `undefined` if it can be compiled.
 */
export function findBoundsFault(schema: unknown): SchemaError | undefined {
  const fault = walkBounds(schema, [], { above: new Set(), left: maxSchemaValues });
  if (fault) return fault;

  const { length } = JSON.stringify(schema);
  if (length <= maxSchemaLength) return undefined;
  return new SchemaError(`The schema is ${length} characters long. At most ${maxSchemaLength} are accepted.`);
}

interface BoundsWalk {
  readonly above: Set<object>;
  left: number;
}

function walkBounds(
  value: unknown,
  path: readonly (string | number)[],
  walk: BoundsWalk,
): SchemaError | undefined {
  if (walk.left-- === 0)
    return new SchemaError(`The schema holds more than ${maxSchemaValues} values.`, path.slice(0, 1));
  if (isScalar(value)) return undefined;
  if (typeof value !== 'object' || value === null)
    return new SchemaError(`A schema is JSON; ${describeBoundsValue(value)} is not.`, path);
  if (walk.above.has(value))
    return new SchemaError('The schema contains itself. Use "$ref" for recursion.', path);
  if (path.length >= maxSchemaDepth)
    return new SchemaError(`The schema is nested deeper than ${maxSchemaDepth} levels.`, path);

  walk.above.add(value);
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (child === undefined && !Array.isArray(value)) continue;
    const fault = walkBounds(child, [...path, key], walk);
    if (fault) return fault;
  }
  walk.above.delete(value);
  return undefined;
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function describeBoundsValue(value: unknown): string {
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
