import { isRecord, isString, isStringList } from '../base/value-checks.js';
import { plainParameterName } from '../compatibility/schema-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { mapSubschemas } from '../schema/map-subschemas.js';
import type { ValueMap } from './argument-map.js';

/** A schema in another form, and the way back for its values. */
export interface AdaptedSchema {
  readonly schema: JsonSchema;
  /** Absent if values fit as they are. */
  readonly map?: ValueMap;
}

/** Codes of the rules that parts of a schema must follow. */
type Needs = ReadonlySet<string>;

/** Brings all parts of a schema into the form that the rules demand. References must be inlined before. */
export function adaptParts(
  schema: JsonSchema,
  { needs, readsTypeLists }: Pick<PartSettings, 'needs' | 'readsTypeLists'>,
): AdaptedSchema {
  return adaptPart(schema, { needs, readsTypeLists, canMap: true });
}

interface PartSettings {
  readonly needs: Needs;
  /** True if the client reads lists of types. */
  readonly readsTypeLists: boolean;
  /** False below unions: the variant of a value is not known, so its values cannot be converted back. */
  readonly canMap: boolean;
}

function adaptPart(part: JsonSchema, settings: PartSettings): AdaptedSchema {
  const { needs } = settings;
  const plain = repairs.reduce(
    (schema, [code, repair]) => (needs.has(code) ? repair(schema, settings) : schema),
    part,
  );
  const choices =
    settings.canMap && needs.has('compat/enum-non-string') ? stringChoices(plain) : { schema: plain };
  const object = adaptObject(choices.schema, settings);
  const { schema, items } = adaptItems(object.schema, settings);
  const others = mapSubschemas(schema, (child, [keyword]) =>
    keyword === 'properties' || keyword === 'items' || !isRecord(child)
      ? child
      : adaptPart(child, { ...settings, canMap: false }).schema,
  );
  const map: ValueMap = { ...choices.map, ...object.map, ...(items && { items }) };
  return Object.keys(map).length === 0 ? { schema: others } : { schema: others, map };
}

type SchemaRepair = (part: JsonSchema, settings: PartSettings) => JsonSchema;

/** Changes of one part that widen it, or keep its values. */
const repairs: readonly (readonly [code: string, repair: SchemaRepair])[] = [
  ['compat/tool-list-rejected', withoutBooleans],
  ['compat/schema-tuple', tupleToArray],
  ['compat/nested-union', plainUnion],
  ['compat/type-array', oneType],
  ['compat/null-in-schema', withoutNulls],
  ['compat/untyped-property', withType],
  ['compat/array-without-items', withItems],
];

function withoutBooleans(part: JsonSchema): JsonSchema {
  return mapSubschemas(part, (child, [keyword]) =>
    typeof child === 'boolean' && keyword === 'properties' ? (child ? {} : { not: {} }) : child,
  );
}

/** An array with a schema for each position becomes one with a schema for all elements. */
function tupleToArray(part: JsonSchema): JsonSchema {
  const isOld = Array.isArray(part.items);
  const listed = isOld ? part.items : part.prefixItems;
  if (!Array.isArray(listed)) return part;
  const { prefixItems: _, additionalItems, items, ...kept } = part;
  const rest = isOld ? additionalItems : items;
  const variants = distinct([...listed, ...(isRecord(rest) ? [rest] : [])].filter(isRecord));
  const isClosed = rest === false;
  return {
    ...kept,
    items: variants.length === 1 ? variants[0] : variants.length === 0 ? {} : { anyOf: variants },
    ...(isClosed && kept.maxItems === undefined && { maxItems: listed.length }),
    description: withSentence(
      kept.description,
      `Elements in this order: ${listed.map(elementInWords).join(', ')}.`,
    ),
  };
}

function elementInWords(element: unknown): string {
  if (!isRecord(element)) return 'any value';
  if (isString(element.description)) return element.description.replace(/\.$/, '');
  if (isString(element.title)) return element.title;
  return isString(element.type) ? element.type : 'any value';
}

function withSentence(text: unknown, sentence: string): string {
  return isString(text) && text.trim() !== ''
    ? `${text.trimEnd().replace(/[^.!?]$/, '$&.')} ${sentence}`
    : sentence;
}

/** `oneOf` becomes `anyOf`; a union of one schema becomes this schema. Unions with null lose null. */
function plainUnion(part: JsonSchema): JsonSchema {
  const { oneOf, ...kept } = part;
  const union = oneOf !== undefined && part.anyOf === undefined ? { ...kept, anyOf: oneOf } : part;
  for (const keyword of ['anyOf', 'allOf'] as const) {
    const variants = union[keyword];
    if (!Array.isArray(variants)) continue;
    const real = keyword === 'anyOf' ? variants.filter((one) => !isNullSchema(one)) : variants;
    const [only] = real;
    const { [keyword]: _, ...beside } = union;
    if (real.length === 1 && isRecord(only) && !Object.keys(beside).some((key) => isConflict(key, only)))
      return { ...only, ...beside };
  }
  return union;
}

function isConflict(key: string, { [key]: value }: JsonSchema): boolean {
  return value !== undefined && !['title', 'description', 'default', 'examples'].includes(key);
}

function isNullSchema(schema: unknown): boolean {
  return isRecord(schema) && (schema.type === 'null' || schema.const === null);
}

/** A list of types becomes one type without null, or a union. */
function oneType(part: JsonSchema): JsonSchema {
  if (!Array.isArray(part.type)) return part;
  const { type, ...kept } = part;
  const types = (part.type as unknown[]).filter((one) => one !== 'null');
  if (types.length === 1) return { ...withoutNulls(kept), type: types[0] };
  return types.length === 0 ? part : { ...kept, anyOf: types.map((one) => ({ type: one })) };
}

