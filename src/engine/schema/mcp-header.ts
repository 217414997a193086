import type { WireIssue } from './schema-issue.js';
import { type Subschema, walkSchema } from './walk-schema.js';

const headerKeyword = 'x-mcp-header';

/** Messages about `x-mcp-header` keywords of an input schema for which clients would drop the tool. */
export function findHeaderFaults(inputSchema: unknown): readonly string[] {
  return [...findBadHeaders([...walkSchema(inputSchema)])].map(({ message }) => message);
}

/** Finds `x-mcp-header` keywords for which clients would drop the tool. */
export function* findBadHeaders(subschemas: readonly Subschema[]): Generator<WireIssue> {
  const seen = new Set<string>();
  for (const { schema, path } of subschemas) {
    if (!Object.hasOwn(schema, headerKeyword)) continue;
    const name = schema[headerKeyword];
    const at = [...path, headerKeyword];
    if (typeof name !== 'string' || !isToken(name)) {
      yield {
        path: at,
        message: `"${headerKeyword}" must be a header name: letters, digits and !#$%&'*+-.^_\`|~ only.`,
      };
      continue;
    }
    if (!isPlainProperty(path))
      yield {
        path: at,
        message: `"${headerKeyword}" is allowed only on a property reached through "properties" alone.`,
      };
    if (!headerTypes.includes(schema.type))
      yield { path: at, message: `"${headerKeyword}" needs "type" to be string, integer or boolean.` };
    if (seen.has(name.toLowerCase()))
      yield {
        path: at,
        message: `"${name}" is already the header of another property; case makes no difference.`,
      };
    seen.add(name.toLowerCase());
  }
}

const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * True if a text is a token, as header names require.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
 */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

function isPlainProperty(path: Subschema['path']): boolean {
  return path.length > 0 && path.every((key, index) => index % 2 === 1 || key === 'properties');
}
