import { isDeepStrictEqual } from 'node:util';
import { isAlias, isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { dataEditor, wrapMissing } from './config-path.js';
import { ConfigError, type ConfigPath, type ConfigValue, type Editor, twiceError } from './editor.js';
import {
  dataAt,
  isYamlChangedBy,
  toPlainValue,
  verifyEdit,
  withData,
  withoutData,
} from './verify-yaml-edit.js';
import { fillDocument, insertYamlMember, putValue, removeMember } from './yaml-change.js';
import {
  pairPlace,
  questionMarkOffset,
  rootPlace,
  slotsOf,
  type YamlCollection,
  type YamlSlot,
} from './yaml-layout.js';
import { applyChanges } from './yaml-lines.js';
import { memberAt, nodesIn, readYaml, readYamlData, type YamlSource, yamlOffset } from './yaml-source.js';

/**
 * Edits YAML of one document as text. The parser finds positions and verifies the result; it does not print.
 */
export function yamlEditor(): Editor {
  return {
    ...dataEditor({
      parse: guardRecursion(readYamlData),
      set: guardRecursion(setYamlValue),
      remove: guardRecursion(removeYamlValue),
    }),
    isChangedBy: guardRecursion(isYamlChangedBy),
    offsetAt: (text, path) => yamlOffset(memberAt(readYaml(text).root, path)),
  };
}

/** Existing and missing part of a path. */
interface PathTarget {
  /** The last existing slot. */
  readonly place: YamlSlot;
  /** Slots of the maps and lists that contain it, outermost first. */
  readonly way: readonly YamlSlot[];
  /** Keys without a value. */
  readonly rest: ConfigPath;
}

function setYamlValue(text: string, path: ConfigPath, value: ConfigValue): string {
  const source = readYaml(text);
  const data = toPlainValue(value);
  const expect = (before: unknown) => withData(before, path, data);
  const { root } = source;
  if (!root) {
    const edited = applyChanges(text, fillDocument(text, wrapMissing(path, value)));
    return verifyEdit(source, edited, { expect, path, made: (made) => made, name: pathLabel([]), offset: 0 });
  }

  const { place, way, rest } = resolvePath(source, root, path);
  if (rest.length === 0 && isDeepStrictEqual(dataAt(source.merged, path), data)) return text;

  const there = path.slice(0, path.length - rest.length);
  const subject = { expect, path, name: pathLabel(there), offset: place.whole.from };
  const [key, ...missing] = rest;
  if (key !== undefined && isCollection(place.value)) {
    requireUnshared(source, [...way, place]);
    const changes = insertYamlMember(text, root, place, { key, value: wrapMissing(missing, value) });
    const made = (after: unknown) => memberAt(after, [...there, key]);
    return verifyEdit(source, applyChanges(text, changes), { ...subject, made });
  }

  requireUntagged(place, there, data);
  requireUnshared(source, way, place.value);
  const changes = putValue(text, root, place, wrapMissing(rest, value));
  const valueIn = (tree: unknown) => memberValue(memberAt(tree, there));
  return verifyEdit(source, applyChanges(text, changes), { ...subject, gone: valueIn, made: valueIn });
}

function removeYamlValue(text: string, path: ConfigPath): string {
  const source = readYaml(text);
  const target = source.root && resolvePath(source, source.root, path);
  const holder = target?.way.at(-1);
  if (!target || !holder || target.rest.length > 0) {
    throw new ConfigError(`There is no ${pathLabel(path)} to remove.`);
  }

  const { place, way } = target;
  const gone = memberAt(source.root, path);
  requireUnshared(source, way, gone);
  const collection = holder.value as YamlCollection;
  const index = isMap(collection) ? collection.items.indexOf(gone as Pair) : (path.at(-1) as number);
  const edited = applyChanges(text, removeMember(text, holder, index));
  const expect = (before: unknown) => withoutData(before, path);
  return verifyEdit(source, edited, {
    expect,
    path,
    gone: (tree) => memberAt(tree, path),
    name: pathLabel(path),
    offset: place.whole.from,
  });
}

/** Follows a path to its last existing value. An empty value ends it. */
function resolvePath(source: YamlSource, root: Node, path: ConfigPath): PathTarget {
  const way: YamlSlot[] = [];
  let place = rootPlace(root);
  for (const [depth, step] of path.entries()) {
    const there = path.slice(0, depth);
    requireUntagged(place, there);
    if (isNullNode(place.value)) return { place, way, rest: path.slice(depth) };

    const next = typeof step === 'number' ? itemAt(place, step, there) : pairAt(source, place, step, there);
    if (!next) return { place, way, rest: path.slice(depth) };
    way.push(place);
    place = next;
  }
  return { place, way, rest: [] };
}

function itemAt({ value, whole }: YamlSlot, index: number, there: ConfigPath): YamlSlot | undefined {
  if (!isSeq(value)) throw wrongShapeError(value, 'list', there, whole);
  if (index > value.items.length)
    throw new ConfigError(`${pathLabel(there)} has no item ${index}.`, whole.from);
  return index < value.items.length ? slotsOf(value)(index) : undefined;
}

function pairAt(source: YamlSource, place: YamlSlot, key: string, there: ConfigPath): YamlSlot | undefined {
  const { value, whole } = place;
  if (!isMap(value)) throw wrongShapeError(value, 'map', there, whole);
  if (!value.srcToken)
    throw new ConfigError(
      `${pathLabel(there)} is a map without braces in a list.`,
      whole.from,
      'Add the braces.',
    );

  const name = pathLabel([key]);
  const [first, second] = value.items.filter((pair) => spellsKey(source, pair.key, key));
  if (second) throw twiceError(key, pairPlace(value, second).whole.from);
  if (!first) {
    const held = dataAt(source.merged, there);
    if (!(held instanceof Map && held.has(key))) return undefined;
    throw new ConfigError(
      `${name} comes from elsewhere, by a merge key (<<).`,
      whole.from,
      'Write it into this map, too.',
    );
  }

  const offset = pairPlace(value, first).whole.from;
  if (!isScalar(first.key) || first.key.value !== key) {
    throw new ConfigError(`The key ${name} is written as an alias, or not as text.`, offset, plainKey);
  }
  if (questionMarkOffset(first) !== undefined) {
    throw new ConfigError(`The key ${name} is written with a question mark.`, offset, plainKey);
  }
  if (source.text.slice(first.key.range?.[0], first.key.range?.[1]).includes('\n')) {
    throw new ConfigError(`The key ${name} is written over several lines.`, offset, plainKey);
  }
  return pairPlace(value, first);
}

const plainKey = 'Write the key as plain text on one line.';

/** True if a reader may take this node for the key. */
function spellsKey({ aliases }: YamlSource, node: unknown, key: string): boolean {
  const target = isAlias(node) ? aliases.find(({ alias }) => alias === node)?.target : node;
  return isScalar(target) && (target.value === key || target.source === key || String(target.value) === key);
}

function wrongShapeError(
  value: Node | null,
  wanted: string,
  there: ConfigPath,
  { from }: YamlSlot['whole'],
): ConfigError {
  if (isAlias(value))
    return new ConfigError(
      `${pathLabel(there)} is an alias; its value is written elsewhere.`,
      from,
      'Write the value here in place of the alias.',
    );
  return new ConfigError(
    `${pathLabel(there)} is not a ${wanted}.`,
    from,
    `Change it to a ${wanted}, or remove it.`,
  );
}

/** A tag sets the type of a value. The tag of a map or list may stay if the new value has that type. */
function requireUntagged({ value, whole }: YamlSlot, there: ConfigPath, next?: unknown): void {
  const tag = isAlias(value) ? undefined : value?.tag;
  if (tag === undefined) return;
  if (tag === 'tag:yaml.org,2002:map' && (next === undefined || next instanceof Map)) return;
  if (tag === 'tag:yaml.org,2002:seq' && (next === undefined || Array.isArray(next))) return;
  throw new ConfigError(`${pathLabel(there)} has the tag ${tag}.`, whole.from, 'Remove the tag.');
}

/** Rejects a change of values that aliases elsewhere refer to. */
function requireUnshared({ aliases }: YamlSource, way: readonly YamlSlot[], changed?: unknown): void {
  const inside = new Set([...nodesIn(changed)]);
  const held = new Set([...inside, ...way.map(({ value }) => value)]);
  for (const { alias, target } of aliases) {
    if (inside.has(alias) || !held.has(target)) continue;
    throw new ConfigError(
      `The alias *${alias.source} would change with it.`,
      alias.range?.[0],
      'Write a copy of the value in place of the alias.',
    );
  }
}

function memberValue(member: unknown): unknown {
  return isPair(member) ? member.value : member;
}

function isNullNode(value: Node | null): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

/** Reports a stack overflow as a fault of the file: its nesting is too deep. */
function guardRecursion<Input extends unknown[], Output>(
  edit: (...input: Input) => Output,
): (...input: Input) => Output {
  return (...input) => {
    try {
      return edit(...input);
    } catch (error) {
      if (error instanceof RangeError) throw new ConfigError('It is nested too deeply.');
      throw error;
    }
  };
}

/** Label of a value for messages: its key, or its index in a list. */
function pathLabel(path: ConfigPath): string {
  const key = path.at(-1);
  if (key === undefined) return 'The whole file';
  return typeof key === 'number' ? `Item ${key}` : JSON.stringify(key);
}
