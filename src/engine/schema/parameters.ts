import { isRecord, isString } from '../base/value-checks.js';
import { matchesAnything, toEcmaPattern } from './ecma-pattern.js';
import { isPattern } from './field-options.js';
import type { EnumValue, Field, FieldSpec } from './fields.js';
import { SchemaError } from './schema-error.js';

/**
 * Translates `Parameters`, an object or a list of `[name, spec]`, to a field spec. Default: each parameter is
 * required.
 */
export function translateParameters(value: unknown): FieldSpec {
  return readPairs(value).map(([name, spec, path]) => [name, translateParameter(spec, path)] as const);
}

type Path = readonly (string | number)[];

function readPairs(value: unknown): [name: string, spec: unknown, path: Path][] {
  if (isRecord(value)) return Object.entries(value).map(([name, spec]) => [name, spec, [name]]);
  if (!Array.isArray(value))
    throw new SchemaError('Parameters must be an object, or a list of [name, spec].');
  return value.map((pair: unknown, index) => {
    if (Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string')
      return [pair[0], pair[1], [index, 1]];
    throw new SchemaError('A parameter must be a pair [name, spec].', [index]);
  });
}

const keys = ['Interpreter', 'Help', 'Required'];

function translateParameter(spec: unknown, path: Path): Field {
  if (!isRecord(spec)) return { ...interpret(spec, path), required: true };

  // The keys may be in lower case. `at` has them as they are written.
  const at = (known: string) =>
    Object.keys(spec).find((key) => key === known || key === known.toLowerCase()) ?? known;
  const unknown = Object.keys(spec).find((key) => !keys.map(at).includes(key));
  if (unknown !== undefined)
    throw new SchemaError(`"${unknown}" is not known here. Known: ${keys.join(', ')}.`, [...path, unknown]);

  const {
    [at('Interpreter')]: Interpreter = 'String',
    [at('Help')]: Help,
    [at('Required')]: Required = true,
  } = spec;
  if (Help !== undefined && typeof Help !== 'string')
    throw new SchemaError(`"${at('Help')}" must be a string.`, [...path, at('Help')]);
  if (typeof Required !== 'boolean')
    throw new SchemaError(`"${at('Required')}" must be true or false.`, [...path, at('Required')]);
  return {
    ...interpret(Interpreter, [...path, at('Interpreter')]),
    required: Required,
    ...(Help !== undefined && { description: Help }),
  };
}

type ParameterType =
  | { readonly type: 'string'; readonly pattern?: string }
  | { readonly type: 'integer' | 'number'; readonly min?: number; readonly max?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'enum'; readonly values: readonly EnumValue[]; readonly wire: 'native' };

const interpreters = ['string', 'integer', 'number', 'boolean'] as const;

function interpret(interpreter: unknown, path: Path): ParameterType {
  if (Array.isArray(interpreter)) return interpretRestricted(interpreter, path);
  return { type: findType(interpreter, path) };
}

function findType(interpreter: unknown, path: Path): (typeof interpreters)[number] {
  const type = isString(interpreter) && interpreters.find((name) => name === interpreter.toLowerCase());
  if (type) return type;
  throw new SchemaError(
    `${JSON.stringify(interpreter)} is not a known interpreter. Known: String, Integer, Number, Boolean, ["Restricted", type, restriction].`,
    path,
  );
}

function interpretRestricted(interpreter: readonly unknown[], path: Path): ParameterType {
  const [head, name, restriction] = interpreter;
  if (!isString(head) || head.toLowerCase() !== 'restricted' || interpreter.length !== 3)
    throw new SchemaError('A list must be ["Restricted", type, restriction].', path);

  const type = findType(name, [...path, 1]);
  const at = [...path, 2];
  if (type === 'string' && typeof restriction === 'string')
    return { type, ...translatePattern(restriction, at) };
  if ((type === 'integer' || type === 'number') && isRange(restriction))
    return { type, ...readRange(restriction) };
  if (type !== 'boolean' && isListOfType(restriction, type))
    return { type: 'enum', values: restriction, wire: 'native' };
  throw new SchemaError(`The restriction of ${name} must be ${restrictions[type]}.`, at);
}

const restrictions: Readonly<Record<(typeof interpreters)[number], string>> = {
  string: 'a pattern, or a list of strings',
  integer: '[min, max], or a list of integers',
  number: '[min, max], or a list of numbers',
  boolean: 'left out',
};

/** `null` means no bound. */
type NumberRange = readonly [min: number | null, max: number | null];

function isRange(value: unknown): value is NumberRange {
  return (
    Array.isArray(value) && value.length === 2 && value.every((end) => end === null || Number.isFinite(end))
  );
}

function readRange([min, max]: NumberRange): { min?: number; max?: number } {
  return { ...(min !== null && { min }), ...(max !== null && { max }) };
}

function isListOfType(value: unknown, type: 'string' | 'integer' | 'number'): value is EnumValue[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  const fits = type === 'string' ? isString : type === 'integer' ? Number.isInteger : Number.isFinite;
  return value.every(fits);
}

function translatePattern(pattern: string, path: Path): { pattern?: string } {
  const translated = toEcmaPattern(pattern);
  if (translated === undefined || !isPattern(translated))
    throw new SchemaError(`"${pattern}" cannot be written as a regular expression of JSON Schema.`, path);
  return matchesAnything(translated) ? {} : { pattern: translated };
}
