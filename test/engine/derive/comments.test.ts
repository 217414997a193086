import { beforeAll, describe, expect, test } from 'vitest';
import type { Derivation } from '../../../src/engine/derive/derive.js';
import { deriveOf, functionIn, said } from './support/project.js';

const source = `
/** How many days. @integer @minimum 1 @maximum 14 */
export type Days = number;

/** A place on a map. */
export interface Place {
  /**
   * What it is called.
   * @minLength 1
   * @maxLength 80
   * @default Bonn
   * @example Berlin
   * @example "Kiel"
   */
  name: string;
  /** @pattern ^[a-z]{2}@\\d+$ */
  code?: string;
  /** @format email */
  mail?: string;
  /** @minItems 1 @maxItems 3 @default ["a"] */
  tags?: string[];
  /** @exclusiveMinimum 0 @exclusiveMaximum 9.5 @multipleOf 0.5 @default 1 @deprecated */
  height?: number | null;
  /** @asType integer @title Its size */
  size?: number;
  /** @default 3 */
  text?: string;
  /** @default 'b' */
  other?: string;
  days?: Days;
}

/** @param days - As told. */
export function told(place: Place, days: Days, other: Days | null): void {}
`;

describe('tags of properties and of named types', () => {
  let derivation: Derivation;
  const inputOf = (name: string) =>
    functionIn(derivation, name).inputSchema.properties as Record<string, Record<string, unknown>>;

  beforeAll(async () => {
    derivation = await deriveOf(source, ['told'], { file: 'lib.ts' });
  }, 60_000);

  test('are keywords of the schema', () => {
    expect(said(derivation)).toEqual([]);
    expect(inputOf('told').place).toEqual({
      type: 'object',
      description: 'A place on a map.',
      properties: {
        name: {
          type: 'string',
          description: 'What it is called.',
          minLength: 1,
          maxLength: 80,
          default: 'Bonn',
          examples: ['Berlin', 'Kiel'],
        },
        code: { type: 'string', pattern: '^[a-z]{2}@\\d+$' },
        mail: { type: 'string', format: 'email' },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, default: ['a'] },
        height: {
          anyOf: [
            { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9.5, multipleOf: 0.5 },
            { type: 'null' },
          ],
          default: 1,
          deprecated: true,
        },
        size: { type: 'integer', title: 'Its size' },
        text: { type: 'string', default: '3' },
        other: { type: 'string', default: 'b' },
        days: { type: 'integer', description: 'How many days.', minimum: 1, maximum: 14 },
      },
      required: ['name'],
    });
  });

  test('apply to every use of a named type, unless overridden there', () => {
    const days = { type: 'integer', minimum: 1, maximum: 14 };
    expect(inputOf('told').days).toEqual({ ...days, description: 'As told.' });
    expect(inputOf('told').other).toEqual({
      anyOf: [{ ...days, description: 'How many days.' }, { type: 'null' }],
    });
  });
});

test.each([
  ['@minimum one', 'number', 'has "@minimum", which takes a number, and is "one"'],
  ['@minLength -1', 'string', 'has "@minLength", which takes a whole number, 0 or more, and is "-1"'],
  ['@minLength 2', 'number', 'has "@minLength", which applies to strings only'],
  ['@maximum 2', 'string[]', 'has "@maximum", which applies to numbers only'],
  ['@minItems 2', 'string', 'has "@minItems", which applies to lists only'],
  ['@pattern [', 'string', 'has "@pattern", which takes a regular expression, and is "["'],
  ['@multipleOf 0', 'number', 'has "@multipleOf", which takes a number above 0, and is "0"'],
  ['@asType text', 'number', 'has "@asType", which takes integer, and is "text"'],
  ['@default "x"', 'number', 'has "@default", which takes a value of its type, and is "x"'],
  ['@default 9', 'boolean', 'has "@default", which takes a value of its type, and is 9'],
  ['@default abc', "'x' | 'y'", 'has "@default", which takes a value of its type, and is abc'],
  ['@default', 'string', 'has "@default", which takes a value of its type, and is empty'],
  ['@default [1]', 'string[]', 'has "@default", which takes a value of its type, and is [1]'],
  ['@example {"b":1}', '{ b: string }', 'has "@example", which takes a value of its type, and is {"b":1}'],
])(
  '%s of a %s is an error',
  async (tag, type, message) => {
    const derivation = await deriveOf(`export function f(x: {\n  /** ${tag} */\n  y: ${type};\n}): void;`, [
      'f',
    ]);
    expect(said(derivation)).toEqual([`error lib.d.ts:2:7 Tool "f": parameter "x.y" ${message}.`]);
  },
  30_000,
);

