import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/value-checks.js';

/**
 * True if a value fits a schema, false if not, undefined if a keyword needs a validator to decide. A starting
 * server should not wait for a validator.
 */
export function fitsSchema(value: unknown, schema: unknown): boolean | undefined {
  if (typeof schema === 'boolean') return schema;
  if (!isRecord(schema)) return undefined;
  const judged = Object.entries(schema).map(([keyword, wanted]) =>
    Object.hasOwn(keywordChecks, keyword) ? keywordChecks[keyword]!(value, wanted) : undefined,
  );
  if (judged.includes(false)) return false;
  return judged.includes(undefined) ? undefined : true;
}

type KeywordCheck = (value: unknown, wanted: unknown) => boolean | undefined;

const annotation: KeywordCheck = () => true;

const keywordChecks: Readonly<Record<string, KeywordCheck>> = {
  type: (value, wanted) => [wanted].flat().some((type) => isOfType(value, type)),
  enum: (value, wanted) =>
    Array.isArray(wanted) ? wanted.some((one) => isDeepStrictEqual(one, value)) : undefined,
  const: (value, wanted) => isDeepStrictEqual(wanted, value),
  minimum: numeric((value, limit) => value >= limit),
  maximum: numeric((value, limit) => value <= limit),
  exclusiveMinimum: numeric((value, limit) => value > limit),
  exclusiveMaximum: numeric((value, limit) => value < limit),
  minLength: (value, limit) => typeof value !== 'string' || [...value].length >= Number(limit),
  maxLength: (value, limit) => typeof value !== 'string' || [...value].length <= Number(limit),
  title: annotation,
  description: annotation,
  default: annotation,
  examples: annotation,
  deprecated: annotation,
  $comment: annotation,
};

function numeric(isRight: (value: number, limit: number) => boolean): KeywordCheck {
  return (value, limit) => {
    if (typeof limit !== 'number') return undefined;
    return typeof value !== 'number' || isRight(value, limit);
  };
}

export function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  // All other type names are results of `typeof`.
  return typeof value === type;
}
