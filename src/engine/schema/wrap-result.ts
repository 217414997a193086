import type { JsonSchema } from './json-schema.js';
import { defaultBase, walkSchema } from './walk-schema.js';

/** Where the boxed value is. */
const resultPointer = '#/properties/result';

/**
 * The schema of an object whose `result` is what a schema is of. References within the schema lead to where it is now;
 * parts with an `$id` of their own need no change.
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
  // It leads to the root of the document, whatever that is.
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
