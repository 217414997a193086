import { canonical } from '../base/canonical-json.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';

/**
 * Relation of a changed part of a schema to the part before:
 *
 * - `narrowed`, `widened`: it accepts less, or more
 * - `changed`: neither is certain
 * - `added`, `required`: a new property, optional or required
 * - `removed`: a property is gone
 * - `text`: it accepts the same; only texts for the reader differ
 */
export type SchemaRelation = 'narrowed' | 'widened' | 'changed' | 'added' | 'required' | 'removed' | 'text';

/** A change of a schema. */
export interface SchemaChange {
  /** Path in the schema. */
  readonly path: DocumentPath;
  readonly relation: SchemaRelation;
  readonly before: unknown;
  readonly after: unknown;
}

/** Value of a missing keyword, since null is a value, too. */
const absent = { agenttools: 'absent' };

type Schema = Readonly<Record<string, unknown>>;

type CompareKeyword = (before: unknown, after: unknown, path: DocumentPath) => Iterable<SchemaChange>;

/** Yields the changes between two JSON Schemas. Equal schemas have none; each difference is part of a change. */
export function* schemaChanges(
  before: unknown,
  after: unknown,
  path: DocumentPath = [],
): Generator<SchemaChange> {
  if (canonical(before ?? absent) === canonical(after ?? absent)) return;
  let isExplained = false;
  for (const change of changesOf(before, after, path)) {
    isExplained = true;
    yield change;
  }
  // Two spellings of the same, such as a list of one type.
  if (!isExplained) yield { path, relation: 'text', before, after };
}

function* changesOf(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const [one, other] = [asSchema(before), asSchema(after)];
  if (!one || !other) {
    yield { path, relation: relationOfWhole(before, after), before, after };
    return;
  }
  const [allowedBefore, allowedAfter] = [allowedValues(one), allowedValues(other)];
  const usesValues = 'enum' in one || 'enum' in other || 'const' in one || 'const' in other;
  if (usesValues)
    yield* compareSets(allowedBefore, allowedAfter, [
      ...path,
      'enum' in one || 'enum' in other ? 'enum' : 'const',
    ]);
  yield* compareProperties(one, other, path);
  for (const keyword of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (handledTogether.has(keyword)) continue;
    const [was, is] = [ownValue(one, keyword), ownValue(other, keyword)];
    if (canonical(was ?? absent) === canonical(is ?? absent)) continue;
    const compare = Object.hasOwn(keywords, keyword) ? keywords[keyword]! : compareUnknown;
    yield* compare(was, is, [...path, keyword]);
  }
}

const handledTogether = new Set(['properties', 'required', 'enum', 'const']);

/** Rules by keyword. Unknown keywords, and those without a rule, may change everything. */
const keywords: Readonly<Record<string, CompareKeyword>> = {
  type: (before, after, path) => compareSets(typesOf(before), typesOf(after), path),
  ...rules(compareText, [
    'title',
    'description',
    'examples',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    '$comment',
    '$schema',
    '$id',
    '$anchor',
  ]),
  ...rules(compareLimit(1), [
    'minimum',
    'exclusiveMinimum',
    'minLength',
    'minItems',
    'minProperties',
    'minContains',
  ]),
  ...rules(compareLimit(-1), [
    'maximum',
    'exclusiveMaximum',
    'maxLength',
    'maxItems',
    'maxProperties',
    'maxContains',
  ]),
  ...rules(compareConstraint, [
    'pattern',
    'format',
    'multipleOf',
    'contentEncoding',
    'contentMediaType',
    'not',
  ]),
  uniqueItems: (before, after, path) => compareSets(flag(before), flag(after), path),
  ...rules(compareOptional, [
    'items',
    'additionalProperties',
    'unevaluatedProperties',
    'additionalItems',
    'unevaluatedItems',
    'propertyNames',
    'contains',
  ]),
  ...rules(compareByName, ['patternProperties', 'dependentSchemas']),
  ...rules(compareDefinitions, ['$defs', 'definitions']),
  ...rules(compareAlternatives, ['anyOf', 'oneOf']),
  allOf: compareAll,
  prefixItems: compareAll,
};

function rules(compare: CompareKeyword, names: readonly string[]): Readonly<Record<string, CompareKeyword>> {
  return Object.fromEntries(names.map((name) => [name, compare]));
}

function* compareText(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  yield { path, relation: 'text', before, after };
}

function* compareUnknown(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const isNote = String(path.at(-1)).startsWith('x-');
  yield { path, relation: isNote ? 'text' : 'changed', before, after };
}

/** `direction` 1: a greater value accepts less. */
function compareLimit(direction: 1 | -1): CompareKeyword {
  return function* (before, after, path) {
    const loosest = -direction * Number.POSITIVE_INFINITY;
    const [one, other] = [before ?? loosest, after ?? loosest];
    const isComparable = typeof one === 'number' && typeof other === 'number';
    const relation = !isComparable ? 'changed' : (other - one) * direction > 0 ? 'narrowed' : 'widened';
    yield { path, relation, before, after };
  };
}

/** A constraint that is there or not. */
function* compareConstraint(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const relation = before === undefined ? 'narrowed' : after === undefined ? 'widened' : 'changed';
  yield { path, relation, before, after };
}

/** A schema that accepts everything if it is missing. */
function* compareOptional(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  if (isRecord(before) && isRecord(after)) yield* schemaChanges(before, after, path);
  else yield { path, relation: relationOfWhole(before, after), before, after };
}

