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
import { RecentTexts } from './recent.js';

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
  return sources.get(text, () => parseYaml(text, { keepSourceTokens: true }));
}

/** Returns the value of a text, with merge keys applied; undefined if nothing is written. @throws ConfigError */
export function readYamlData(text: string): unknown {
  return data.get(text, () => mapsToObjects(readYaml(text).merged));
}

/** Reads the result of an edit, without the tokens that only further edits need. @throws ConfigError */
export function rereadYaml(text: string): YamlSource {
  const source = readYamlPart(text);
  data.keep(text, mapsToObjects(source.merged));
  return source;
}

/** Reads a text that is read once. @throws ConfigError */
export function readYamlPart(text: string): YamlSource {
  return parseYaml(text, { keepSourceTokens: false });
}

/** The tree takes much memory. */
const sources = new RecentTexts<YamlSource>(1);
const data = new RecentTexts<unknown>();

interface ParseOptions {
  readonly keepSourceTokens: boolean;
}

function parseYaml(text: string, options: ParseOptions): YamlSource {
  const lone = text.search(/\r(?!\n)/);
  if (lone !== -1)
    throw new ConfigError(
      'A carriage return without a line feed ends a line here.',
      lone,
      'Change the line end to a line feed.',
    );

  const document = parseYamlDocument(text, { ...options, merge: false });
  const root = document?.contents && isWritten(document.contents) ? document.contents : undefined;
  const aliases = text.includes('*') ? [...aliasesIn(root)] : [];
  const plain = root && dataIn(document);
  const merged =
    root && text.includes('<<')
      ? dataIn(parseYamlDocument(text, { keepSourceTokens: false, merge: true }))
      : plain;
  return { text, root, merged, plain, aliases };
}

/** The parser makes an empty node where nothing is written. */
function isWritten({ range }: ParsedNode): boolean {
  return range[0] < range[1];
}

function parseYamlDocument(
  text: string,
  options: ParseOptions & { readonly merge: boolean },
): Document.Parsed | undefined {
  const parsed = parseAllDocuments(text, { ...options, uniqueKeys: false, prettyErrors: false });
  const [first, second] = 'empty' in parsed ? [] : parsed;
  const fault = first?.errors[0] ?? second?.errors[0];
  if (fault?.code === 'RESOURCE_EXHAUSTION') throw new ConfigError('It is nested too deeply.', fault.pos[0]);
  if (fault) throw new ConfigError(`Not valid YAML: ${fault.message}.`, fault.pos[0]);
  if (second)
    throw new ConfigError(
      'A second document begins here.',
      first?.range[2],
      'Remove it: the file may hold one document.',
    );
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

/** Converts `Map`s to objects. Keys that are not text become text; `__proto__` is an ordinary key. */
export function mapsToObjects(held: unknown): unknown {
  if (Array.isArray(held)) return held.map(mapsToObjects);
  if (!(held instanceof Map)) return held;
  return Object.fromEntries([...held].map(([key, value]) => [keyText(key), mapsToObjects(value)]));
}

function keyText(key: unknown): string {
  return typeof key === 'object' && key !== null ? JSON.stringify(mapsToObjects(key)) : String(key ?? '');
}

/** Yields a node and its descendants in text order. Leaves out `skipped` and its descendants. */
export function* nodesIn(part: unknown, skipped?: unknown): Generator<Node> {
  const left = [part];
  while (left.length > 0) {
    const next = left.pop();
    if (next === skipped && next !== undefined) continue;
    if (isPair(next)) left.push(next.value, next.key);
    else if (isNode(next)) {
      yield next;
      if (isCollection(next)) for (const item of next.items.toReversed()) left.push(item);
    }
  }
}

/** Spelling of every key and value, in order. Equal ones mean that none of them changed. */
export function* spellingsIn({ text, root }: YamlSource, skipped?: unknown): Generator<string> {
  for (const node of nodesIn(root, skipped)) {
    const properties = isAlias(node) ? '' : `${node.anchor ?? ''} ${node.tag ?? ''} `;
    yield isCollection(node) ? properties : properties + text.slice(...nodeRange(node)).trimEnd();
  }
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

/** Offset of a pair, by its key, or of another node. */
export function yamlOffset(member: unknown): number | undefined {
  const node = isPair(member) ? member.key : member;
  return isNode(node) ? node.range?.[0] : undefined;
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
        `The alias *${node.source} refers to a value that contains it.`,
        offset,
        'Remove the alias.',
      );
    }
    yield { alias: node, target };
  }
}
