import { beforeAll, describe, expect, test } from 'vitest';
import type { Derivation } from '../../../src/engine/derive/derive.js';
import { type Compiler, compilers, deriveOf, functionIn, said } from './support/project.js';

const declarations = `
/** @integer */
type Whole = number;
type Int = number;
type Marked = string & { readonly __brand: 'id' };
enum Unit { Celsius = 'c', Fahrenheit = 'f' }
enum Level { Low = 0, High = 5 }
enum One { Only = 'only' }
interface Named { name: string; nick?: string | undefined; readonly age: number }
declare class Point { x: number; y: number }
interface Tree { value: number; children: Tree[] }
type Json = string | number | { [key: string]: Json } | Json[];
interface Box<T> { held: T; others: readonly T[] }
type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; edge: number };
type Either = { a: string; b?: never } | { a?: never; b: number };
type Odd = { 'a b': string; "it's": number };
`;

const text = { type: 'string' };
const number = { type: 'number' };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** A type, and the schema it has as a parameter. The rows of the table on the page. */
const rows: Readonly<Record<string, { schema: object; defs?: object; casts?: Record<string, string> }>> = {
  string: { schema: text },
  '`a-${number}`': { schema: text },
  'Uppercase<string>': { schema: text },
  Marked: { schema: text },
  number: { schema: number },
  Int: { schema: { type: 'integer' } },
  Whole: { schema: { type: 'integer' } },
  'Whole[]': { schema: { type: 'array', items: { type: 'integer' } } },
  'Whole | null': { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
  boolean: { schema: { type: 'boolean' } },
  '"rain"': { schema: { type: 'string', const: 'rain' } },
  3: { schema: { type: 'number', const: 3 } },
  true: { schema: { type: 'boolean', const: true } },
  '"rain" | "snow"': { schema: { type: 'string', enum: ['rain', 'snow'] } },
  '3 | 1 | 2': { schema: { type: 'number', enum: [3, 1, 2] } },
  '"auto" | 1': { schema: { enum: ['auto', 1] } },
  '"auto" | number': { schema: { anyOf: [{ type: 'string', const: 'auto' }, number] } },
  Unit: { schema: { type: 'string', enum: ['c', 'f'] } },
  Level: { schema: { type: 'number', enum: [0, 5] } },
  One: { schema: { type: 'string', const: 'only' } },
  'string[]': { schema: { type: 'array', items: text } },
  'readonly string[]': { schema: { type: 'array', items: text } },
  'ReadonlyArray<Array<number>>': {
    schema: { type: 'array', items: { type: 'array', items: number } },
  },
  'Set<string>': {
    schema: { type: 'array', items: text, uniqueItems: true },
    casts: { '': 'Set' },
  },
  'ReadonlySet<Date>': {
    schema: { type: 'array', items: { type: 'string', format: 'date-time' }, uniqueItems: true },
    casts: { '/items': 'Date', '': 'Set' },
  },
  '[string, number]': {
    schema: { type: 'array', prefixItems: [text, number], minItems: 2, maxItems: 2 },
  },
  '[from: string, to?: number]': {
    schema: { type: 'array', prefixItems: [text, number], minItems: 1, maxItems: 2 },
  },
  '[string, ...number[]]': {
    schema: { type: 'array', prefixItems: [text], items: number, minItems: 1 },
  },
  Named: { schema: object({ name: text, nick: text, age: number }, ['name', 'age']) },
  '{ place: { name: string } }': { schema: object({ place: object({ name: text }) }) },
  Odd: { schema: object({ 'a b': text, "it's": number }) },
  '{}': { schema: object({}) },
  object: { schema: object({}) },
  Point: { schema: object({ x: number, y: number }) },
  'Record<string, number>': { schema: { ...object({}), additionalProperties: number } },
  '{ [key: string]: number | string; a: string }': {
    schema: { ...object({ a: text }), additionalProperties: { anyOf: [number, text] } },
  },
  'Record<"a" | "b", number>': { schema: object({ a: number, b: number }) },
  'Named & { more: string }': {
    schema: object({ name: text, nick: text, age: number, more: text }, ['name', 'age', 'more']),
  },
  'Pick<Named, "name">': { schema: object({ name: text }) },
  'Partial<Point>': { schema: object({ x: number, y: number }, []) },
  'Omit<Named, "age">': { schema: object({ name: text, nick: text }, ['name']) },
  'Box<string>': { schema: object({ held: text, others: { type: 'array', items: text } }) },
  'Named["name"]': { schema: text },
  'keyof Point': { schema: { type: 'string', enum: ['x', 'y'] } },
  'string | number': { schema: { anyOf: [text, number] } },
  'number | string[]': { schema: { anyOf: [number, { type: 'array', items: text }] } },
  Shape: {
    schema: {
      anyOf: [
        object({ kind: { type: 'string', const: 'circle' }, radius: number }),
        object({ kind: { type: 'string', const: 'square' }, edge: number }),
      ],
    },
  },
  Either: { schema: { anyOf: [object({ a: text }), object({ b: number })] } },
  'string | null': { schema: { anyOf: [text, { type: 'null' }] } },
  '"a" | "b" | null': {
    schema: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
  },
  null: { schema: { type: 'null' } },
  Date: { schema: { type: 'string', format: 'date-time' }, casts: { '': 'Date' } },
  URL: { schema: { type: 'string', format: 'uri' }, casts: { '': 'URL' } },
  Uint8Array: { schema: { type: 'string', contentEncoding: 'base64' }, casts: { '': 'Uint8Array' } },
  Buffer: { schema: { type: 'string', contentEncoding: 'base64' }, casts: { '': 'Buffer' } },
  'Date | null': {
    schema: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    casts: { '/anyOf/0': 'Date' },
  },
  '{ at: Date; tags?: Set<string>; log: Record<string, Date>; pair: [URL, ...Date[]] }': {
    schema: object(
      {
        at: { type: 'string', format: 'date-time' },
        tags: { type: 'array', items: text, uniqueItems: true },
        log: { ...object({}), additionalProperties: { type: 'string', format: 'date-time' } },
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string', format: 'uri' }],
          items: { type: 'string', format: 'date-time' },
          minItems: 1,
        },
      },
      ['at', 'log', 'pair'],
    ),
    casts: {
      '/properties/at': 'Date',
      '/properties/tags': 'Set',
      '/properties/log/additionalProperties': 'Date',
      '/properties/pair/prefixItems/0': 'URL',
      '/properties/pair/items': 'Date',
    },
  },
  unknown: { schema: {} },
  any: { schema: {} },
  'string | any': { schema: {} },
  Tree: {
    schema: { $ref: '#/$defs/Tree' },
    defs: {
      Tree: object({ value: number, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }),
    },
  },
  Json: {
    schema: { $ref: '#/$defs/Json' },
    defs: {
      Json: {
        anyOf: [
          text,
          number,
          { ...object({}), additionalProperties: { $ref: '#/$defs/Json' } },
          { type: 'array', items: { $ref: '#/$defs/Json' } },
        ],
      },
    },
  },
};