/** Relation of schemas of which one is missing or a boolean. */
function relationOfWhole(before: unknown, after: unknown): SchemaRelation {
  const [one, other] = [acceptance(before), acceptance(after)];
  if (one === other) return one === 'some' ? 'changed' : 'text';
  if (one === 'all' || other === 'none') return 'narrowed';
  return 'widened';
}

function acceptance(schema: unknown): 'all' | 'none' | 'some' {
  if (schema === undefined || schema === true || (isRecord(schema) && Object.keys(schema).length === 0))
    return 'all';
  return schema === false ? 'none' : 'some';
}

function* compareByName(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const [one, other] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [was, is] = [ownValue(one, name), ownValue(other, name)];
    if (canonical(was ?? absent) !== canonical(is ?? absent))
      yield* compareOptional(was, is, [...path, name]);
  }
}

/** Definitions accept nothing by themselves: only a changed one counts. */
function* compareDefinitions(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const [one, other] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [was, is] = [ownValue(one, name), ownValue(other, name)];
    if (was === undefined || is === undefined)
      yield { path: [...path, name], relation: 'text', before: was, after: is };
    else yield* schemaChanges(was, is, [...path, name]);
  }
}

/** Alternatives: one more accepts more. */
function* compareAlternatives(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  if (!Array.isArray(before) || !Array.isArray(after)) {
    yield { path, relation: before === undefined ? 'narrowed' : 'widened', before, after };
    return;
  }
  const [one, other] = [new Set(before.map(canonical)), new Set(after.map(canonical))];
  const gone = [...one].filter((text) => !other.has(text));
  const fresh = [...other].filter((text) => !one.has(text));
  // With one change each, it is the same alternative.
  if (before.length === after.length && gone.length === fresh.length && gone.length === 1) {
    const was: unknown = before.find((schema) => canonical(schema) === gone[0]);
    const is: unknown = after.find((schema) => canonical(schema) === fresh[0]);
    yield* schemaChanges(was, is, [...path, after.indexOf(is)]);
    return;
  }
  const relation =
    gone.length > 0 && fresh.length > 0
      ? 'changed'
      : gone.length > 0
        ? 'narrowed'
        : fresh.length > 0
          ? 'widened'
          : 'text';
  yield { path, relation, before, after };
}

/** Schemas that all hold, by index. */
function* compareAll(before: unknown, after: unknown, path: DocumentPath): Generator<SchemaChange> {
  const [one, other] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [was, is]: readonly unknown[] = [one[index], other[index]];
    if (canonical(was ?? absent) !== canonical(is ?? absent))
      yield* compareOptional(was, is, [...path, index]);
  }
  if (one.length + other.length === 0) yield { path, relation: 'text', before, after };
}

function* compareProperties(before: Schema, after: Schema, path: DocumentPath): Generator<SchemaChange> {
  const [one, other] = [propertiesOf(before), propertiesOf(after)];
  const [needed, neededNow] = [requiredOf(before), requiredOf(after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other), ...needed, ...neededNow]);
  for (const name of names) {
    const [was, is] = [ownValue(one, name), ownValue(other, name)];
    const place = [...path, 'properties', name];
    if (was === undefined && is !== undefined) {
      yield { path: place, relation: neededNow.has(name) ? 'required' : 'added', before: was, after: is };
      continue;
    }
    if (was !== undefined && is === undefined) {
      yield { path: place, relation: 'removed', before: was, after: is };
      continue;
    }
    if (was !== undefined) yield* schemaChanges(was, is, place);
    const [wasNeeded, isNeeded] = [needed.has(name), neededNow.has(name)];
    if (wasNeeded === isNeeded) continue;
    const relation = isNeeded ? 'narrowed' : 'widened';
    yield { path: [...path, 'required', name], relation, before: wasNeeded, after: isNeeded };
  }
}

/** Sets of accepted values; undefined accepts all. */
function* compareSets(
  before: ReadonlySet<string> | undefined,
  after: ReadonlySet<string> | undefined,
  path: DocumentPath,
): Generator<SchemaChange> {
  const losesSome =
    after !== undefined && (before === undefined || [...before].some((value) => !after.has(value)));
  const getsSome =
    before !== undefined && (after === undefined || [...after].some((value) => !before.has(value)));
  if (!losesSome && !getsSome) return;
  const relation = losesSome && getsSome ? 'changed' : losesSome ? 'narrowed' : 'widened';
  yield { path, relation, before: listOf(before), after: listOf(after) };
}

function listOf(values: ReadonlySet<string> | undefined): unknown {
  return values && [...values].map((text): unknown => JSON.parse(text));
}

function allowedValues(schema: Schema): ReadonlySet<string> | undefined {
  if ('const' in schema) return new Set([canonical(schema.const)]);
  return Array.isArray(schema.enum) ? new Set(schema.enum.map(canonical)) : undefined;
}

/** Types, with integers as a part of the numbers. */
function typesOf(type: unknown): ReadonlySet<string> | undefined {
  if (type === undefined) return undefined;
  const types = [type].flat();
  return new Set([...types, ...(types.includes('number') ? ['integer'] : [])].map(canonical));
}

/** `false` and a missing keyword accept all. */
function flag(value: unknown): ReadonlySet<string> | undefined {
  return value === true ? new Set() : undefined;
}

function propertiesOf({ properties }: Schema): Schema {
  return isRecord(properties) ? properties : {};
}

function requiredOf({ required }: Schema): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

function asSchema(value: unknown): Schema | undefined {
  if (value === undefined || value === true) return {};
  return isRecord(value) ? value : undefined;
}

function ownValue(value: Schema, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
