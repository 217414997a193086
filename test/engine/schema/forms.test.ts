import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import {
  compileSchema,
  describeSchema,
  fields,
  isSchemaValue,
  jsonSchema,
  SchemaError,
  type SchemaSide,
} from '../../../src/engine/schema/index.js';

const resolveFrom = import.meta.url;

/** What a value under `input` or `output` is taken for. */
const told: [name: string, value: unknown, side: SchemaSide, form: string][] = [
  ['an object of fields', { city: 'string' }, 'input', 'fields'],
  ['an empty object', {}, 'input', 'fields'],
  [
    'a list of entries',
    [
      ['10', 'string'],
      ['2', { type: 'integer' }],
    ],
    'input',
    'fields',
  ],
  ['a field named type', { type: { type: 'string' } }, 'input', 'fields'],
  [
    'a field named properties',
    { properties: { type: 'object', fields: { a: 'string' } } },
    'input',
    'fields',
  ],
  ['fields()', fields({ type: 'string' }), 'input', 'fields'],
  ['type object', { type: 'object' }, 'input', 'raw'],
  ['type object with properties', { type: 'object', properties: { a: { type: 'string' } } }, 'input', 'raw'],
  ['$schema', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, 'input', 'raw'],
  ['$ref', { $ref: '#/$defs/a', $defs: { a: {} } }, 'output', 'raw'],
  ['oneOf', { oneOf: [{}] }, 'output', 'raw'],
  ['anyOf', { anyOf: [{}] }, 'output', 'raw'],
  ['allOf', { allOf: [{}] }, 'output', 'raw'],
  ['not', { not: {} }, 'output', 'raw'],
  ['if', { if: {} }, 'output', 'raw'],
  ['patternProperties', { patternProperties: {} }, 'output', 'raw'],
  ['properties without type', { properties: { a: { type: 'string' } } }, 'output', 'raw'],
  ['a property named type', { properties: { type: { type: 'string' } } }, 'output', 'raw'],
  ['a bare type as output', { type: 'string' }, 'output', 'raw'],
  ['a bare type with keywords as output', { type: 'array', items: { type: 'number' } }, 'output', 'raw'],
  ['fields as output', { quotient: { type: 'number' } }, 'output', 'fields'],
  ['JSON text', '{"type":"object"}', 'input', 'raw'],
  ['JSON text of a file with a byte order mark', '\uFEFF{"type":"object"}', 'input', 'raw'],
  [
    'a list of fields whose names are keywords',
    [
      ['if', 'string'],
      ['type', 'string'],
    ],
    'input',
    'fields',
  ],
  ['fields() whose names are keywords', fields({ not: 'string', $ref: 'string' }), 'input', 'fields'],
  ['a field named type among others', { type: { type: 'string' }, city: 'string' }, 'input', 'fields'],
  ['a keyword with a schema as output', { not: { type: 'string' } }, 'output', 'raw'],
  ['jsonSchema()', jsonSchema({ type: 'object', fields: {} }), 'input', 'raw'],
  ['jsonSchema() of a text', jsonSchema('{"type":"object"}'), 'input', 'raw'],
  ['zod', z.object({ a: z.string() }), 'input', 'standard'],
  ['valibot', v.object({ a: v.string() }), 'input', 'standard'],
  ['arktype, a function', type({ a: 'string' }), 'input', 'standard'],
];

test.each(told)('detects %s', async (_, value, side, form) => {
  expect((await compileSchema(value, { side, resolveFrom })).form).toBe(form);
});

test.each(told)('%s reads the same when described by another process', async (_, value, side, form) => {
  const described = JSON.parse(JSON.stringify(await describeSchema(value, resolveFrom)));
  const live = await compileSchema(value, { side, resolveFrom });
  const read = await compileSchema(described, { side });
  expect(read.form).toBe(form);
  expect(read.wire).toEqual(live.wire);
});

