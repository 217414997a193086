import { didYouMean } from '../base/did-you-mean.js';
import { isRecord } from '../base/value-checks.js';
import type { DocTag, SourcePosition } from './type-source.js';

/** A schema under construction. */
export type SchemaDraft = Record<string, unknown>;

/** A problem with a tag. */
export interface TagFault {
  readonly tag: string;
  readonly reason: string;
  readonly position: SourcePosition;
}

type JsonType = 'string' | 'number' | 'array' | 'object';

/** A tag that constrains or annotates values. */
interface ConstraintTag {
  readonly keyword: string;
  /** The JSON type that the tag applies to. Absent: any type. */
  readonly of?: JsonType;
  /** Parses the text to the keyword's value; undefined if the text is invalid. */
  read(text: string, draft: SchemaDraft): unknown;
  /** Description of a valid text, for messages. */
  readonly expected: string;
}

const numeric = (keyword: string, of: JsonType): ConstraintTag => ({
  keyword,
  of,
  read: (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  expected: 'a number',
});

const count = (keyword: string, of: JsonType): ConstraintTag => ({
  keyword,
  of,
  read: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  expected: 'a whole number, 0 or more',
});

/** The tags that become keywords of a schema, on properties and on named types. */
const constraints: Readonly<Record<string, ConstraintTag>> = {
  minimum: numeric('minimum', 'number'),
  maximum: numeric('maximum', 'number'),
  exclusiveMinimum: numeric('exclusiveMinimum', 'number'),
  exclusiveMaximum: numeric('exclusiveMaximum', 'number'),
  multipleOf: {
    ...numeric('multipleOf', 'number'),
    read: (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? Number(text) : undefined),
    expected: 'a number above 0',
  },
  minLength: count('minLength', 'string'),
  maxLength: count('maxLength', 'string'),
  minItems: count('minItems', 'array'),
  maxItems: count('maxItems', 'array'),
  pattern: { keyword: 'pattern', of: 'string', read: readPattern, expected: 'a regular expression' },
  format: {
    keyword: 'format',
    of: 'string',
    read: (text) => (/^\S+$/.test(text) ? text : undefined),
    expected: 'the name of a format, such as email',
  },
  integer: {
    keyword: 'type',
    of: 'number',
    read: (text) => (text === '' ? 'integer' : undefined),
    expected: 'nothing',
  },
  asType: {
    keyword: 'type',
    of: 'number',
    read: (text) => (text === 'integer' ? 'integer' : undefined),
    expected: 'integer',
  },
  title: { keyword: 'title', read: (text) => text || undefined, expected: 'a text' },
  deprecated: { keyword: 'deprecated', read: () => true, expected: '' },
};

/** The tags that constrain values. They have no effect on a function. */
export const valueTags: readonly string[] = [
  ...Object.keys(constraints).filter((name) => name !== 'title' && name !== 'deprecated'),
  'default',
];

/** The tags with an effect on a property or a type. */
export const propertyTags: readonly string[] = [...Object.keys(constraints), 'default', 'example'];

/**
 * Tags of other tools, so they are not typos of AgentTools' tags. @see https://jsdoc.app and
 * https://tsdoc.org
 */
const foreignTags = new Set(
  'arg argument async author beta callback class const constant default defaultValue deprecated description enum event example experimental fires function global ignore internal link member memberof method module name namespace override overload packageDocumentation private privateRemarks property prop protected public readonly remarks return sealed see since static summary template this throws todo type typedef typeParam var version virtual yields'.split(
    ' ',
  ),
);

/** The known tag that an unknown one is probably a typo of; undefined if no tag is similar. */
export function suggestTag(name: string, known: readonly string[]): string | undefined {
  return known.includes(name) || foreignTags.has(name) ? undefined : didYouMean(name, known);
}

function readPattern(text: string): string | undefined {
  try {
    new RegExp(text, 'u');
    return text || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The value of a default or example: JSON if it matches the schema, else the text; undefined if the text is
 * empty.
 */
function readValue(text: string, draft: SchemaDraft): unknown {
  if (text === '') return undefined;
  const parsed = parseTagValue(text);
  return parsed !== undefined && matchesDraft(parsed, draft) ? parsed : text;
}

function parseTagValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JavaScript also has single quotes.
    return /^'[^'\\]*'$/.test(text) ? text.slice(1, -1) : undefined;
  }
}

