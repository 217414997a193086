import { isRecord } from '../base/value-checks.js';
import type { Dialect } from './dialects.js';
import { fromPointer, type WireIssue } from './schema-issue.js';
import { resolveUri, type Subschema } from './walk-schema.js';

const references = ['$ref', '$dynamicRef', '$recursiveRef'];
const addresses = ['$id', '$anchor', '$dynamicAnchor'];

/**
 * Finds references that do not resolve or that leave the schema: nothing is ever fetched. If all resolve,
 * finds addresses that two schemas share, and schemas that apply themselves to the same value without end.
 */
export function* findReferenceFaults(
  subschemas: readonly Subschema[],
  dialect: Dialect,
): Generator<WireIssue> {
  const keywords = [...references, ...addresses];
  if (!subschemas.some(({ schema }) => keywords.some((keyword) => Object.hasOwn(schema, keyword)))) return;
  const { documents, repeated } = collectDocuments(subschemas);
  const targets = new Map<object, object>();
  let isLost = false;
  for (const { schema, path, base } of subschemas) {
    for (const keyword of references) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      const { problem, target } = resolveReference(reference, base, documents, dialect);
      if (problem !== undefined) {
        isLost = true;
        yield { path: [...path, keyword], message: `"${reference}" ${problem}` };
      }
      if (keyword === '$ref' && isRecord(target)) targets.set(schema, target);
    }
  }
  if (isLost) return;
  yield* repeated;
  yield* findLoops(subschemas, targets);
}

interface Document {
  readonly root: unknown;
  readonly anchors: Map<string, unknown>;
}

type Documents = ReadonlyMap<string, Document>;

function collectDocuments(subschemas: readonly Subschema[]): {
  readonly documents: Documents;
  readonly repeated: readonly WireIssue[];
} {
  const documents = new Map<string, Document>();
  const repeated: WireIssue[] = [];
  for (const { schema, path, base } of subschemas) {
    const document = documents.get(base) ?? { root: schema, anchors: new Map<string, unknown>() };
    documents.set(base, document);
    for (const keyword of addresses) {
      const name = schema[keyword];
      if (typeof name !== 'string') continue;
      const anchor = keyword === '$id' ? idAnchor(name) : name;
      const known = anchor === undefined ? document.root : (document.anchors.get(anchor) ?? schema);
      if (anchor !== undefined) document.anchors.set(anchor, schema);
      if (known !== schema) {
        const message = `"${name}" is the "${keyword}" of another schema, too.`;
        repeated.push({ path: [...path, keyword], message });
      }
    }
  }
  return { documents, repeated };
}

/** Before 2019-09, an anchor was an `$id` that is only a fragment. */
function idAnchor(id: string): string | undefined {
  return id.startsWith('#') && id.length > 1 ? id.slice(1) : undefined;
}

/** A schema, or the reason that it is missing. Both are undefined for the schemas of the dialect itself. */
interface ResolvedSchema {
  readonly target?: unknown;
  readonly problem?: string;
}

function resolveReference(
  reference: string,
  base: string,
  documents: Documents,
  dialect: Dialect,
): ResolvedSchema {
  const uri = resolveUri(reference, base);
  if (uri === undefined) return { problem: 'is not a URI reference.' };
  if (uri.startsWith(dialect.uri.replace(/schema$/, ''))) return {};

  const document = documents.get(uri);
  if (!document) {
    return { problem: 'leads out of the schema, and nothing is fetched. Copy what it names into "$defs".' };
  }
  const fragment = decode(new URL(reference, base).hash.slice(1));
  if (fragment === undefined) return { problem: 'is not a URI reference.' };
  if (fragment === '') return { target: document.root };
  if (document.anchors.has(fragment)) return { target: document.anchors.get(fragment) };
  const target = fragment.startsWith('/') ? resolvePointer(document.root, fragment) : undefined;
  return target === undefined ? { problem: 'does not resolve in the schema.' } : { target };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function resolvePointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of fromPointer(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Subschemas that apply to the same value as the schema that contains them. */
function appliedBeside(schema: Subschema['schema']): readonly unknown[] {
  const { allOf, oneOf, not, if: condition } = schema;
  const lists = [allOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...lists, not, condition];
}

function* findLoops(
  subschemas: readonly Subschema[],
  targets: ReadonlyMap<object, object>,
): Generator<WireIssue> {
  const finished = new Set<object>();
  for (const { schema, path } of subschemas) {
    if (!targets.has(schema) || !leadsBack(schema, targets, finished)) continue;
    yield { path: [...path, '$ref'], message: 'The schema applies itself to the same value without end.' };
    return;
  }
}

/** True if a schema applies itself. Iterative, because loops of references can be thousands of steps long. */
function leadsBack(start: object, targets: ReadonlyMap<object, object>, finished: Set<object>): boolean {
  const open = new Set<object>();
  const steps: { readonly schema: object; readonly isEnd: boolean }[] = [{ schema: start, isEnd: false }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { schema, isEnd } = step;
    if (isEnd) {
      open.delete(schema);
      finished.add(schema);
    } else if (open.has(schema)) return true;
    else if (!finished.has(schema)) {
      open.add(schema);
      const next = [targets.get(schema), ...appliedBeside(schema as Subschema['schema'])].filter(isRecord);
      steps.push({ schema, isEnd: true }, ...next.map((one) => ({ schema: one, isEnd: false })));
    }
  }
  return false;
}
