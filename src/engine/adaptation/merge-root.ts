import { isRecord, isString, isStringList } from '../base/value-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';

/** Keywords at a root that clients and APIs refuse. */
const refused = [
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
];

const maxDescribed = 6;

/** A root without unions, and the variants in words. */
export interface MergedRoot {
  readonly schema: JsonSchema;
  /** Empty if the schema had no variants. */
  readonly words: string;
}

/** Properties that an object may have, and must have. */
interface ObjectForm {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  /** False if no other properties are allowed. */
  readonly isOpen: boolean;
}

/**
 * Merges the variants of a root to one object, which accepts all values that the schema accepts, and more. The server still
 * checks arguments with the schema itself.
 */
export function mergeRoot(schema: JsonSchema): MergedRoot {
  if (!refused.some((keyword) => schema[keyword] !== undefined)) return { schema, words: '' };
  const { properties, required, isOpen } = formOf(schema);
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([key]) => !refused.includes(key) && key !== 'additionalProperties'),
  );
  const { additionalProperties: others } = schema;
  return {
    schema: {
      ...kept,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.size > 0 && { required: [...required] }),
      ...(isOpen ? isRecord(others) && { additionalProperties: others } : { additionalProperties: false }),
    },
    words: variantsInWords(schema),
  };
}

function formOf(schema: JsonSchema): ObjectForm {
  const own: ObjectForm = {
    properties: new Map(isRecord(schema.properties) ? Object.entries(schema.properties) : []),
    required: new Set(isStringList(schema.required) ? schema.required : []),
    isOpen: schema.additionalProperties !== false,
  };
  const forms = [own, ...listOf(schema.allOf).map(formOf)];
  for (const keyword of ['oneOf', 'anyOf']) {
    const variants = listOf(schema[keyword]).map(formOf);
    if (variants.length > 0) forms.push(withoutDoubts(variants, own));
  }
  const form = forms.reduce(both);
  const conditional = [schema.then, schema.else, ...dependent(schema)].filter(isRecord).map(formOf);
  return conditional.reduce(withOptional, form);
}

function dependent({ dependentSchemas }: JsonSchema): readonly unknown[] {
  return isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [];
}

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The form of values that fit one of some forms, without properties of the object that some variants allow any value for. */
function withoutDoubts(variants: readonly ObjectForm[], { properties: known }: ObjectForm): ObjectForm {
  const form = variants.reduce(either);
  const properties = [...form.properties].filter(
    ([name]) => !known.has(name) || variants.every((variant) => variant.properties.has(name)),
  );
  return { ...form, properties: new Map(properties) };
}

/** The form of values that fit one of two forms. */
function either(a: ObjectForm, b: ObjectForm): ObjectForm {
  const properties = new Map(a.properties);
  for (const [name, schema] of b.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? schema : anyOf(known, schema));
  }
  return {
    properties,
    required: new Set([...a.required].filter((name) => b.required.has(name))),
    isOpen: a.isOpen || b.isOpen,
  };
}

/** The form of values that fit two forms. */
function both(a: ObjectForm, b: ObjectForm): ObjectForm {
  const properties = new Map(a.properties);
  for (const [name, schema] of b.properties) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? schema : allOf(known, schema));
  }
  return {
    properties,
    required: new Set([...a.required, ...b.required]),
    isOpen: a.isOpen && b.isOpen,
  };
}

/** A form with the properties of a condition that it lacks, all optional. */
function withOptional(form: ObjectForm, condition: ObjectForm): ObjectForm {
  const added = [...condition.properties].filter(([name]) => !form.properties.has(name));
  return { ...form, properties: new Map([...form.properties, ...added]) };
}

/** A schema for the values of two schemas: of strings to choose from, one list. */
function anyOf(a: unknown, b: unknown): unknown {
  if (sameJson(a, b)) return a;
  const [first, second] = [choicesOf(a), choicesOf(b)];
  if (first && second && isRecord(a)) {
    const { const: _, enum: __, ...rest } = a;
    return { ...rest, type: 'string', enum: [...new Set([...first, ...second])] };
  }
  const listed = isRecord(a) && Object.keys(a).length === 1 && Array.isArray(a.anyOf) ? a.anyOf : [a];
  return listed.some((one) => sameJson(one, b)) ? a : { anyOf: [...listed, b] };
}

function allOf(a: unknown, b: unknown): unknown {
  if (sameJson(a, b) || isAny(b)) return a;
  return isAny(a) ? b : { allOf: [a, b] };
}

/** True for a schema that accepts any value, and has no words. */
function isAny(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

function choicesOf(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined;
  if (isString(schema.const)) return [schema.const];
  return isStringList(schema.enum) ? schema.enum : undefined;
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The variants of a root: `Give either kind "circle" and radius, or kind "square" and side.` */
function variantsInWords(schema: JsonSchema): string {
  const variants = listOf(schema.oneOf ?? schema.anyOf);
  const texts = [...new Set(variants.map(variantInWords).filter((text) => text !== ''))];
  if (texts.length < 2) return '';
  const shown = texts.slice(0, maxDescribed);
  const others = texts.length > shown.length ? ', or another form' : '';
  return `Give either ${shown.join(', or ')}${others}.`;
}

function variantInWords(variant: JsonSchema): string {
  const { properties, required } = formOf(variant);
  const parts = [...required].map((name) => {
    const value = properties.get(name);
    const fixed = isRecord(value) ? (value.const ?? onlyChoice(value.enum)) : undefined;
    return fixed === undefined ? name : `${name} ${JSON.stringify(fixed)}`;
  });
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function onlyChoice(choices: unknown): unknown {
  return Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
}