describe('plain JavaScript', () => {
  const javascript = `
/**
 * @typedef {object} Place
 * @property {string} name - What it is called.
 * @property {number} [height] How high it is.
 */

/** @typedef {'c' | 'f'} Unit */

/**
 * Tells the weather.
 *
 * @param {Place} place - Where.
 * @param {number} [days=3] - How long.
 * @param {Unit} unit
 * @param {Date[]} [when]
 * @param {*} anything
 * @param {import('agenttools').ToolContext} context
 * @returns {Promise<{ degrees: number }>} How warm it is.
 */
export async function forecast(place, days, unit = 'c', when, anything, context) {
  return { degrees: place.height ?? days };
}

/** Says nothing of types. */
export const untyped = (a, b = 3, ...more) => ({ a, sum: b + more.length });

/**
 * @param {object} options - What to do.
 * @param {string} options.query - What is sought.
 * @param {number} [options.limit] How many.
 */
export function search(options) {
  return [options.query];
}

/** @type {(word: string, count?: number) => string} */
export const typed = (word, count) => word.repeat(count ?? 1);
`;

  let derivation: Derivation;
  beforeAll(async () => {
    derivation = await deriveOf(javascript, ['forecast', 'untyped', 'search', 'typed'], { file: 'lib.js' });
  }, 60_000);

  test('has its types in comments', () => {
    expect(said(derivation)).toEqual([]);
    expect(functionIn(derivation, 'forecast')).toEqual({
      title: 'forecast',
      description: 'Tells the weather.',
      inputSchema: {
        type: 'object',
        properties: {
          place: {
            type: 'object',
            properties: {
              name: { type: 'string', description: 'What it is called.' },
              height: { type: 'number', description: 'How high it is.' },
            },
            required: ['name'],
            description: 'Where.',
          },
          days: { type: 'number', description: 'How long.', default: 3 },
          unit: { type: 'string', enum: ['c', 'f'], default: 'c' },
          when: { type: 'array', items: { type: 'string', format: 'date-time' } },
          anything: {},
        },
        required: ['place', 'anything'],
      },
      outputSchema: {
        type: 'object',
        properties: { degrees: { type: 'number' } },
        required: ['degrees'],
        description: 'How warm it is.',
      },
      casts: { '/properties/when/items': 'Date' },
      parameters: [
        { name: 'place' },
        { name: 'days' },
        { name: 'unit' },
        { name: 'when' },
        { name: 'anything' },
        { context: true },
      ],
    });
  });

  test('gives parameters without types an empty schema, and keeps the known parts of the output', () => {
    const { inputSchema, outputSchema } = functionIn(derivation, 'untyped');
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { a: {}, b: { type: 'number', default: 3 }, more: { type: 'array', items: {} } },
      required: ['a'],
    });
    expect(outputSchema).toEqual({
      type: 'object',
      properties: { a: {}, sum: { type: 'number' } },
      required: ['a', 'sum'],
    });
  });

  test('describes the parts of a parameter', () => {
    expect(functionIn(derivation, 'search').inputSchema).toEqual({
      type: 'object',
      properties: {
        options: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'What is sought.' },
            limit: { type: 'number', description: 'How many.' },
          },
          required: ['query'],
          description: 'What to do.',
        },
      },
      required: ['options'],
    });
  });

  test('may have the type of the whole function', () => {
    expect(functionIn(derivation, 'typed')).toMatchObject({
      inputSchema: {
        properties: { word: { type: 'string' }, count: { type: 'number' } },
        required: ['word'],
      },
      outputSchema: { type: 'string' },
    });
  });
});

