import type { Dialect } from './dialects.js';
import { fromPointer } from './issues.js';
import { resolveUri, type Subschema } from './walk.js';
import type { WireIssue } from './wire.js';

const keywords = ['$ref', '$dynamicRef', '$recursiveRef'];

/** References that lead nowhere, or out of the schema: nothing is ever fetched. */
export function* findLostReferences(
  subschemas: readonly Subschema[],
  dialect: Dialect,
): Generator<WireIssue> {
  const documents = collectDocuments(subschemas);
  for (const { schema, path, base } of subschemas) {
    for (const keyword of keywords) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      const problem = judge(reference, base, documents, dialect);
      if (problem) yield { path: [...path, keyword], message: `"${reference}" ${problem}` };
    }
  }
}

interface Document {
  readonly root: unknown;
  readonly anchors: Set<string>;
}

function collectDocuments(subschemas: readonly Subschema[]): ReadonlyMap<string, Document> {
  const documents = new Map<string, Document>();
  for (const { schema, base } of subschemas) {
    const document = documents.get(base) ?? { root: schema, anchors: new Set<string>() };
    documents.set(base, document);
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor, idAnchor(schema.$id)]) {
      if (typeof anchor === 'string') document.anchors.add(anchor);
    }
  }
  return documents;
}

/** Before 2019-09 an anchor was an `$id` that is only a fragment. */
function idAnchor(id: unknown): string | undefined {
  return typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;
}

function judge(
  reference: string,
  base: string,
  documents: ReadonlyMap<string, Document>,
  dialect: Dialect,
): string | undefined {
  const uri = resolveUri(reference, base);
  if (uri === undefined) return 'is not a URI reference.';
  if (uri.startsWith(dialect.uri.replace(/schema$/, ''))) return undefined;

  const document = documents.get(uri);
  if (!document) return 'leads out of the schema, and nothing is fetched. Copy what it names into "$defs".';

  const fragment = decode(new URL(reference, base).hash.slice(1));
  if (fragment === undefined) return 'is not a URI reference.';
  if (fragment === '' || document.anchors.has(fragment)) return undefined;
  if (fragment.startsWith('/') && leadsSomewhere(document.root, fragment)) return undefined;
  return 'leads nowhere in the schema.';
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function leadsSomewhere(root: unknown, pointer: string): boolean {
  let value = root;
  for (const key of fromPointer(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = Reflect.get(value, key);
  }
  return true;
}
