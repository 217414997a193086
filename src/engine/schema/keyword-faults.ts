import { isRecord } from './compiled.js';
import { isPattern } from './field-options.js';
import { SchemaError } from './schema-error.js';
import { walkSchema } from './walk.js';

/** A check of a keyword's value, and the end of the sentence `"type" must be …`. */
type Keyword = readonly [expected: string, check: (value: unknown) => boolean];

/** Calls run patterns without the "u" flag where they are legal only so. */
function isRegExp(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return isPattern(text);
  }
}

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isType = (value: unknown) => typeof value === 'string' && types.includes(value);
const isSchema = (value: unknown) => isRecord(value) || typeof value === 'boolean';
const isText = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

const schema: Keyword = ['a schema', isSchema];
const schemas: Keyword = ['a list of schemas', (value) => Array.isArray(value) && value.every(isSchema)];
const schemaMap: Keyword = [
  'an object of schemas',
  (value) => isRecord(value) && Object.values(value).every(isSchema),
];
const count: Keyword = ['a whole number, 0 or more', isCount];
const number: Keyword = ['a number', (value) => typeof value === 'number'];
const pattern: Keyword = [
  'a regular expression of ECMAScript',
  (value) => isText(value) && isRegExp(value as string),
];

/** Keywords that every dialect reads alike. */
const keywords: Readonly<Record<string, Keyword>> = {
  type: [
    `one of: ${types.join(', ')}`,
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  ],
  properties: schemaMap,
  patternProperties: [
    'an object of schemas by regular expressions',
    (value) => schemaMap[1](value) && Object.keys(value as object).every(isRegExp),
  ],
  required: ['a list of names', (value) => Array.isArray(value) && value.every(isText)],
  enum: ['a list', Array.isArray],
  pattern,
  additionalProperties: schema,
  propertyNames: schema,
  items: ['a schema, or a list of schemas', (value) => isSchema(value) || schemas[1](value)],
  contains: schema,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  minimum: number,
  maximum: number,
  multipleOf: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
};

/**
 * The first keyword whose value no validator accepts. Loads no validator, so it is cheap enough for every start.
 * `validate` compares with the meta-schema of the dialect.
 */
export function findKeywordFault(root: unknown): SchemaError | undefined {
  for (const { schema: found, path } of walkSchema(root)) {
    for (const key of Object.keys(found)) {
      const keyword = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
      if (!keyword || keyword[1](found[key])) continue;
      return new SchemaError(`"${key}" must be ${keyword[0]}.`, [...path, key]);
    }
  }
  return undefined;
}
