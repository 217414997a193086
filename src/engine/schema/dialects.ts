/** JSON Schema dialects that are understood, by the `$schema` that declares them. The first is meant when none is declared. */
const dialects = [
  { id: 'draft-2020-12', uri: 'https://json-schema.org/draft/2020-12/schema' },
  { id: 'draft-2019-09', uri: 'https://json-schema.org/draft/2019-09/schema' },
  { id: 'draft-07', uri: 'http://json-schema.org/draft-07/schema' },
  { id: 'draft-06', uri: 'http://json-schema.org/draft-06/schema' },
] as const;

export type Dialect = (typeof dialects)[number];

/** The dialect a schema is written in; `undefined` if it declares one that is not understood. */
export function detectDialect(schema: Readonly<Record<string, unknown>>): Dialect | undefined {
  const declared = schema.$schema;
  if (declared === undefined) return dialects[0];
  if (typeof declared !== 'string') return undefined;
  return dialects.find(({ uri }) => normalizeDialectUri(uri) === normalizeDialectUri(declared));
}

/** What to say about a `$schema` that is not understood. */
export const unknownDialect = `"$schema" names an unknown dialect. Known: ${dialects.map(({ uri }) => uri).join(', ')}.`;

function normalizeDialectUri(uri: string): string {
  return uri.replace(/^https?:/, '').replace(/#$/, '');
}
