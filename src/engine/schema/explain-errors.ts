import type { ErrorObject } from 'ajv';
import { formatPathName, fromPointer, type SchemaIssue, toPointer } from './schema-issue.js';

/** Rewrites Ajv errors as messages that name the parameter to fix, or the `whole` value. */
export function explainErrors(errors: readonly ErrorObject[], whole: string): SchemaIssue[] {
  const issues = errors
    .filter(({ keyword }) => !repeatingKeywords.includes(keyword))
    .map((error) => explainError(error, whole));
  const isFirst = (issue: SchemaIssue, index: number) =>
    issues.findIndex(({ path, message }) => path === issue.path && message === issue.message) === index;
  return issues.filter(isFirst);
}

/** Keywords that only repeat the failure of a nested keyword. */
const repeatingKeywords: readonly string[] = ['if'];

function explainError(error: ErrorObject, whole: string): SchemaIssue {
  const told = Object.hasOwn(explanations, error.keyword) ? explanations[error.keyword]!(error) : {};
  const path = [...fromPointer(error.instancePath), ...(told.into === undefined ? [] : [told.into])];
  return {
    path: toPointer(path),
    message: `${formatPathName(path, whole)} ${told.words ?? error.message ?? 'is not valid'}`,
  };
}

interface Explanation {
  /** Key of the faulty value, below the path that Ajv reports. */
  readonly into?: string;
  readonly words?: string;
}

/** Messages for keywords that Ajv explains poorly. */
const explanations: Readonly<Record<string, (error: ErrorObject) => Explanation>> = {
  required: ({ params }) => ({ into: params.missingProperty, words: 'is required' }),
  dependentRequired: ({ params }) => ({
    into: params.missingProperty,
    words: `is required together with "${params.property}"`,
  }),
  dependencies: ({ params }) => ({
    into: params.missingProperty,
    words: `is required together with "${params.property}"`,
  }),
  type: ({ params }) => ({ words: `must be ${[params.type].flat().join(' or ')}` }),
  enum: ({ params }) => ({ words: `must be one of: ${params.allowedValues.map(formatValue).join(', ')}` }),
  const: ({ params }) => ({ words: `must be ${formatValue(params.allowedValue)}` }),
  additionalProperties: ({ params, parentSchema }) => ({
    into: params.additionalProperty,
    words: `is not a known name${listKnownKeys(parentSchema)}`,
  }),
  unevaluatedProperties: ({ params, parentSchema }) => ({
    into: params.unevaluatedProperty,
    words: `is not a known name${listKnownKeys(parentSchema)}`,
  }),
  'false schema': () => ({ words: 'is not allowed' }),
};

function listKnownKeys(parentSchema: ErrorObject['parentSchema']): string {
  const names = Object.keys(parentSchema?.properties ?? {});
  return names.length > 0 ? ` (known: ${names.join(', ')})` : '';
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The fault in a value that Ajv could not compare; undefined for other errors. Ajv calls members named toString and
 * valueOf of compared objects.
 */
export function incomparable(error: unknown): string | undefined {
  const isAjv = error instanceof TypeError && /\.(?:toString|valueOf) is not a function/.test(error.message);
  return isAjv ? 'must not have members named "toString" or "valueOf" where values are compared' : undefined;
}
