import type { ErrorObject } from 'ajv';
import { formatPathName, fromPointer, type SchemaIssue, toPointer } from './schema-issue.js';

/** Says Ajv's errors in words that name the parameter to mend, or the `whole` value. */
export function explainErrors(errors: readonly ErrorObject[], whole: string): SchemaIssue[] {
  const issues = errors
    .filter(({ keyword }) => !echoes.includes(keyword))
    .map((error) => explainError(error, whole));
  const isFirst = (issue: SchemaIssue, index: number) =>
    issues.findIndex(({ path, message }) => path === issue.path && message === issue.message) === index;
  return issues.filter(isFirst);
}

/** Keywords that only repeat that a nested one has failed. */
const echoes: readonly string[] = ['if'];

function explainError(error: ErrorObject, whole: string): SchemaIssue {
  const told = Object.hasOwn(explanations, error.keyword) ? explanations[error.keyword]!(error) : {};
  const path = [...fromPointer(error.instancePath), ...(told.into === undefined ? [] : [told.into])];
  return {
    path: toPointer(path),
    message: `${formatPathName(path, whole)} ${told.words ?? error.message ?? 'is not valid'}`,
  };
}

interface Explanation {
  /** The key the error is really about, below the place Ajv names. */
  readonly into?: string;
  readonly words?: string;
}

/** Keywords for which Ajv's own words do not say enough. */
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