test('reports a default of the wrong type and hides it from clients', async () => {
  const source = `
export function f(a: number = 'x' as any, b: string | null = null): void {}
`;
  const derivation = await deriveOf(source, ['f'], { file: 'lib.ts' });
  expect(said(derivation)).toEqual([
    'warning lib.ts:2:19 Tool "f": parameter "a" has the default "x", which is not of its type; clients do not see it.',
  ]);
  const { a, b } = functionIn(derivation, 'f').inputSchema.properties as Record<string, object>;
  expect([a, b]).toEqual([
    { type: 'number' },
    { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
  ]);
}, 30_000);

test('reports a default of the wrong type in plain JavaScript', async () => {
  const source = '/** @param {Record<string, number>} amount */\nexport function g(amount = 5) {}\n';
  const derivation = await deriveOf(source, ['g'], { file: 'lib.js' });
  expect(said(derivation)).toEqual([
    'warning lib.js:2:19 Tool "g": parameter "amount" has the default 5, which is not of its type; clients do not see it.',
  ]);
}, 30_000);

test('attaches comments on parts of a parameter to these parts', async () => {
  const typescript = `
interface Town { name: string }
/**
 * @param place - Where.
 * @param place.city - What it is called.
 * @param place.towns[].name - Of each.
 */
export function f(place: { city: string; towns: Town[] }, other: { city: string }): void {}
`;
  const first = await deriveOf(typescript, ['f'], { file: 'lib.ts' });
  expect(said(first)).toEqual([]);
  const { place, other } = functionIn(first, 'f').inputSchema.properties as Record<
    string,
    { properties: object }
  >;
  expect(place!.properties).toMatchObject({
    city: { description: 'What it is called.' },
    towns: { items: { properties: { name: { description: 'Of each.' } } } },
  });
  expect(other!.properties).toEqual({ city: { type: 'string' } });
  const javascript = `
/**
 * @param {object} place
 * @param {number} [place.zip=5] - Its number.
 * @param {number} [place.size='x']
 * @param {number} count
 */
export function g(place, count) {}
`;
  const second = await deriveOf(javascript, ['g'], { file: 'lib.js' });
  expect(functionIn(second, 'g').inputSchema.properties).toMatchObject({
    place: {
      properties: {
        zip: { type: 'number', description: 'Its number.', default: 5 },
        size: { type: 'number' },
      },
    },
  });
  expect(said(second)).toEqual([
    expect.stringMatching(/^warning .* parameter "place.size" has the default "x", which is not of its type/),
  ]);
}, 60_000);

test('reports misspelled tags and parameter names', async () => {
  const source = `
interface Size {
  /** @minimun 3 @internal */
  height: number;
}
/**
 * @param nope - What?
 * @param siz
 * @titel Two
 * @see elsewhere
 */
export function f(size: Size): void {}
`;
  const derivation = await deriveOf(source, ['f'], { file: 'lib.ts' });
  expect(said(derivation)).toEqual([
    'warning lib.ts:9:4 Tool "f": "@titel" is an unknown tag. Did you mean "@title"?',
    'warning lib.ts:7:4 Tool "f": "@param nope" names no parameter. Parameters: size.',
    'warning lib.ts:8:4 Tool "f": "@param siz" names no parameter. Did you mean "size"? Parameters: size.',
    'warning lib.ts:3:7 Tool "f": parameter "size.height" has the unknown tag "@minimun". Did you mean "@minimum"?',
  ]);
}, 30_000);

test('reports a context that is not the last parameter as one error', async () => {
  const source = `
interface ToolContext { a: Map<string, string>; b(): void }
export function f(ctx: ToolContext, a: string): void {}
`;
  expect(said(await deriveOf(source, ['f'], { file: 'lib.ts' }))).toEqual([
    'error lib.ts:3:19 Tool "f": parameter "ctx" is the context, which has to be the last parameter.',
  ]);
}, 30_000);

test('comments and tags on one line, which declarations leave out, come from the mapped source', async () => {
  const written = `
    export interface Point { /** From the left. @minimum 0 */ x: number; /** From above. */ y: number }
    export function f(at: { /** The town. */ city: string; /** What else. */ more: { /** Nested. */ city: string }[] }): { /** The answer. */ city: string } {
      const other: { /** Not this. */ city: string } = { city: '' };
      return other;
    }
    export const g = (point: Point) => point.x;`;
  const declared = `
    export interface Point { x: number; y: number; }
    export declare function f(at: { city: string; more: { city: string }[] }): { city: string };
    export declare const g: (point: Point) => number;`;
  const map = JSON.stringify({ version: 3, sources: ['src/lib.ts'], mappings: '' });
  const more = {
    'lib.js': `export const f = 1, g = 2;\n//# sourceMappingURL=lib.js.map\n`,
    'lib.js.map': map,
    'src/lib.ts': written,
  };
  const derivation = await deriveOf(declared, ['f', 'g'], { more });
  expect(said(derivation)).toEqual([]);
  const f = functionIn(derivation, 'f');
  const text = (description: string) => ({ type: 'string', description });
  expect(f.inputSchema.properties).toMatchObject({
    at: {
      properties: {
        city: text('The town.'),
        more: { description: 'What else.', items: { properties: { city: text('Nested.') } } },
      },
    },
  });
  expect(f.outputSchema).toMatchObject({ properties: { city: text('The answer.') } });
  expect(functionIn(derivation, 'g').inputSchema.properties).toMatchObject({
    point: {
      properties: {
        x: { description: 'From the left.', minimum: 0 },
        y: { description: 'From above.' },
      },
    },
  });
  expect(Object.keys(derivation.derived!.files)).toContain('src/lib.ts');
}, 30_000);