/** What is wrong with a value that is no schema, and where. */
const refused: [
  name: string,
  value: unknown,
  side: SchemaSide,
  message: RegExp,
  path?: (string | number)[],
][] = [
  ['an ambiguous type', { type: 'string' }, 'input', /Wrap it in jsonSchema\(\) or fields\(\)/, ['type']],
  ['an ambiguous type with options', { type: 'string', required: true }, 'output', /Wrap it in/, ['type']],
  [
    'a field whose name is a keyword',
    { city: 'string', if: { type: 'string' } },
    'input',
    /"if" may be a keyword.*Wrap it in jsonSchema\(\) or fields\(\); in data, put it under "inputSchema" or write a list/,
    ['if'],
  ],
  ['a raw array as input', { type: 'array', items: { type: 'string' } }, 'input', /Wrap it in/, ['type']],
  [
    'neither form',
    { title: 'Weather', limit: 5 },
    'input',
    /Neither a field spec nor a JSON Schema/,
    ['title'],
  ],
  ['a wrong field among right ones', { a: 'string', b: 5 }, 'input', /Field "b": expected a type/, ['b']],
  ['a number', 5, 'input', /must be a field spec, a JSON Schema or a Standard Schema/],
  ['null', null, 'input', /must be a field spec/],
  ['a function', () => 1, 'input', /must be a field spec/],
  ['a described function', { '@@': 'function', name: 'f', length: 1 }, 'input', /A function is not a schema/],
  ['text that is no JSON', '{\n  "type": object }', 'input', /Not valid JSON: .*"type": object/s],
  ['an empty text', ' ', 'input', /Not valid JSON: Unexpected end/],
  ['text of an array', '[1]', 'input', /must hold an object, not an array/],
  ['text of null', 'null', 'input', /must hold an object, not null/],
  ['raw input that is no object', jsonSchema({ type: 'string' }), 'input', /"type": "object" at its root/],
  ['Standard input that is no object', z.string(), 'input', /"type": "object" at its root/],
  [
    'an unknown dialect',
    { $schema: 'https://example.com/s', type: 'object' },
    'input',
    /2020-12/,
    ['$schema'],
  ],
  [
    'a function in a schema',
    jsonSchema({ type: 'object', default: () => 1 }),
    'input',
    /type function/,
    ['default'],
  ],
  [
    'a Standard Schema that cannot say its schema',
    { '~standard': { version: 1, vendor: 'own', validate: () => ({ value: 1 }) } },
    'input',
    /The own schema provides no JSON Schema.*give inputSchema/,
  ],
  ['a zod schema without JSON form', z.object({ when: z.date() }), 'input', /zod schema cannot be written/],
  [
    'a described schema that could not be told',
    { '@@': 'standard-schema', vendor: 'own', error: 'No JSON form.' },
    'input',
    /No JSON form/,
  ],
];

test.each(refused)('%s is refused', async (_, value, side, message, path = []) => {
  const failure = await compileSchema(value, { side }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SchemaError);
  expect(failure).toMatchObject({ message: expect.stringMatching(message), path });
});

describe('inputSchema and outputSchema', () => {
  const options = { side: 'input', rawOnly: true } as const;

  it.each([
    ['an object', { type: 'object', city: 'string' }],
    ['JSON text', '{"type":"object"}'],
    ['jsonSchema()', jsonSchema({ type: 'object' })],
  ])('take %s', async (_, value) => {
    expect((await compileSchema(value, options)).form).toBe('raw');
  });

  it.each([
    ['a field spec', fields({ city: 'string' }), /Put a field spec under "input"/],
    ['a Standard Schema', z.object({}), /Put a Standard Schema under "input"/],
    ['a list', [['city', 'string']], /inputSchema must be a JSON Schema/],
    ['an object that is no object schema', { properties: {} }, /"type": "object" at its root/],
    ['a field spec', { city: 'string' }, /looks like a field spec, which goes under "input"/],
  ])('refuse %s', async (_, value, message) => {
    await expect(compileSchema(value, options)).rejects.toThrow(message);
  });

  it('show a bare type as it is given', async () => {
    const { wire } = await compileSchema({ type: 'string' }, { side: 'output', rawOnly: true });
    expect(wire).toEqual({ type: 'string' });
  });
});

describe('isSchemaValue', () => {
  it.each([
    ['fields()', fields({}), true],
    ['jsonSchema()', jsonSchema({}), true],
    ['an object with ~standard', z.string(), true],
    ['a function with ~standard', type('string'), true],
    ['a plain object', { type: 'object' }, false],
    ['a function', () => 1, false],
    ['null', null, false],
    ['a text', '{}', false],
  ])('%s', (_, value, expected) => {
    expect(isSchemaValue(value)).toBe(expected);
  });

  it('knows the brand of another copy of the package', () => {
    expect(isSchemaValue({ [Symbol.for('agenttools/fields')]: { a: 'string' } })).toBe(true);
    expect(isSchemaValue({ [Symbol.for('agenttools/json-schema')]: {} })).toBe(true);
  });
});

it('leaves what is no schema undescribed', async () => {
  expect(await describeSchema(5)).toBe(5);
  expect(await describeSchema({ type: 'object' })).toEqual({ type: 'object' });
});