/** Types without a JSON form, and why. */
const unmappable: Readonly<Record<string, string>> = {
  bigint: 'bigint, which has no JSON form: JSON has no numbers of that size',
  '10n': '10n, which has no JSON form: JSON has no numbers of that size',
  symbol: 'symbol, which has no JSON form: a symbol is unique to its process',
  '() => void': '() => void, which has no JSON form: JSON has no functions',
  'new () => Date': 'new () => Date, which has no JSON form: JSON has no functions',
  'Map<string, number>': 'Map<string, number>, which has no JSON form: use a Record, or a list of pairs',
  'Promise<string>': 'Promise<string>, which has no JSON form: it has no value yet',
  RegExp: 'RegExp, which has no JSON form: it is an object of the language, and not data',
  never: 'never, which has no JSON form: there is no such value',
  undefined: 'undefined, which has no JSON form: JSON has no such value',
  T: 'T, which has no JSON form: it is generic, so its values are unknown',
  Nowhere: 'Nowhere, which has no JSON form: nothing of that name is found',
  Secret: 'Secret, which has no JSON form: it has private members, so a plain object cannot be one',
  'Date | URL': 'Date | URL, which has no JSON form: a string could be meant as either',
  '[...string[], number]':
    '[...string[], number], which has no JSON form: only the last element of a list can be a rest element',
};

