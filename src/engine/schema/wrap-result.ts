import type { JsonSchema } from './json-schema.js';
import { defaultBase, walkSchema } from './walk-schema.js';

/** Pointer to the wrapped value. */
const resultPointer = '#/properties/result';

/**
 * Returns the schema of an object with the original schema under `result`. Adjusts references to the new
 * position. Parts with their own `$id` need no change.
 */
export function wrapResultSchema({ $schema, ...schema }: JsonSchema): JsonSchema {
  const result = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  for (const { schema: part, base } of walkSchema(result)) {
    if (base === defaultBase) redirect(part as Record<string, unknown>);
  }
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result },
    required: ['result'],
  };
}

function redirect(part: Record<string, unknown>): void {
  const { $recursiveRef, allOf } = part;
  // It refers to the root of the document, which is now the wrapper.
  if ($recursiveRef === '#') {
    Reflect.deleteProperty(part, '$recursiveRef');
    part.allOf = [...(Array.isArray(allOf) ? allOf : []), { $ref: '#' }];
  }
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = part[keyword];
    if (typeof reference === 'string' && /^#(?:\/|$)/.test(reference)) {
      part[keyword] = resultPointer + reference.slice(1);
    }
  }
}
