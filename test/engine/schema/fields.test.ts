import { describe, expect, it, test } from 'vitest';
import {
  compileSchema,
  fields,
  fieldWarnings,
  noInput,
  SchemaError,
} from '../../../src/engine/schema/index.js';
import { check, delivered } from './support/field-checks.js';

async function wireOf(spec: unknown): Promise<unknown> {
  return (await compileSchema(fields(spec as never), { side: 'input' })).wire;
}

/** What each field becomes on the wire. */
const compiled: [field: unknown, schema: object][] = [
  ['string', { type: 'string' }],
  ['integer', { type: 'integer' }],
  ['number', { type: 'number' }],
  ['boolean', { type: 'boolean' }],
  ['string[]', { type: 'array', items: { type: 'string' } }],
  [['array', 'string'], { type: 'array', items: { type: 'string' } }],
  [
    { type: ['array', ['array', 'integer']], min: 1 },
    { type: 'array', items: { type: 'array', items: { type: 'integer' } }, minItems: 1 },
  ],
  [
    { type: ['array', 'object'], fields: { a: 'string' } },
    { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
  ],
  ['string[][]', { type: 'array', items: { type: 'array', items: { type: 'string' } } }],
  [
    { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email', description: 'd' },
    { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email', description: 'd' },
  ],
  [
    { type: 'integer', min: 0, max: 9 },
    { type: 'integer', minimum: 0, maximum: 9 },
  ],
  [
    { type: 'number', min: 0.5 },
    { type: 'number', minimum: 0.5 },
  ],
  [
    { type: 'boolean', default: false },
    { type: 'boolean', default: false },
  ],
  [
    { type: 'enum', values: ['c', 'f'] },
    { type: 'string', enum: ['c', 'f'] },
  ],
  [
    { type: 'enum', values: [1, true], default: 1 },
    { type: 'string', enum: ['1', 'true'], default: '1' },
  ],
  [
    { type: 'enum', values: [1, 2], wire: 'native', default: 1 },
    { type: 'number', enum: [1, 2], default: 1 },
  ],
  [{ type: 'enum', values: [1, 'a'], wire: 'native' }, { enum: [1, 'a'] }],
  [
    { type: 'object', fields: { a: { type: 'string', required: true }, b: 'integer' } },
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, required: ['a'] },
  ],
  [
    { type: 'integer[]', min: 1, max: 3 },
    { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
  ],
  [
    { type: 'object[]', fields: { a: 'string' }, min: 1 },
    { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, minItems: 1 },
  ],
  [
    { type: 'enum[]', values: [1, 2], max: 2, default: [2] },
    { type: 'array', items: { type: 'string', enum: ['1', '2'] }, maxItems: 2, default: ['2'] },
  ],
  [
    { type: 'array', items: { type: 'string', minLength: 3, description: 'item' }, min: 1 },
    { type: 'array', items: { type: 'string', minLength: 3, description: 'item' }, minItems: 1 },
  ],
  [
    { type: 'array', items: { type: 'array', items: 'number' } },
    { type: 'array', items: { type: 'array', items: { type: 'number' } } },
  ],
  [{ type: 'string', default: null }, { type: 'string' }],
];

test.each(compiled)('%j has its schema', async (field, schema) => {
  expect(await wireOf({ f: field })).toEqual({ type: 'object', properties: { f: schema } });
});

it('lists required names in their order, and only if there are any', async () => {
  const required = { type: 'string', required: true };
  expect(await wireOf({ b: required, x: 'string', a: required })).toHaveProperty('required', ['b', 'a']);
  expect(await wireOf({})).toEqual({ type: 'object', properties: {} });
});

/** Each wrong field, what is said about it and where. */
const wrong: [field: unknown, message: RegExp, path: (string | number)[]][] = [
  ['strng', /Field "f": unknown type "strng". Known types: string,/, []],
  ['String', /unknown type "String"/, []],
  [{ type: 'constructor' }, /unknown type "constructor"/, ['type']],
  [{ type: 5 }, /unknown type 5/, ['type']],
  [{ description: 'x' }, /"type" is missing/, []],
  [5, /expected a type or an object of options/, []],
  [['string'], /expected a type or an object of options/, []],
  ['enum', /an enum requires "values"/, []],
  [{ type: 'enum', values: [] }, /an enum requires "values"/, ['values']],
  [{ type: 'enum', values: [{}] }, /strings, numbers and booleans only/, ['values', 0]],
  [{ type: 'enum', values: ['1', 1] }, /1 is listed twice/, ['values', 1]],
  [{ type: 'enum', values: [1], wire: 'raw' }, /"wire" must be "string" or "native"/, ['wire']],
  [{ type: 'enum[]' }, /an enum requires "values"/, ['values']],
  [{ type: 'object' }, /an object requires "fields"/, ['fields']],
  [{ type: 'object', fields: {} }, /an object requires "fields"/, ['fields']],
  [{ type: 'object[]' }, /an object requires "fields"/, ['fields']],
  [{ type: 'object', fields: { a: 'x' } }, /Field "f\.a": unknown type "x"/, ['fields', 'a']],
  [{ type: 'object[]', fields: { a: 'x' } }, /Field "f\.a": unknown type "x"/, ['fields', 'a']],
  [{ type: 'array' }, /an array requires "items"/, ['items']],
  [{ type: 'array', items: 'x' }, /Field "f\[\]": unknown type "x"/, ['items']],
  [
    { type: 'array', items: { type: 'string', required: true } },
    /"required" has no meaning for items/,
    ['items', 'required'],
  ],
  [{ type: 'string', min: 1 }, /"min" does not fit type "string"; use "minLength"/, ['min']],
  [{ type: 'string', max: 1 }, /use "maxLength"/, ['max']],
  [{ type: 'string', enum: ['a'] }, /use "values" of type "enum"/, ['enum']],
  [{ type: 'integer', minimum: 1 }, /use "min"/, ['minimum']],
  [{ type: 'number', maxLength: 1 }, /use "max"/, ['maxLength']],
  [{ type: 'object', properties: {} }, /use "fields"/, ['properties']],
  [{ type: 'string[]', minItems: 1 }, /use "min"/, ['minItems']],
  [
    { type: 'string[]', pattern: 'a' },
    /constrain items with \{ type: "array", items: \{ type: "string", pattern \} \}/,
    ['pattern'],
  ],
  [{ type: 'boolean', values: [1] }, /which takes required, description, default/, ['values']],
  [{ type: 'string', requird: true }, /"requird" does not fit/, ['requird']],
  [{ type: 'string', required: 'yes' }, /"required" must be true or false/, ['required']],
  [{ type: 'string', description: 5 }, /"description" must be a string/, ['description']],
  [{ type: 'string', minLength: -1 }, /"minLength" must be a whole number/, ['minLength']],
  [{ type: 'string', pattern: '(' }, /"pattern" must be a regular expression/, ['pattern']],
  [{ type: 'string', minLength: 3, maxLength: 2 }, /"minLength" is greater than "maxLength"/, ['minLength']],
  [{ type: 'integer', min: '1' }, /"min" must be a number/, ['min']],
  [{ type: 'integer', min: 3, max: 2 }, /"min" is greater than "max"/, ['min']],
  [{ type: 'string[]', min: 1.5 }, /counts items/, ['min']],
  [{ type: 'integer', default: 1.5 }, /the default must be an integer/, ['default']],
  [{ type: 'string', default: 1 }, /the default must be a string/, ['default']],
  [{ type: 'enum', values: [1, 2], default: 3 }, /the default must be one of 1, 2/, ['default']],
  [{ type: 'string[]', default: [1] }, /the default must be an array, each item a string/, ['default']],
  [{ type: 'object', fields: { a: 'string' }, default: [] }, /the default must be an object/, ['default']],
  [{ type: 'integer', min: 1, default: 0 }, /the default must be at least 1\./, ['default']],
  [{ type: 'number', max: 1, default: 1.5 }, /the default must be at most 1\./, ['default']],
  [{ type: 'string', minLength: 2, default: 'x' }, /must be a string of at least 2 characters/, ['default']],
  [{ type: 'string', maxLength: 1, default: 'xy' }, /must be a string of at most 1 characters/, ['default']],
  [{ type: 'string', pattern: '^a', default: 'b' }, /must be a string that matches \^a/, ['default']],
  [{ type: 'string[]', min: 1, default: [] }, /the default must be an array of at least 1\./, ['default']],
  [{ type: 'string[]', max: 1, default: ['a', 'b'] }, /must be an array of at most 1\./, ['default']],
  [
    { type: 'array', items: { type: 'integer', min: 1 }, default: [0] },
    /must be an array, each item at least 1/,
    ['default'],
  ],
  [
    { type: 'object', fields: { a: 'string' }, default: { b: 'x' } },
    /must be an object of its fields, without "b"/,
    ['default'],
  ],
  [
    { type: 'object', fields: { a: { type: 'string', required: true } }, default: {} },
    /must be an object with "a"/,
    ['default'],
  ],
  [
    { type: 'object', fields: { a: { type: 'enum', values: [1] } }, default: { a: 2 } },
    /must be an object whose "a" is one of 1/,
    ['default'],
  ],
];

test.each(wrong)('%j is refused', async (field, message, path) => {
  const failure = await wireOf({ f: field }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SchemaError);
  expect(failure).toMatchObject({ message: expect.stringMatching(message), path: ['f', ...path] });
  await expect(wireOf([['f', field]])).rejects.toMatchObject({ path: [0, 1, ...path] });
});

it.each([
  ['an entry that is no pair', [['a']], /pair \[name, field\]/, [0]],
  [
    'a name given twice',
    [
      ['a', 'string'],
      ['a', 'string'],
    ],
    /declared twice/,
    [1, 1],
  ],
  ['__proto__ as name', JSON.parse('{"__proto__":"string"}'), /not available/, ['__proto__']],
  ['a spec that is no object', 'string', /an object of fields/, []],
])('refuses %s', async (_, spec, message, path) => {
  await expect(wireOf(spec)).rejects.toMatchObject({ message: expect.stringMatching(message), path });
});

it('refuses fields without end', async () => {
  const endless: { type: string; fields: Record<string, unknown> } = { type: 'object', fields: {} };
  endless.fields.self = endless;
  await expect(wireOf({ endless })).rejects.toThrow(/nest deeper than/);
});

it('keeps number-like names in their order when given as a list', async () => {
  const result = await delivered(
    [
      ['10', 'string'],
      ['2', { type: 'string', default: 'x' }],
    ],
    { 10: 'a' },
  );
  expect(result).toEqual({ 10: 'a', 2: 'x' });
  expect(
    await wireOf([
      ['10', { type: 'string', required: true }],
      ['2', { type: 'string', required: true }],
    ]),
  ).toHaveProperty('required', ['10', '2']);
});

describe('arguments', () => {
  it.each([
    ['unknown keys are dropped', { a: 'string' }, { a: 'x', b: 1 }, { a: 'x' }],
    ['absent keys stay absent', { a: 'string' }, {}, {}],
    [
      'falsy defaults apply',
      {
        a: { type: 'boolean', default: false },
        b: { type: 'integer', default: 0 },
        c: { type: 'string', default: '' },
      },
      {},
      { a: false, b: 0, c: '' },
    ],
    ['null is never a default', { a: { type: 'string', default: null } }, {}, {}],
    ['sent values win over defaults', { a: { type: 'integer', default: 1 } }, { a: 2 }, { a: 2 }],
    [
      'enum values come back as declared',
      { a: { type: 'enum', values: [1, 2] }, b: { type: 'enum', values: [true] } },
      { a: '2', b: 'true' },
      { a: 2, b: true },
    ],
    [
      'enum false comes back as declared',
      { a: { type: 'enum', values: [false, 0] } },
      { a: 'false' },
      { a: false },
    ],
    ['native enum values stay', { a: { type: 'enum', values: [1, 2], wire: 'native' } }, { a: 2 }, { a: 2 }],
    [
      'enum defaults are the declared value',
      { a: { type: 'enum', values: [1, 2], default: 2 } },
      {},
      { a: 2 },
    ],
    ['enums in lists come back', { a: { type: 'enum[]', values: [1, 2] } }, { a: ['2', '1'] }, { a: [2, 1] }],
    [
      'enums in lists of lists come back',
      { a: { type: 'enum[][]', values: [1] } },
      { a: [['1'], []] },
      { a: [[1], []] },
    ],
    [
      'defaults in an object apply if it is sent',
      { o: { type: 'object', fields: { a: { type: 'integer', default: 1 } } } },
      { o: { z: 1 } },
      { o: { a: 1 } },
    ],
    [
      'defaults in an object that is itself a default apply',
      {
        o: {
          type: 'object',
          fields: { a: { type: 'integer', default: 1 }, e: { type: 'enum', values: [1, 2] } },
          default: { e: 2 },
        },
      },
      {},
      { o: { a: 1, e: 2 } },
    ],
    [
      'an astral character is one character',
      { s: { type: 'string', maxLength: 1, default: '😀' } },
      {},
      { s: '😀' },
    ],
    [
      'defaults in an object wait for it',
      { o: { type: 'object', fields: { a: { type: 'integer', default: 1 } } } },
      {},
      {},
    ],
    [
      'lists of objects are cast item by item',
      { l: { type: 'object[]', fields: { a: { type: 'integer', default: 1 } } } },
      { l: [{}, { a: 2, b: 3 }] },
      { l: [{ a: 1 }, { a: 2 }] },
    ],
    ['a field may be called constructor', { constructor: 'string' }, {}, {}],
    [
      'a field called constructor is delivered',
      { constructor: 'string' },
      { constructor: 'Ferrari' },
      { constructor: 'Ferrari' },
    ],
  ])('%s', async (_, spec, value, expected) => {
    expect(await delivered(spec, value)).toEqual(expected);
  });

  it.each([
    ['a missing parameter', { city: { type: 'string', required: true } }, {}, '/city', '"city" is required'],
    [
      'a missing parameter that every object inherits',
      { toString: { type: 'string', required: true } },
      {},
      '/toString',
      '"toString" is required',
    ],
    [
      'a missing parameter with default',
      { city: { type: 'string', required: true, default: 'x' } },
      {},
      '/city',
      '"city" is required',
    ],
    ['a wrong type', { days: 'integer' }, { days: 'two' }, '/days', '"days" must be integer'],
    ['no coercion', { days: 'integer' }, { days: '2' }, '/days', '"days" must be integer'],
    ['null, which is not absence', { city: 'string' }, { city: null }, '/city', '"city" must be string'],
    [
      'a value not listed',
      { unit: { type: 'enum', values: ['c', 'f'] } },
      { unit: 'k' },
      '/unit',
      '"unit" must be one of: c, f',
    ],
    [
      'a nested parameter',
      { o: { type: 'object', fields: { a: 'integer' } } },
      { o: { a: 'x' } },
      '/o/a',
      '"a" must be integer',
    ],
    ['an item', { l: 'integer[]' }, { l: [1, 'x'] }, '/l/1', '"l[1]" must be integer'],
    [
      'too few items',
      { l: { type: 'string[]', min: 1 } },
      { l: [] },
      '/l',
      '"l" must NOT have fewer than 1 items',
    ],
    ['a value out of bounds', { n: { type: 'integer', max: 3 } }, { n: 4 }, '/n', '"n" must be <= 3'],
    [
      'a wrong format',
      { m: { type: 'string', format: 'email' } },
      { m: 'x' },
      '/m',
      '"m" must match format "email"',
    ],
    ['a value that is no object', { m: 'string' }, [], '', 'The arguments must be object'],
  ])('reports %s', async (_, spec, value, path, message) => {
    expect(await check(spec, value)).toEqual({ ok: false, issues: [{ path, message }] });
  });

  it('never share a default', async () => {
    const schema = await compileSchema({ l: { type: 'string[]', default: ['a'] } }, { side: 'input' });
    const [first, second] = await Promise.all([schema.check({}), schema.check({})]);
    expect(first).toEqual(second);
    expect((first as { value: { l: string[] } }).value.l).not.toBe(
      (second as { value: { l: string[] } }).value.l,
    );
  });

  it('read an absent field as undefined even if every object inherits its name', async () => {
    const value = (await delivered({ constructor: 'string' }, {})) as { constructor: unknown };
    expect(value.constructor).toBeUndefined();
  });
});

describe('a structured result', () => {
  it.each([
    [
      'declared enum values are sent as text',
      { unit: { type: 'enum', values: [1, 2] } },
      { unit: 1 },
      { unit: '1' },
    ],
    [
      'text of an enum value may be returned as well',
      { unit: { type: 'enum', values: [1, 2] } },
      { unit: '1' },
      { unit: '1' },
    ],
    ['nothing else is changed', { a: { type: 'integer', default: 1 } }, { b: 2 }, { b: 2 }],
  ])('%s', async (_, spec, value, expected) => {
    const schema = await compileSchema(fields(spec as never), { side: 'output' });
    expect(await schema.check(value)).toEqual({ ok: true, value: expected });
  });

  it('is checked', async () => {
    const schema = await compileSchema({ n: 'number' }, { side: 'output' });
    expect(await schema.check({ n: 'x' })).toMatchObject({ ok: false, issues: [{ path: '/n' }] });
  });
});

describe('warnings', () => {
  it('report a default that is never used', () => {
    expect(fieldWarnings({ a: { type: 'string', required: true, default: 'x' } })).toEqual([
      { path: ['a', 'default'], message: expect.stringContaining('never used') },
    ]);
  });

  it('report null as default, at any depth', () => {
    expect(
      fieldWarnings([['o', { type: 'object', fields: { a: { type: 'string', default: null } } }]]),
    ).toEqual([{ path: [0, 1, 'fields', 'a', 'default'], message: expect.stringContaining('"o.a"') }]);
  });

  it('leave the rest to errors', () => {
    expect(fieldWarnings({ a: 'string' })).toEqual([]);
    expect(fieldWarnings({ a: 'nonsense' })).toEqual([]);
  });
});

it('reports each invalid field, also nested ones', async () => {
  const spec = {
    a: 'strin',
    b: { type: 'object', fields: { c: { type: 'enum' }, d: 'nonsense' }, default: 1 },
    e: 'string',
    f: { type: 'integer', min: 2, max: 1 },
  };
  const error = await wireOf(spec).catch((thrown: unknown) => thrown);
  const { message, path, others } = error as SchemaError;
  expect([message, ...others.map((one) => one.message)]).toEqual([
    expect.stringContaining('Field "a": unknown type "strin"'),
    'Field "b.c": an enum requires "values", a list with at least one value.',
    expect.stringContaining('Field "b.d": unknown type "nonsense"'),
    'Field "f": "min" is greater than "max".',
  ]);
  expect([path, ...others.map((one) => one.path)]).toEqual([
    ['a'],
    ['b', 'fields', 'c', 'values'],
    ['b', 'fields', 'd'],
    ['f', 'min'],
  ]);
});

it('reports invalid pairs beside invalid fields', async () => {
  const error = await wireOf([['a', 'strin'], 'b', ['c', 'string']]).catch((thrown: unknown) => thrown);
  const { message, others } = error as SchemaError;
  expect([message, ...others.map((one) => one.message)]).toEqual([
    'Expected a pair [name, field].',
    expect.stringContaining('Field "a"'),
  ]);
});

it('a structured result is not called arguments', async () => {
  const schema = await compileSchema({ n: 'number' }, { side: 'output' });
  expect(await schema.check(5)).toMatchObject({
    issues: [{ path: '', message: 'The result must be object' }],
  });
});

it('without input, any arguments are delivered as sent', async () => {
  const sent = { anything: 1 };
  expect(noInput.wire).toEqual({ type: 'object', properties: {} });
  expect(await noInput.check(sent)).toEqual({ ok: true, value: sent });
  expect(await noInput.check([])).toMatchObject({ ok: false });
});