const more = `
declare class Secret { private hidden: string; shown: string }
`;

/** Everything that is there when a project says nothing. */
const whole = { 'tsconfig.json': {} };

const types = Object.keys(rows);
const bad = Object.keys(unmappable);

describe.each(Object.keys(compilers) as Compiler[])('the table of types, by %s', (compiler) => {
  let derivation: Derivation;
  let refused: Derivation;

  beforeAll(async () => {
    const source = types.map((type, index) => `export function f${index}(x: ${type}): void;`);
    const names = types.map((_, index) => `f${index}`);
    derivation = await deriveOf(`${declarations}${source.join('\n')}`, names, { compiler, more: whole });
    const wrong = bad.map((type, index) => `export function b${index}<T>(a: string, x: ${type}): void;`);
    const wrongNames = bad.map((_, index) => `b${index}`);
    refused = await deriveOf(`${more}${wrong.join('\n')}`, wrongNames, { compiler, more: whole });
  }, 60_000);

  test('takes all of them', () => expect(said(derivation)).toEqual([]));

  test.each(types.map((type, index) => [type, index] as const))('%s', (type, index) => {
    const { inputSchema, casts = {}, parameters } = functionIn(derivation, `f${index}`);
    const { schema, defs, casts: expected = {} } = rows[type]!;
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { x: schema },
      required: ['x'],
      ...(defs && { $defs: defs }),
    });
    const placed = Object.entries(expected).map(([at, to]) => [`/properties/x${at}`, to]);
    expect(casts).toEqual(Object.fromEntries(placed));
    expect(parameters).toEqual([{ name: 'x' }]);
  });

  test.each(bad.map((type, index) => [type, index] as const))('not %s', (type, index) => {
    const own = said(refused).filter((line) => line.includes(`Tool "b${index}":`));
    expect(own).toHaveLength(1);
    const line = more.split('\n').length + index;
    const column = `export function b${index}<T>(a: string, `.length + 1;
    expect(own[0]).toMatch(new RegExp(`^error lib\\.d\\.ts:${line}:${column} `));
    expect(own[0]).toContain('parameter "x');
    expect(own[0]).toContain(unmappable[type]!);
  });

  test('writes nothing then', () => expect(refused.derived).toBeUndefined());
});

test('a type that grows with each step is refused', async () => {
  const source = 'type Endless<T> = { next: Endless<[T]> };\nexport function f(x: Endless<1>): void;';
  const [line, ...others] = said(await deriveOf(source, ['f']));
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^error lib\.d\.ts:1:\d+ Tool "f": parameter "x(\.next)+" has a type nested deeper than 50 levels/,
  );
});

test('a type of very many parts is refused, once', async () => {
  const wide = Array.from({ length: 100 }, (_, index) => `p${index}: string`).join('; ');
  const rows = Array.from({ length: 60 }, (_, index) => `r${index}: { ${wide} }`).join('; ');
  const lines = said(await deriveOf(`export function f(x: { ${rows} }): void;`, ['f']));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('has a type of more than 5000 parts');
});

test('reports some faults of a type that is not data, at its use in the package', async () => {
  const functions = Array.from({ length: 9 }, (_, index) => `f${index}(): void`).join('; ');
  const more = {
    'node_modules/far/package.json': { name: 'far', version: '1.0.0', types: 'index.d.ts' },
    'node_modules/far/index.d.ts': `export interface Far { ${functions} }`,
  };
  const source =
    "import type { Far } from 'far';\nexport function f(x: string, y: { far: Far }, z: bigint): void;";
  const lines = said(await deriveOf(source, ['f'], { more }));
  const far = [0, 1, 2, 3, 4].map((index) =>
    expect.stringMatching(`^error lib\\.d\\.ts:2:35 .*"y\\.far\\.f${index}"`),
  );
  expect(lines).toEqual([...far, expect.stringContaining('parameter "z" has type bigint')]);
});
