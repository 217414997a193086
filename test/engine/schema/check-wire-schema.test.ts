import { describe, expect, it, test } from 'vitest';
import { checkWireSchema } from '../../../src/engine/schema/index.js';
import { checkLazily } from '../../../src/engine/schema/validator.js';

/** Schemas that clients accept. */
const accepted: [name: string, schema: object][] = [
  ['the smallest', { type: 'object' }],
  ['each dialect: 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'object' }],
  [
    'each dialect: draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', definitions: { a: {} } },
  ],
  ['each dialect: draft-06', { $schema: 'http://json-schema.org/draft-06/schema#', type: 'object' }],
  [
    'local references',
    { type: 'object', $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#' } } } } },
  ],
  ['anchors', { type: 'object', properties: { a: { $ref: '#x' } }, $defs: { x: { $anchor: 'x' } } }],
  [
    'embedded documents',
    {
      $id: 'https://example.com/a',
      type: 'object',
      not: { $ref: 'b#/not' },
      $defs: { b: { $id: 'b', not: {} } },
    },
  ],
  ['escaped pointers', { type: 'object', not: { $ref: '#/$defs/a~1b%20c' }, $defs: { 'a/b c': {} } }],
  [
    'references in values that are no schemas',
    { type: 'object', default: { $ref: 'https://x.y/z' }, examples: [{ $ref: '#/no' }] },
  ],
  [
    'unknown keywords and formats',
    { type: 'object', id: 'x', 'x-own': 1, properties: { a: { type: 'string', format: 'own' } } },
  ],
  [
    'a meta-schema as reference',
    { type: 'object', properties: { s: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } },
  ],
  [
    'headers',
    {
      type: 'object',
      properties: {
        a: { type: 'string', 'x-mcp-header': 'A' },
        o: { type: 'object', properties: { properties: { type: 'integer', 'x-mcp-header': 'B' } } },
      },
    },
  ],
];

test.each(accepted)('%s: accepted', async (_, schema) => {
  expect(await checkWireSchema(schema, 'input')).toEqual([]);
});

const header = (value: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': value });

/** Schemas that are refused: what is said, and where. */
const refused: [name: string, schema: unknown, message: RegExp, path: (string | number)[]][] = [
  ['a boolean', true, /must be an object/, []],
  ['no root type', {}, /"type": "object" at its root/, []],
  ['another root type', { type: 'array' }, /"type": "object" at its root/, ['type']],
  [
    'an unknown dialect',
    { $schema: 'https://example.com/x', type: 'object' },
    /unknown dialect/,
    ['$schema'],
  ],
  ['a dialect that is no text', { $schema: 5, type: 'object' }, /unknown dialect/, ['$schema']],
  [
    'a type that does not exist',
    { type: 'object', properties: { a: { type: 'strng' } } },
    /"type" must be one of: array, boolean/,
    ['properties', 'a', 'type'],
  ],
  [
    'a keyword of the wrong type',
    { type: 'object', properties: { a: { minLength: '1' } } },
    /"minLength" must be integer/,
    ['properties', 'a', 'minLength'],
  ],
  [
    'a wrong keyword in a list',
    { type: 'object', allOf: [{}, { required: 'a' }] },
    /"required" must be array/,
    ['allOf', 1, 'required'],
  ],
  [
    'draft-07 judged as draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', minProperties: 'x' },
    /"minProperties" must be integer/,
    ['minProperties'],
  ],
  [
    'draft-06 judged as draft-06',
    { $schema: 'http://json-schema.org/draft-06/schema#', type: 'object', minProperties: 'x' },
    /"minProperties" must be integer/,
    ['minProperties'],
  ],
  [
    'a reference over the network',
    { type: 'object', properties: { a: { $ref: 'https://example.com/x' } } },
    /nothing is fetched/,
    ['properties', 'a', '$ref'],
  ],
  [
    'a reference to a file',
    { type: 'object', items: { $ref: 'other.json' } },
    /nothing is fetched/,
    ['items', '$ref'],
  ],
  [
    'a reference to nothing',
    { type: 'object', allOf: [{ $ref: '#/$defs/no' }] },
    /does not resolve/,
    ['allOf', 0, '$ref'],
  ],
  ['a reference to no anchor', { type: 'object', not: { $ref: '#no' } }, /does not resolve/, ['not', '$ref']],
  [
    'a reference to something inherited',
    { type: 'object', not: { $ref: '#/constructor' } },
    /does not resolve/,
    ['not', '$ref'],
  ],
  [
    'a dynamic reference to nothing',
    { type: 'object', not: { $dynamicRef: '#no' } },
    /does not resolve/,
    ['not', '$dynamicRef'],
  ],
  [
    'a broken pattern',
    { type: 'object', properties: { a: { pattern: '(' } } },
    /not a regular expression/,
    ['properties', 'a', 'pattern'],
  ],
  [
    'a pattern that needs another flag',
    { type: 'object', properties: { a: { pattern: '\\-' } } },
    /"u" flag/,
    ['properties', 'a', 'pattern'],
  ],
  [
    'a broken pattern as key',
    { type: 'object', patternProperties: { '[': {} } },
    /not a regular expression/,
    ['patternProperties', '['],
  ],
  [
    'a header that is no token',
    { type: 'object', properties: { a: header('a b') } },
    /must be a header name/,
    ['properties', 'a', 'x-mcp-header'],
  ],
  [
    'an empty header',
    { type: 'object', properties: { a: header('') } },
    /must be a header name/,
    ['properties', 'a', 'x-mcp-header'],
  ],
  [
    'a header for a number',
    { type: 'object', properties: { a: header('A', 'number') } },
    /string, integer or boolean/,
    ['properties', 'a', 'x-mcp-header'],
  ],
  [
    'a header used twice',
    { type: 'object', properties: { a: header('Region'), b: header('REGION') } },
    /already the header/,
    ['properties', 'b', 'x-mcp-header'],
  ],
  [
    'a header in items',
    { type: 'object', properties: { a: { type: 'array', items: header('A') } } },
    /"properties" alone/,
    ['properties', 'a', 'items', 'x-mcp-header'],
  ],
  [
    'a header in a condition',
    { type: 'object', allOf: [{ properties: { a: header('A') } }] },
    /"properties" alone/,
    ['allOf', 0, 'properties', 'a', 'x-mcp-header'],
  ],
  [
    'a header behind a reference',
    { type: 'object', $defs: { a: header('A') } },
    /"properties" alone/,
    ['$defs', 'a', 'x-mcp-header'],
  ],
  [
    'nesting without end',
    JSON.parse(`${'{"not":'.repeat(200)}{}${'}'.repeat(200)}`),
    /deeper than 100/,
    Array(100).fill('not'),
  ],
  ['a value that is not JSON', { type: 'object', default: undefined, const: 1n }, /type bigint/, ['const']],
];

test.each(refused)('%s: refused', async (_, schema, message, path) => {
  expect(await checkWireSchema(schema, 'input')).toEqual([{ path, message: expect.stringMatching(message) }]);
});

describe('an output', () => {
  it('may be of any type', async () => {
    expect(await checkWireSchema({ type: 'array', items: {} }, 'output')).toEqual([]);
  });

  it('must be a valid schema', async () => {
    expect(await checkWireSchema({ type: 'array', minItems: -1 }, 'output')).toMatchObject([
      { path: ['minItems'] },
    ]);
  });
});

it('reports every issue at once', async () => {
  const issues = await checkWireSchema({ type: 'array', minItems: -1, not: { $ref: '#/no' } }, 'input');
  expect(issues.map(({ path }) => path)).toEqual([['type'], ['not', '$ref'], ['minItems']]);
});

it("schemas checked at the same time do not see each other's issues", async () => {
  const schemas = [{ type: 'object', minItems: 'x' }, { type: 'object' }, { type: 'object', maxItems: 'x' }];
  const found = await Promise.all(schemas.map((schema) => checkWireSchema(schema, 'input')));
  expect(found.map((issues) => issues.map(({ path }) => path))).toEqual([[['minItems']], [], [['maxItems']]]);
});

test('a schema that the validator runs in circles over names a way out', async () => {
  const node = { $ref: '#/$defs/n' };
  const own = { $id: 'https://example.com/z', $defs: { n: { type: 'object', properties: { next: node } } } };
  const faults = async (part: object) =>
    await checkWireSchema({ type: 'object', properties: { part: { ...own, ...part } } }, 'input');
  expect(await faults(node)).toEqual([
    {
      path: [],
      message:
        'The schema cannot be compiled: its references never end. If a "$ref" is next to an "$id", drop the "$id" or put the "$ref" under "allOf".',
    },
  ]);
  expect(await faults({ allOf: [node] })).toEqual([]);
});

test.each(['toString', 'valueOf'])(
  'a value with a member %s that Ajv cannot compare is refused',
  async (name) => {
    const issues = await checkWireSchema({ type: [{}, { [name]: 'a' }] }, 'output');
    expect(issues).toEqual([{ path: [], message: expect.stringContaining('where values are compared') }]);
    const check = checkLazily({ properties: { all: { uniqueItems: true } } }, 'input');
    const refused = {
      ok: false,
      issues: [{ message: expect.stringContaining('The arguments must not have') }],
    };
    expect(await check({ all: [{}, { [name]: 'a' }] })).toMatchObject(refused);
    expect(await check({ all: [{ [name]: 'a' }] })).toMatchObject({ ok: true });
  },
);
