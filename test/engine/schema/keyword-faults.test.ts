import { expect, test } from 'vitest';
import { checkWireSchema } from '../../../src/engine/schema/check-wire-schema.js';
import { compileSchema, jsonSchema } from '../../../src/engine/schema/index.js';

const dialects = ['2020-12', '2019-09'] as const;
const uris = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '07': 'http://json-schema.org/draft-07/schema',
  '06': 'http://json-schema.org/draft-06/schema',
} as const;

const of = (member: object) => ({ type: 'object', properties: { a: member } });

/** Schemas that no call can be checked by, in each dialect. */
const unusable: readonly object[] = [
  ...[{ type: 'strin' }, { type: [] }, { type: 5 }, { enum: {} }, { enum: [] }, { pattern: '(' }],
  ...[
    { properties: [] },
    { properties: { b: 5 } },
    { properties: { b: null } },
    { patternProperties: { '(': {} } },
  ],
  ...[{ required: 'a' }, { required: [1] }, { required: true }, { minimum: '1' }, { multipleOf: 0 }],
  ...[{ minLength: -1 }, { maxLength: 1.5 }, { items: 5 }, { items: [5] }, { uniqueItems: 'x' }],
  ...[{ allOf: {} }, { anyOf: [] }, { anyOf: [5] }, { not: 5 }, { additionalProperties: 5 }, { contains: 5 }],
  ...[{ exclusiveMinimum: true }, { exclusiveMaximum: '5' }, { format: 5 }, { $id: 5 }, { $ref: 5 }],
  ...[{ dependencies: 5 }, { dependencies: { b: 5 } }, { definitions: 5 }],
  ...[{ $ref: '#/nowhere' }, { $ref: 'https://a.test/b' }, { $ref: '#/properties/a' }],
  ...[{ properties: { b: { $id: 'x' }, c: { $id: 'x' } } }, { allOf: [{ $ref: '#/properties/a' }] }],
].map(of);

/** Likewise, since 2019-09. */
const lately: readonly object[] = [
  ...[{ $defs: 5 }, { $defs: [] }, { $defs: { b: 5 } }, { $anchor: 5 }, { $anchor: '1 x' }],
  ...[{ dependentRequired: 5 }, { dependentRequired: { b: 'c' } }, { dependentSchemas: { b: 5 } }],
  ...[{ unevaluatedProperties: 5 }, { unevaluatedItems: 5 }, { minContains: -1 }, { contentSchema: 5 }],
  { properties: { b: { $anchor: 'x' }, c: { $anchor: 'x' } } },
].map(of);

const last: readonly object[] = [
  { prefixItems: {} },
  { prefixItems: [] },
  { $dynamicRef: 5 },
  { items: [{}] },
].map(of);

const rows = [
  ...Object.values(uris).flatMap(($schema) => unusable.map((schema) => ({ $schema, ...schema }))),
  ...dialects.flatMap((dialect) => lately.map((schema) => ({ $schema: uris[dialect], ...schema }))),
  ...last.map((schema) => ({ $schema: uris['2020-12'], ...schema })),
  { type: 'object', $ref: '#' },
  { $schema: 5, type: 'object' },
  { $schema: 'https://a.test/x', type: 'object' },
];

const asRow = (schema: object) => [JSON.stringify(schema), schema] as const;

test.each(rows.map(asRow))('%s is refused at start and by validate', async (_, schema) => {
  await expect(compileSchema(jsonSchema(schema), { side: 'input' })).rejects.toThrow(expect.any(Error));
  expect(await checkWireSchema(schema, 'input')).not.toEqual([]);
});

/** Schemas with odd parts that a call can be checked by. */
const usable: readonly object[] = [
  of({ foo: 5, const: { $ref: 5 }, default: { type: 'strin' }, enum: [{ type: 5 }] }),
  { type: 'object', properties: { type: { type: 'string' }, pattern: {}, $ref: {}, required: {} } },
  { type: 'object', properties: { child: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } } } },
  { type: 'object', anyOf: [{ required: ['a'] }, { $ref: '#/$defs/b' }], $defs: { b: { required: ['b'] } } },
  {
    type: 'object',
    $id: 'https://a.test/s',
    properties: { a: { $ref: 'https://a.test/s#/$defs/a' } },
    $defs: { a: {} },
  },
  {
    $schema: uris['07'],
    ...of({ items: [{}], additionalItems: false, prefixItems: 5, dependentRequired: 5 }),
  },
  { $schema: uris['2019-09'], ...of({ items: [{}], additionalItems: false, prefixItems: 5 }) },
];

test.each(usable.map(asRow))('%s is usable', async (_, schema) => {
  const { check } = await compileSchema(jsonSchema(schema), { side: 'input' });
  expect(await check({})).toMatchObject({ ok: expect.any(Boolean) });
  expect(await checkWireSchema(schema, 'input')).toEqual([]);
});