/** Adds the keywords of tags to a schema. Returns the faults of tags that cannot apply. */
export function applyTags(draft: SchemaDraft, tags: readonly DocTag[]): TagFault[] {
  const faults: TagFault[] = [];
  for (const { name, text, position } of tags) {
    // Defaults and examples come last: they are checked against all other keywords.
    if (isValueTag(name)) continue;
    if (!Object.hasOwn(constraints, name)) continue;
    const { keyword, of, read, expected } = constraints[name]!;
    const value = read(text, draft);
    const fitting = of === undefined ? [draft] : flattenAnyOf(draft).filter((member) => mayBe(member, of));
    if (value === undefined)
      faults.push({ tag: name, reason: `takes ${expected}, and is "${text}"`, position });
    else if (fitting.length === 0)
      faults.push({ tag: name, reason: `applies to ${typeWords[of!]} only`, position });
    else for (const member of fitting) member[keyword] = value;
  }
  for (const { name, text, position } of tags.filter((tag) => isValueTag(tag.name))) {
    const value = readValue(text, draft);
    if (!matchesDraft(value, draft)) {
      const reason = `takes a value of its type, and is ${text === '' ? 'empty' : text}`;
      faults.push({ tag: name, reason, position });
    } else if (name === 'default') draft.default = value;
    else draft.examples = [...(Array.isArray(draft.examples) ? draft.examples : []), value];
  }
  return faults;
}

function isValueTag(name: string): boolean {
  return name === 'default' || name === 'example';
}

/** True if a value matches the type of a schema; bounds are not checked. */
export function matchesDraft(value: unknown, draft: SchemaDraft): boolean {
  const { anyOf, type, items, properties, additionalProperties: others } = draft;
  if (value === undefined) return false;
  if (Array.isArray(anyOf)) return (anyOf as SchemaDraft[]).some((one) => matchesDraft(value, one));
  if ('const' in draft) return value === draft.const;
  if (Array.isArray(draft.enum)) return draft.enum.includes(value);
  if (typeof type !== 'string') return true;
  if (!typeChecks[type as keyof typeof typeChecks](value)) return false;
  if (Array.isArray(value)) return !isRecord(items) || value.every((one) => matchesDraft(one, items));
  if (!isRecord(value)) return true;
  const held = isRecord(properties) ? properties : {};
  return Object.entries(value).every(([key, one]) => {
    const said = Object.hasOwn(held, key) ? held[key] : others;
    return !isRecord(said) || matchesDraft(one, said);
  });
}

const typeChecks = {
  string: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  integer: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  null: (value: unknown) => value === null,
  array: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => isRecord(value),
} as const;

const typeWords = {
  string: 'strings',
  number: 'numbers',
  array: 'lists',
  object: 'objects',
} as const satisfies Record<JsonType, string>;

/** The schema itself, or the members of its `anyOf`. */
function flattenAnyOf(draft: SchemaDraft): SchemaDraft[] {
  return Array.isArray(draft.anyOf) ? (draft.anyOf as SchemaDraft[]).flatMap(flattenAnyOf) : [draft];
}

function mayBe(draft: SchemaDraft, type: JsonType): boolean {
  if (Array.isArray(draft.anyOf)) return flattenAnyOf(draft).some((member) => mayBe(member, type));
  const { type: held } = draft;
  if (held === undefined) return !('const' in draft || 'enum' in draft || '$ref' in draft);
  return held === type || (held === 'integer' && type === 'number');
}