function withoutNulls(part: JsonSchema): JsonSchema {
  const { default: preset, enum: choices, examples, ...kept } = part;
  // A schema that allows only null has no other form.
  if (Array.isArray(choices) && choices.every((one) => one === null)) return part;
  return {
    ...kept,
    ...(preset !== undefined && preset !== null && { default: preset }),
    ...(Array.isArray(choices) && { enum: choices.filter((one) => one !== null) }),
    ...(Array.isArray(examples) && { examples: examples.filter((one) => one !== null) }),
  };
}

/** Adds the type that the allowed or usual values have. */
function withType(part: JsonSchema, { readsTypeLists }: PartSettings): JsonSchema {
  const typing = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if'];
  if (typing.some((keyword) => part[keyword] !== undefined)) return part;
  const type = typeFromKeywords(part);
  if (type !== undefined) return { ...part, type };
  return readsTypeLists ? { ...part, type: anyType } : part;
}

/** The types of any value. */
const anyType = ['string', 'number', 'boolean', 'object', 'array', 'null'];

function typeFromKeywords(part: JsonSchema): string | undefined {
  if (isRecord(part.properties)) return 'object';
  if (part.items !== undefined) return 'array';
  const values = Array.isArray(part.enum) ? part.enum : part.const === undefined ? [] : [part.const];
  const types = new Set(values.map(typeName));
  return types.size === 1 ? [...types][0] : undefined;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withItems(part: JsonSchema): JsonSchema {
  return part.type === 'array' && part.items === undefined && part.prefixItems === undefined
    ? { ...part, items: {} }
    : part;
}

/** Choices that are not strings become strings. */
function stringChoices(part: JsonSchema): AdaptedSchema {
  const choices = part.const === undefined ? part.enum : [part.const];
  if (!Array.isArray(choices) || choices.every(isString) || choices.length === 0) return { schema: part };
  const named = choices.map((value) => [isString(value) ? value : JSON.stringify(value), value] as const);
  const values = new Map(named);
  // A choice such as "1" beside 1 has no other name.
  if (values.size < choices.length) return { schema: part };
  const { const: _, enum: __, default: preset, type: ___, ...kept } = part;
  const text = named.find(([, value]) => JSON.stringify(value) === JSON.stringify(preset))?.[0];
  return {
    schema: {
      ...kept,
      type: 'string',
      enum: [...values.keys()],
      ...(text !== undefined && { default: text }),
    },
    map: { values },
  };
}

interface AdaptedObject {
  readonly schema: JsonSchema;
  readonly map?: Pick<ValueMap, 'names' | 'nulls' | 'properties'>;
}

function adaptObject(part: JsonSchema, settings: PartSettings): AdaptedObject {
  if (!isRecord(part.properties)) return { schema: part };
  const required = isStringList(part.required) ? part.required : [];
  const names = parameterNames(Object.keys(part.properties), settings);
  const properties = new Map<string, ValueMap>();
  const nulls: string[] = [];
  const entries = Object.entries(part.properties).map(([name, child]) => {
    const adapted: AdaptedSchema = isRecord(child)
      ? adaptPart(child, settings)
      : { schema: child as JsonSchema };
    if (adapted.map) properties.set(name, adapted.map);
    if (required.includes(name) && lostNull(child, adapted.schema)) nulls.push(name);
    return [names.get(name) ?? name, adapted.schema] as const;
  });
  const renamed = new Map([...names].map(([name, other]) => [other, name]));
  const stillRequired = required
    .filter((name) => !(settings.canMap && nulls.includes(name)))
    .map((name) => names.get(name) ?? name);
  const { required: _, ...kept } = part;
  return {
    schema: {
      ...kept,
      properties: Object.fromEntries(entries),
      ...(stillRequired.length > 0 && { required: stillRequired }),
    },
    map: {
      ...(renamed.size > 0 && { names: renamed }),
      ...(nulls.length > 0 && settings.canMap && { nulls }),
      ...(properties.size > 0 && { properties }),
    },
  };
}

/** True if a schema allowed null, and its new form does not. */
function lostNull(before: unknown, after: JsonSchema): boolean {
  return allowsNull(before) && !allowsNull(after);
}

function allowsNull(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true;
  const { type, anyOf, oneOf, enum: choices } = schema;
  if (Array.isArray(type)) return type.includes('null');
  const variants = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(variants)) return variants.some(allowsNull);
  if (Array.isArray(choices)) return choices.includes(null);
  return type === 'null' || schema.const === null;
}

/** New names of the properties that need one. */
function parameterNames(
  names: readonly string[],
  { needs, canMap }: PartSettings,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  if (!canMap || !needs.has('compat/param-name-charset')) return renamed;
  const taken = new Set(names);
  for (const name of names) {
    const plain = plainParameterName(name);
    if (plain === name) continue;
    let free = plain;
    for (let count = 2; taken.has(free); count++) free = `${plain.slice(0, 60)}_${count}`;
    taken.add(free);
    renamed.set(name, free);
  }
  return renamed;
}

function adaptItems(part: JsonSchema, settings: PartSettings): { schema: JsonSchema; items?: ValueMap } {
  const { items } = part;
  if (Array.isArray(items))
    return {
      schema: {
        ...part,
        items: items.map((one) =>
          isRecord(one) ? adaptPart(one, { ...settings, canMap: false }).schema : one,
        ),
      },
    };
  if (!isRecord(items)) return { schema: part };
  const adapted = adaptPart(items, settings);
  const schema = adapted.schema === items ? part : { ...part, items: adapted.schema };
  return adapted.map ? { schema, items: adapted.map } : { schema };
}

function distinct(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
  const seen = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  return [...seen.values()];
}
