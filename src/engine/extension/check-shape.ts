import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import type { DefinitionShape, KeyShape, ValueType } from './key-shape.js';

/** A key with a value that does not match its shape. */
export interface ShapeFault {
  readonly path: DocumentPath;
  readonly problem: 'missing' | 'type' | 'value' | 'unknown';
  /** The expected value, in words. */
  readonly expected: string;
  /** Known keys at this path, for a suggestion. */
  readonly known?: readonly string[];
}

/**
 * Compares a definition with its shape. Reports unknown keys as `unknown`. Allows all keys that begin with
 * `x-`.
 */
export function* checkShape(
  value: Readonly<Record<string, unknown>>,
  shape: DefinitionShape,
  at: DocumentPath = [],
): Generator<ShapeFault> {
  const known = Object.keys(shape);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key) || key.startsWith('x-') || key === '$schema') continue;
    yield { path: [...at, key], problem: 'unknown', expected: known.join(', '), known };
  }
  for (const [key, field] of Object.entries(shape)) {
    const path = [...at, key];
    const held = Object.hasOwn(value, key) ? value[key] : undefined;
    if (held === undefined) {
      if (field.required) yield { path, problem: 'missing', expected: typeNames(field) };
      continue;
    }
    if (held === null && field.nullable) continue;
    if (!field.types.some((type) => typeCheckers[type](held))) {
      yield { path, problem: 'type', expected: typeNames(field) };
      continue;
    }
    if (field.values && !hasOnly(field.values, held)) {
      yield { path, problem: 'value', expected: field.values.map((one) => JSON.stringify(one)).join(', ') };
    }
    if (field.shape && (!Array.isArray(held) || field.types.includes('list')) && !isFunctionLike(held))
      yield* checkNested(held, field.shape, path);
    if (field.each && isRecord(held)) yield* checkEach(held, field.each, path);
  }
}

/**
 * True for an allowed string, or a non-empty list of allowed strings. Ignores values that are not strings.
 */
function hasOnly(values: readonly string[], held: unknown): boolean {
  const all = Array.isArray(held) ? held : [held];
  return all.length > 0 && all.every((one) => typeof one !== 'string' || values.includes(one));
}

function* checkNested(held: unknown, shape: DefinitionShape, at: DocumentPath): Generator<ShapeFault> {
  if (!Array.isArray(held)) {
    if (isRecord(held)) yield* checkShape(held, shape, at);
    return;
  }
  for (const [index, entry] of held.entries()) {
    if (isRecord(entry)) yield* checkShape(entry, shape, [...at, index]);
    else yield { path: [...at, index], problem: 'type', expected: 'an object' };
  }
}

function* checkEach(
  held: Readonly<Record<string, unknown>>,
  shape: DefinitionShape,
  at: DocumentPath,
): Generator<ShapeFault> {
  for (const [key, entry] of Object.entries(held)) {
    if (isRecord(entry)) yield* checkShape(entry, shape, [...at, key]);
    else yield { path: [...at, key], problem: 'type', expected: 'an object' };
  }
}

function typeNames(field: KeyShape): string {
  return field.types.map((type) => valueTypeWords[type]).join(' or ');
}

const valueTypeWords = {
  string: 'a string',
  boolean: 'true or false',
  'positive-number': 'a number above 0',
  count: 'a whole number, 0 or more',
  strings: 'a string or a list of strings',
  'string-list': 'a list of strings',
  texts: 'an object of strings',
  needs: 'a string, or a list of strings and of lists of strings of which one suffices',
  object: 'an object',
  list: 'a list',
  callable: 'a function or a module reference such as "./dist/file.js#name"',
  schema: 'a schema: a field spec, a JSON Schema object or text, or a Standard Schema',
  'raw-schema': 'a JSON Schema object or its text',
  any: 'a value',
} as const satisfies Record<ValueType, string>;

const typeCheckers = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'positive-number': (value) => typeof value === 'number' && value > 0 && Number.isFinite(value),
  strings: (value) => typeof value === 'string' || isStringList(value),
  'string-list': isStringList,
  texts: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'string'),
  needs: (value) => typeof value === 'string' || (Array.isArray(value) && value.every(isNeed)),
  object: isPlainRecord,
  list: Array.isArray,
  callable: (value) => isFunctionLike(value) || typeof value === 'string',
  schema: (value) =>
    isRecord(value) || Array.isArray(value) || typeof value === 'string' || typeof value === 'function',
  'raw-schema': (value) => isPlainRecord(value) || typeof value === 'string',
  any: () => true,
} as const satisfies Record<ValueType, (value: unknown) => boolean>;

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** True for a name, or a non-empty list of alternative names. */
function isNeed(value: unknown): boolean {
  return typeof value === 'string' || (isStringList(value) && (value as readonly string[]).length > 0);
}

/** True for a record that does not represent a function. */
function isPlainRecord(value: unknown): boolean {
  return isRecord(value) && !isFunctionLike(value);
}

/** True for a function, or its plain-data description from another process. */
export function isFunctionLike(value: unknown): boolean {
  return typeof value === 'function' || (isRecord(value) && value['@@'] === 'function');
}
