import { isRecord } from './compiled-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';

/** How many schemas may stand within each other when references are followed: more than any stack takes. */
export const maxFollowedDepth = 400;

/**
 * How many values a schema holds when every reference in it stands for what it leads to, and so how much work a
 * validator may have with it; infinite if it gets too deep. What leads back to where it comes from is counted once.
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
