import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
} from 'yaml';
import { ConfigError } from './editor.js';

/** Enough for any file written by hand, too few for aliases that double at every level. */
const maxAliasCount = 10_000;

/** A parsed YAML text. */
export interface YamlSource {
  readonly text: string;
  /** Undefined if the text holds only blanks, comments and markers. */
  readonly root: ParsedNode | undefined;
  /**
   * The value with merge keys (`<<`) applied, as most readers do. Maps are `Map`s: keys `1` and `"1"` differ.
   */
  readonly merged: unknown;
  /** The value with `<<` as an ordinary key. */
  readonly plain: unknown;
  readonly aliases: readonly AliasUse[];
}

/** An alias and the node that it refers to. */
interface AliasUse {
  readonly alias: Alias;
  readonly target: Node;
}

/**
 * Reads a text of one document. Accepts duplicate keys; an edit rejects those on its path.
 * @throws ConfigError with the offset of the fault if the text is malformed.
 */
export function readYaml(text: string): YamlSource {
  const lone = text.search(/\r(?!\n)/);
  if (lone !== -1) throw new ConfigError('A carriage return without a line feed ends a line here.', lone);

  const document = parseYamlDocument(text, { merge: false });
  const root = document?.contents?.srcToken ? document.contents : undefined;
  const aliases = [...aliasesIn(root)];
  const plain = root && dataIn(document);
  const merged = text.includes('<<') ? root && dataIn(parseYamlDocument(text, { merge: true })) : plain;
  return { text, root, merged, plain, aliases };
}

function parseYamlDocument(text: string, { merge }: { merge: boolean }): Document.Parsed | undefined {
  const options = { merge, keepSourceTokens: true, uniqueKeys: false, prettyErrors: false };
  const parsed = parseAllDocuments(text, options);
  const [first, second] = 'empty' in parsed ? [] : parsed;
  const fault = first?.errors[0] ?? second?.errors[0];
  if (fault?.code === 'RESOURCE_EXHAUSTION') throw new ConfigError('It is nested too deeply.', fault.pos[0]);
  if (fault) throw new ConfigError(`Not valid YAML: ${fault.message}.`, fault.pos[0]);
  if (second)
    throw new ConfigError('A second document begins here. Keep one document in the file.', first?.range[2]);
  return first;
}

function dataIn(document: Document.Parsed | undefined): unknown {
  try {
    return document?.toJS({ maxAliasCount, mapAsMap: true });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new ConfigError(`Not valid YAML: ${(error as Error).message}.`);
  }
}

/** Yields a node and its descendants in text order. Leaves out `skipped` and its descendants. */
export function* nodesIn(part: unknown, skipped?: unknown): Generator<Node> {
  if (part === skipped && part !== undefined) return;
  if (isPair(part)) {
    yield* nodesIn(part.key, skipped);
    yield* nodesIn(part.value, skipped);
    return;
  }
  if (!isNode(part)) return;
  yield part;
  if (!isCollection(part)) return;
  for (const item of part.items) yield* nodesIn(item, skipped);
}

/** Spelling of every key and value, in order. Equal lists mean that none of them changed. */
export function spellingsIn({ text, root }: YamlSource, skipped?: unknown): readonly string[] {
  return [...nodesIn(root, skipped)].map((node) => {
    const properties = isAlias(node) ? '' : `${node.anchor ?? ''} ${node.tag ?? ''} `;
    return isCollection(node) ? properties : properties + text.slice(...nodeRange(node)).trimEnd();
  });
}

/** Returns the pair or item at a path in a tree; of equal keys the last. */
export function memberAt(root: unknown, path: readonly (string | number)[]): Pair | Node | undefined {
  let member: unknown = root;
  for (const step of path) {
    const holder = isPair(member) ? member.value : member;
    if (!isCollection(holder)) return undefined;
    member = isMap(holder)
      ? holder.items.findLast(({ key }) => isScalar(key) && key.value === step)
      : holder.items[step as number];
  }
  return isPair(member) || isNode(member) ? member : undefined;
}

function nodeRange(node: Node): [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
}

function* aliasesIn(root: unknown): Generator<AliasUse> {
  const anchors = new Map<string, Node>();
  for (const node of nodesIn(root)) {
    if (!isAlias(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      continue;
    }
    const target = anchors.get(node.source);
    const [offset] = nodeRange(node);
    if (!target) throw new ConfigError(`There is no anchor for the alias *${node.source}.`, offset);
    if (offset < nodeRange(target)[1]) {
      throw new ConfigError(
        `The alias *${node.source} refers to a value that contains it. Remove the alias.`,
        offset,
      );
    }
    yield { alias: node, target };
  }
}
