import { isRecord } from '../base/value-checks.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** Greatest nesting depth with references followed. Keeps recursion within the stack. */
export const maxFollowedDepth = 400;

/**
 * Number of values in a schema with every reference expanded, a measure of the validator's work. Infinite if
 * nested deeper than {@link maxFollowedDepth}. A recursive reference counts as one value.
 */
export function expandedSize(schema: JsonSchema): number {
  const known = new Map<object, number>();
  const sizeOf = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 1;
    if (depth > maxFollowedDepth) return Number.POSITIVE_INFINITY;
    const before = known.get(value);
    if (before !== undefined) return before;
    known.set(value, 1);
    let size = 1;
    for (const [key, held] of Object.entries(value)) {
      if (isRecord(held) && ['$defs', 'definitions'].includes(key)) continue;
      const isReference = key === '$ref' && typeof held === 'string';
      size += sizeOf(isReference ? resolveLocalReference(held, schema) : held, depth + 1);
    }
    known.set(value, size);
    return size;
  };
  return sizeOf(schema, 0);
}
