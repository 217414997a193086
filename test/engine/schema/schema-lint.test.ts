import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkWireSchema, compileSchema, schemaWarnings } from '../../../src/engine/schema/index.js';

const told = (schema: unknown, { side = 'input', rawOnly = true } = {}) =>
  schemaWarnings(schema, { side: side as 'input' | 'output', rawOnly }).map(
    ({ path }) => `/${path.join('/')}`,
  );

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('keywords without effect', () => {
  test.each([
    [object({ a: { type: 'string', requried: true } }), '/properties/a/requried'],
    [object({ a: { type: 'string', minLenght: 2 } }), '/properties/a/minLenght'],
    [object({ a: { type: 'object', additionalproperties: false } }), '/properties/a/additionalproperties'],
    [object({ a: { type: 'string', format: 'emial' } }), '/properties/a/format'],
    [object({ a: { type: 'string', format: 'datetime' } }), '/properties/a/format'],
    [object({ a: {} }, { required: ['zz'] }), '/required/0'],
    [object({ a: { type: 'integer', default: 'x' } }), '/properties/a/default'],
    [object({ a: { enum: ['a', 'b'], default: 'c' } }), '/properties/a/default'],
    [object({ a: { type: 'integer', minimum: 2, default: 1 } }), '/properties/a/default'],
    [{ type: 'object', fields: { a: 'string' } }, '/fields'],
    [{ type: 'object', name: 'string' }, '/name'],
    [JSON.stringify({ type: 'object', name: 'string' }), '/'],
  ])('%j: %s', (schema, place) => {
    expect(told(schema)).toEqual([place]);
  });

  test('in an output, a field spec under the key of a JSON Schema', () => {
    expect(told({ a: 'string' }, { side: 'output' })).toEqual(['/']);
    expect(told({ a: 'string' }, { side: 'output', rawOnly: false })).toEqual([]);
  });

  test('in a field spec, a misspelt format', () => {
    const spec = { a: { type: 'object', fields: { b: { type: 'string', format: 'emial' } } } };
    expect(told(spec, { rawOnly: false })).toEqual(['/a/fields/b/format']);
  });
});

test.each([
  object({ a: { type: 'string', 'x-minLenght': 2, example: 'x', examples: ['y'], nullable: true } }),
  object({ a: { type: 'string', markdownDescription: 'x', enumNames: ['x'], errorMessage: 'x', min: 2 } }),
  object({ a: { type: 'string', format: 'ulid' }, b: { format: 'uint32' }, c: { format: 'phone' } }),
  object({ requried: { type: 'string' }, $ref: {}, fields: { type: 'array' } }),
  object({ a: {} }, { required: ['b'], patternProperties: { '^b': {} } }),
  object({ a: {} }, { required: ['b'], additionalProperties: { type: 'string' } }),
  object({ a: {} }, { anyOf: [{ properties: { a: { const: 1 } }, required: ['a', 'b'] }] }),
  object({ a: {} }, { $defs: { part: object({ c: {} }, { required: ['d'] }) } }),
  { type: 'object', required: ['a'] },
  object({
    a: { type: ['integer', 'null'], default: null },
    b: { type: 'string', nullable: true, default: null },
  }),
  object({ a: { default: 'x' }, b: { type: 'integer', default: 2.0 }, c: { enum: [[1]], default: [1] } }),
  object({ a: { const: { requried: true }, default: { requried: true } } }),
])('ignores keywords that may have a meaning: %j', (schema) => {
  expect(told(schema)).toEqual([]);
});

test('no keyword of a dialect counts as a field or a slip', () => {
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('ajv')), 'refs');
  const dialects = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /json-schema-(draft-0\d|20\d\d-\d\d.*)\.json$/.test(file),
  );
  const keywords = dialects.flatMap((file) =>
    Object.keys(JSON.parse(readFileSync(path.join(folder, file), 'utf8')).properties ?? {}),
  );
  expect(new Set(keywords).size).toBeGreaterThan(55);
  const schemas = keywords.map((keyword) => ({ type: 'object', [keyword]: { type: 'string' } }));
  const wrong = schemas.filter((schema) => told(schema).length > 0);
  expect(wrong).toEqual([]);
});

test('a field spec under the key of a JSON Schema is called what it looks like', async () => {
  const spec = { a: 'string', b: { type: 'integer' } };
  const message = 'This looks like a field spec, which goes under "input".';
  expect(await checkWireSchema(spec, 'input')).toMatchObject([{ message }]);
  await expect(compileSchema(spec, { side: 'input', rawOnly: true })).rejects.toThrow(message);
});
