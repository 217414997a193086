import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { explainFault } from '../../base/files/json-text.js';
import type { SyntaxTolerance } from '../client.js';
import { wrapMissing } from './config-path.js';
import { ConfigError, type ConfigPath, type ConfigValue, type Editor } from './editor.js';
import { endOffset, layoutFor, nodeMembers, render } from './json-layout.js';
import { insertJsonMember, removeMember } from './json-members.js';
import { isComma, isComment, type JsonToken, tokensBetween } from './json-tokens.js';
import { detectLineEnd } from './text-lines.js';

/** Maximum nesting depth. Prevents stack overflows in code that walks a tree. */
const maxJsonDepth = 500;

/**
 * Edits JSON with comments and trailing commas as text. `findUnsupportedSyntax` checks if the client's parser
 * accepts them.
 */
export function jsonEditor(): Editor {
  return { parse: parseJsonConfig, set: setJsonValue, remove: removeJsonValue };
}

/** Returns the first comment or trailing comma that the client cannot read. */
export function findUnsupportedSyntax(text: string, tolerance: SyntaxTolerance): ConfigError | undefined {
  const [first] = unsupportedSyntax(text, tolerance);
  if (!first) return undefined;
  const what = first.kind === 'comment' ? 'a comment' : 'a comma after the last value';
  return new ConfigError(`There is ${what}, which the client cannot read. Remove it.`, first.offset);
}

/** Yields the comments and trailing commas that the client cannot read. */
export function* unsupportedSyntax(
  text: string,
  tolerance: SyntaxTolerance,
): Generator<{ readonly kind: 'comment' | 'comma'; readonly offset: number }> {
  let comma: JsonToken | undefined;
  for (const token of tokensBetween(text, 0, text.length)) {
    if (isComment(token)) {
      if (!tolerance.comments) yield { kind: 'comment', offset: token.start };
      continue;
    }
    if (comma && !tolerance.trailingCommas && '}]'.includes(token.text))
      yield { kind: 'comma', offset: comma.start };
    comma = isComma(token) ? token : undefined;
  }
}

/** The second of equal keys of each map, with its offset. @throws ConfigError if the text is malformed */
export function findDuplicateKeys(
  text: string,
): readonly { readonly key: string; readonly offset: number }[] {
  const root = parseJsonTree(text);
  return root ? duplicatesIn(root) : [];
}

function duplicatesIn(node: Node): readonly { readonly key: string; readonly offset: number }[] {
  const seen = new Set<string>();
  return nodeMembers(node).flatMap((member) => {
    const [name, held] = member.type === 'property' ? member.children! : [undefined, member];
    const isSecond = name !== undefined && seen.has(name.value);
    if (name) seen.add(name.value);
    const inner = held && (held.type === 'object' || held.type === 'array') ? duplicatesIn(held) : [];
    return [...(isSecond ? [{ key: String(name.value), offset: name.offset }] : []), ...inner];
  });
}

function parseJsonConfig(text: string): unknown {
  const root = parseJsonTree(text);
  return root && nodeValue(root);
}

function setJsonValue(text: string, path: ConfigPath, value: ConfigValue): string {
  const root = parseJsonTree(text);
  if (!root) return appendRoot(text, wrapMissing(path, value));
  let node = root;
  for (const [depth, key] of path.entries()) {
    if (node.type === 'null') return replaceJsonNode(text, node, wrapMissing(path.slice(depth), value));
    const child = childAt(node, key);
    if (!child)
      return insertJsonMember(text, node, { key, value: wrapMissing(path.slice(depth + 1), value) });
    node = child;
  }
  return replaceJsonNode(text, node, value);
}

function removeJsonValue(text: string, path: ConfigPath): string {
  const root = parseJsonTree(text);
  let node = root;
  for (const key of path) node = node && node.type !== 'null' ? childAt(node, key) : undefined;
  if (!node?.parent) throw new ConfigError(`There is no ${JSON.stringify(path.at(-1) ?? '')} to remove.`);
  return removeMember(text, node.parent.type === 'property' ? node.parent : node);
}

/**
 * Renames a key and keeps its place.
 * @throws ConfigError if the text is malformed, the key is missing or duplicate, or the new name is taken.
 */
export function renameJsonKey(text: string, path: ConfigPath, name: string): string {
  const key = path.at(-1) ?? '';
  let holder = parseJsonTree(text);
  for (const step of path.slice(0, -1)) holder = holder && childAt(holder, step);
  const value = holder && childAt(holder, key);
  if (!holder || value?.parent?.type !== 'property')
    throw new ConfigError(`There is no key ${JSON.stringify(key)} to rename.`);
  if (childAt(holder, name))
    throw new ConfigError(`The key ${JSON.stringify(name)} exists already.`, holder.offset);
  const [node] = value.parent.children!;
  return text.slice(0, node!.offset) + JSON.stringify(name) + text.slice(endOffset(node!));
}

/** Returns the syntax tree of a text; undefined if it holds only blanks and comments. */
function parseJsonTree(text: string): Node | undefined {
  let depth = 0;
  for (const token of tokensBetween(text, 0, text.length)) {
    if ('{['.includes(token.text)) depth++;
    if ('}]'.includes(token.text)) depth--;
    if (depth > maxJsonDepth)
      throw new ConfigError(`It is nested deeper than ${maxJsonDepth} levels.`, token.start);
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length === 0) return tree;
  const { message, offset } = explainFault(text, { comments: true });
  throw new ConfigError(message, offset);
}

/** Same value as from `JSON.parse`: the last of equal keys counts, and `__proto__` is an ordinary key. */
function nodeValue(node: Node): unknown {
  if (node.type === 'array') return nodeMembers(node).map(nodeValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    nodeMembers(node).map(({ children: [key, held] = [] }) => [key!.value, nodeValue(held!)]),
  );
}

/**
 * Value of a map or list under a key; undefined if missing, or if the number equals the length of the list.
 */
function childAt(node: Node, key: string | number): Node | undefined {
  if (typeof key === 'number') {
    const items = nodeMembers(expectType(node, 'array'));
    if (key <= items.length) return items[key];
    throw new ConfigError(`${nodeLabel(node)} has no item ${key}.`, node.offset);
  }
  const properties = nodeMembers(expectType(node, 'object'));
  const [first, second] = properties.filter((property) => property.children![0]!.value === key);
  if (second) throw new ConfigError(`The key ${JSON.stringify(key)} occurs twice.`, second.offset);
  return first?.children?.[1];
}

function expectType(node: Node, type: 'array' | 'object'): Node {
  if (node.type === type) return node;
  throw new ConfigError(`${nodeLabel(node)} is ${kinds[node.type]}; expected ${kinds[type]}.`, node.offset);
}

const kinds: Readonly<Record<Node['type'], string>> = {
  object: 'a map',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'empty',
  property: 'a key',
};

function nodeLabel({ parent }: Node): string {
  if (!parent) return 'The whole file';
  return parent.type === 'property' ? JSON.stringify(parent.children![0]!.value) : 'An item of a list';
}

function replaceJsonNode(text: string, node: Node, value: ConfigValue): string {
  return text.slice(0, node.offset) + render(value, layoutFor(text, node)) + text.slice(endOffset(node));
}

/** The text may consist of comments. The value goes on a line after them. */
function appendRoot(text: string, value: ConfigValue): string {
  const eol = detectLineEnd(text);
  const start = text === '' || /[\r\n]$/.test(text) ? text : text + eol;
  return start + render(value, { kind: 'lines', eol, indent: '', unit: '  ' }) + eol;
}
