import { isRecord } from '../base/value-checks.js';
import { childSchemas, holdsSchemas, type Subschema } from './walk-schema.js';

/** Returns a schema with its direct subschemas replaced, or the same object if nothing changes. */
export function mapSubschemas(
  schema: Subschema['schema'],
  replace: (child: unknown, path: Subschema['path']) => unknown,
): Subschema['schema'] {
  let mapped: Record<string, unknown> | undefined;
  for (const keyword of Object.keys(schema)) {
    if (!holdsSchemas(keyword)) continue;
    const value = schema[keyword];
    const children = childSchemas(keyword, value);
    const replaced = children.map(([key, child]) => [key, replace(child, [keyword, ...key])] as const);
    if (children.every(([, child], index) => child === replaced[index]![1])) continue;
    mapped ??= { ...schema };
    mapped[keyword] = withChildren(value, replaced);
  }
  return mapped ?? schema;
}

function withChildren(value: unknown, children: readonly (readonly [Subschema['path'], unknown])[]): unknown {
  if (Array.isArray(value)) return children.map(([, child]) => child);
  const [first] = children;
  if (first?.[0].length === 0) return first[1];
  return isRecord(value) ? Object.fromEntries(children.map(([[key], child]) => [key, child])) : value;
}
