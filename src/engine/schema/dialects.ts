/** Supported JSON Schema dialects, by `$schema`. Default: the first. */
const dialects = [
  { id: 'draft-2020-12', uri: 'https://json-schema.org/draft/2020-12/schema' },
  { id: 'draft-2019-09', uri: 'https://json-schema.org/draft/2019-09/schema' },
  { id: 'draft-07', uri: 'http://json-schema.org/draft-07/schema' },
  { id: 'draft-06', uri: 'http://json-schema.org/draft-06/schema' },
] as const;

export type Dialect = (typeof dialects)[number];

/** Returns the dialect of a schema; `undefined` if its `$schema` is not supported. */
export function detectDialect(schema: Readonly<Record<string, unknown>>): Dialect | undefined {
  const declared = schema.$schema;
  if (declared === undefined) return dialects[0];
  if (typeof declared !== 'string') return undefined;
  return dialects.find(({ uri }) => normalizeDialectUri(uri) === normalizeDialectUri(declared));
}

/** Message for an unsupported `$schema`. */
export const unknownDialect = `"$schema" names an unknown dialect. Known: ${dialects.map(({ uri }) => uri).join(', ')}.`;

function normalizeDialectUri(uri: string): string {
  return uri.replace(/^https?:/, '').replace(/#$/, '');
}
