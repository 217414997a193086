import { isCount, isRecord, isString, isStringList } from '../base/value-checks.js';
import type { Dialect } from './dialects.js';
import { isPattern } from './field-options.js';
import { SchemaError } from './schema-error.js';
import type { Subschema } from './walk-schema.js';

/** Expected value, as the end of the sentence `"type" must be …`, and a check for it. */
type KeywordRule = readonly [expected: string, check: (value: unknown) => boolean];

/** Calls run a pattern without the "u" flag if it is valid only without. */
function isRegExp(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return isPattern(text);
  }
}

/** All values of the keyword `type`. */
export const types: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isType = (value: unknown) => typeof value === 'string' && types.includes(value);
const isSchema = (value: unknown) => isRecord(value) || typeof value === 'boolean';
const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;
const checkMapValues = (check: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && Object.values(value).every(check);

const schema: KeywordRule = ['a schema', isSchema];
const isSchemas = (value: unknown) => isFilled(value) && (value as unknown[]).every(isSchema);
const schemas: KeywordRule = ['a list of schemas, at least one', isSchemas];
const schemaMap: KeywordRule = ['an object of schemas', checkMapValues(isSchema)];
const count: KeywordRule = ['a whole number, 0 or more', isCount];
const number: KeywordRule = ['a number', (value) => typeof value === 'number'];
const flag: KeywordRule = ['true or false', (value) => typeof value === 'boolean'];
const textRule: KeywordRule = ['a string', isString];
const anchor: KeywordRule = [
  'a name of A-Z a-z 0-9 _ . : - that begins with a letter or _',
  (value) => isString(value) && /^[A-Za-z_][-A-Za-z0-9._:]*$/.test(value as string),
];
const pattern: KeywordRule = [
  'a regular expression of ECMAScript',
  (value) => isString(value) && isRegExp(value as string),
];

type KeywordRules = Readonly<Record<string, KeywordRule>>;

/**
 * Keywords that mean the same in every dialect. Annotations (`title`, `examples`, …) are omitted: they break
 * no call.
 */
const commonKeywords: KeywordRules = {
  $id: textRule,
  $ref: textRule,
  type: [
    `one of: ${types.join(', ')}`,
    (value) => isType(value) || (isFilled(value) && (value as unknown[]).every(isType)),
  ],
  properties: schemaMap,
  patternProperties: [
    'an object of schemas by regular expressions',
    (value) => checkMapValues(isSchema)(value) && Object.keys(value as object).every(isRegExp),
  ],
  required: ['a list of names', isStringList],
  enum: ['a list of values, at least one', isFilled],
  format: textRule,
  pattern,
  additionalProperties: schema,
  propertyNames: schema,
  contains: schema,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  definitions: schemaMap,
  dependencies: [
    'an object of schemas and lists of names',
    checkMapValues((value) => isSchema(value) || isStringList(value)),
  ],
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
};

const items: KeywordRule = ['a schema, or a list of schemas', (value) => isSchema(value) || isSchemas(value)];

const keywordsOf7: KeywordRules = { ...commonKeywords, items, additionalItems: schema };

const keywordsOf2019: KeywordRules = {
  ...keywordsOf7,
  $anchor: anchor,
  $recursiveRef: textRule,
  $recursiveAnchor: flag,
  $defs: schemaMap,
  dependentSchemas: schemaMap,
  dependentRequired: ['an object of lists of names', checkMapValues(isStringList)],
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
  minContains: count,
  maxContains: count,
  contentSchema: schema,
};

const keywordRules: Readonly<Record<Dialect['id'], KeywordRules>> = {
  'draft-06': keywordsOf7,
  'draft-07': keywordsOf7,
  'draft-2019-09': keywordsOf2019,
  'draft-2020-12': {
    ...keywordsOf2019,
    $dynamicRef: textRule,
    $dynamicAnchor: anchor,
    items: schema,
    prefixItems: schemas,
  },
};

/**
 * Finds the first keyword with a value that no validator accepts. Loads no validator, so each server start
 * can run it. `validate` uses the meta-schema of the dialect instead.
 */
export function findKeywordFault(subschemas: readonly Subschema[], { id }: Dialect): SchemaError | undefined {
  const table = keywordRules[id];
  for (const { schema: found, path } of subschemas) {
    for (const key of Object.keys(found)) {
      const keyword = Object.hasOwn(table, key) ? table[key] : undefined;
      if (!keyword || keyword[1](found[key])) continue;
      return new SchemaError(`"${key}" must be ${keyword[0]}.`, [...path, key]);
    }
  }
  return undefined;
}
