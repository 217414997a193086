import type { SyntaxTolerance } from '../client.js';
import { wrapMissing } from './config-path.js';
import { ConfigError, type ConfigPath, type ConfigValue, type Editor, twiceError } from './editor.js';
import { layoutFor, render } from './json-layout.js';
import { insertJsonMember, removeMember } from './json-members.js';
import { lenientParts } from './json-scan.js';
import { type JsonNode, type JsonType, readJson } from './json-source.js';
import { detectLineEnd } from './text-lines.js';
import { isJsonChangedBy } from './verify-json-edit.js';

/**
 * Edits JSON with comments and trailing commas as text. `findUnsupportedSyntax` checks if the client's parser
 * accepts them.
 */
export function jsonEditor(): Editor {
  return {
    parse: (text) => readJson(text).root?.data,
    valueAt: (text, path) => nodeAt(text, path)?.data,
    offsetAt: (text, path) => nodeAt(text, path)?.offset,
    holds: (text, path) => (nodeAt(text, path)?.type ?? 'null') !== 'null',
    set: setJsonValue,
    remove: removeJsonValue,
    isChangedBy: isJsonChangedBy,
  };
}

/** Advice for syntax that AgentTools reads and the client does not. */
const removeOrForce = 'Remove it, or write the file as it is with --force.';

/** Returns the first comment or trailing comma that the client cannot read. */
export function findUnsupportedSyntax(text: string, tolerance: SyntaxTolerance): ConfigError | undefined {
  const [first] = unsupportedSyntax(text, tolerance);
  if (!first) return undefined;
  const what = first.kind === 'comment' ? 'a comment' : 'a comma after the last value';
  return new ConfigError(`There is ${what}, which the client cannot read.`, first.offset, removeOrForce);
}

/** Yields the comments and trailing commas of a well-formed text that the client cannot read. */
export function* unsupportedSyntax(
  text: string,
  tolerance: SyntaxTolerance,
): Generator<{ readonly kind: 'comment' | 'comma'; readonly offset: number }> {
  if ((tolerance.comments && tolerance.trailingCommas) || readJson(text).isStrict) return;
  for (const { kind, start } of lenientParts(text))
    if (!(kind === 'comment' ? tolerance.comments : tolerance.trailingCommas)) yield { kind, offset: start };
}

/** The second of equal keys of each map, with its offset. @throws ConfigError if the text is malformed */
export function findDuplicateKeys(
  text: string,
): readonly { readonly key: string; readonly offset: number }[] {
  const { root } = readJson(text);
  return root ? duplicatesIn(root) : [];
}

function duplicatesIn(node: JsonNode): readonly { readonly key: string; readonly offset: number }[] {
  if (node.type === 'array') return node.children.flatMap(duplicatesIn);
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return node.children.flatMap(({ key, offset, children: [, held] }) => {
    const isSecond = seen.has(key);
    seen.add(key);
    return [...(isSecond ? [{ key, offset }] : []), ...duplicatesIn(held!)];
  });
}

function nodeAt(text: string, path: ConfigPath): JsonNode | undefined {
  return path.reduce<JsonNode | undefined>((node, step) => node?.find(step), readJson(text).root);
}

function setJsonValue(text: string, path: ConfigPath, value: ConfigValue): string {
  const { root } = readJson(text);
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
  const { root } = readJson(text);
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
  let holder = readJson(text).root;
  for (const step of path.slice(0, -1)) holder = holder && childAt(holder, step);
  const value = holder && childAt(holder, key);
  if (!holder || value?.parent?.type !== 'property')
    throw new ConfigError(`There is no key ${JSON.stringify(key)} to rename.`);
  if (childAt(holder, name))
    throw new ConfigError(`The key ${JSON.stringify(name)} exists already.`, holder.offset);
  const [node] = value.parent.children;
  return text.slice(0, node!.offset) + JSON.stringify(name) + text.slice(node!.end);
}

/**
 * Value of a map or list under a key; undefined if missing, or if the number equals the length of the list.
 */
function childAt(node: JsonNode, key: string | number): JsonNode | undefined {
  if (typeof key === 'number') {
    const items = expectType(node, 'array').children;
    if (key <= items.length) return items[key];
    throw new ConfigError(`${nodeLabel(node)} has no item ${key}.`, node.offset);
  }
  const properties = expectType(node, 'object').children;
  const [first, second] = properties.filter((property) => property.key === key);
  if (second) throw twiceError(key, second.offset);
  return first?.children[1];
}

function expectType(node: JsonNode, type: 'array' | 'object'): JsonNode {
  if (node.type === type) return node;
  throw new ConfigError(
    `${nodeLabel(node)} is ${kinds[node.type]}; expected ${kinds[type]}.`,
    node.offset,
    `Change it to ${kinds[type]}, or remove it.`,
  );
}

const kinds: Readonly<Record<JsonType, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'empty',
  property: 'a key',
};

function nodeLabel({ parent }: JsonNode): string {
  if (!parent) return 'The whole file';
  return parent.type === 'property' ? JSON.stringify(parent.key) : 'An item of a list';
}

function replaceJsonNode(text: string, node: JsonNode, value: ConfigValue): string {
  return text.slice(0, node.offset) + render(value, layoutFor(text, node)) + text.slice(node.end);
}

/** The text may consist of comments. The value goes on a line after them. */
function appendRoot(text: string, value: ConfigValue): string {
  const eol = detectLineEnd(text);
  const start = text === '' || /[\r\n]$/.test(text) ? text : text + eol;
  return start + render(value, { kind: 'lines', eol, indent: '', unit: '  ' }) + eol;
}
