import { describe, expect, test } from 'vitest';
import { findPinFaults, omitFixed } from '../../../src/engine/schema/fixed-arguments.js';
import { compileSchema, noInput } from '../../../src/engine/schema/index.js';
import { place, composed as schemas, units } from './support/composed.js';

type Schema = Readonly<Record<string, unknown>>;

const compiled = (schema: object) => compileSchema(schema, { side: 'input', rawOnly: true });
const accepts = async (schema: object, value: unknown) => (await (await compiled(schema)).check(value)).ok;

const metric = { units: 'metric' };

const candidates: readonly Schema[] = ['place', 'days'].reduce<readonly Schema[]>(
  (known, name) => known.flatMap((one) => [one, { ...one, [name]: 'x' }, { ...one, [name]: 3 }]),
  [{}],
);

describe('without a fixed argument, a schema of', () => {
  test.each(Object.entries(schemas))('%s takes what the whole one takes with it', async (_, schema) => {
    const whole = { type: 'object', ...schema };
    const left = omitFixed(whole, metric);
    const expected = await Promise.all(candidates.map((args) => accepts(whole, { ...args, ...metric })));
    expect(expected).toContain(true);
    expect(await Promise.all(candidates.map((args) => accepts(left, args)))).toEqual(expected);
  });

  test.each(Object.entries(schemas))('%s does not mention it any more', (_, { $defs, ...schema }) => {
    const left = omitFixed({ type: 'object', ...schema, ...($defs !== undefined && { $defs }) }, metric);
    const { $defs: __, patternProperties: ___, not, if: condition, ...shown } = left as Schema;
    expect(JSON.stringify([shown, condition])).not.toContain('units');
    expect(JSON.stringify(not) ?? '').not.toContain('imperial');
  });
});

describe('a schema without fixed arguments', () => {
  test('is as plain as it was', () => {
    const whole = {
      type: 'object',
      properties: { units, place },
      required: ['units'],
      additionalProperties: false,
    };
    const rest = { type: 'object', properties: { place }, additionalProperties: false };
    expect(omitFixed(whole, metric)).toEqual(rest);
    const examples = { default: { units: 'metric', place: 'Bonn' }, examples: [{ units: 'imperial' }] };
    expect(omitFixed({ ...whole, ...examples }, metric)).toEqual({
      ...rest,
      default: { place: 'Bonn' },
      examples: [{}],
    });
  });

  test('leaves the one it was made of as it is', () => {
    const whole = { type: 'object', ...schemas['branches by the fixed one'] };
    const before = structuredClone(whole);
    omitFixed(whole, metric);
    expect(whole).toEqual(before);
  });

  test('keeps definitions that others use as well', () => {
    const part = { type: 'object', properties: { units }, required: ['units'] };
    const left = omitFixed(
      {
        type: 'object',
        allOf: [{ $ref: '#/$defs/part' }],
        properties: { nested: { $ref: '#/$defs/part' } },
        $defs: { part },
      },
      metric,
    );
    expect(left).toEqual({
      type: 'object',
      properties: { nested: { $ref: '#/$defs/part' } },
      $defs: { part },
    });
  });

  test.each([
    ['itself', { properties: { units, place, inner: { $ref: '#' } }, required: ['units'] }],
    [
      'the argument that is fixed',
      {
        properties: {
          units,
          place,
          inner: { type: 'object', properties: { units: { $ref: '#/properties/units' } } },
        },
      },
    ],
  ])('means the same by references to %s', async (_, schema) => {
    const whole = { type: 'object', ...schema };
    const left = omitFixed(whole, metric);
    for (const inner of [{}, { units: 'metric' }, { units: 'none' }]) {
      expect(await accepts(left, { inner })).toBe(await accepts(whole, { inner, ...metric }));
    }
  });

  test('may be a part of itself', async () => {
    const whole = {
      type: 'object',
      $ref: '#/$defs/a',
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { properties: { units }, required: ['units'] }] } },
    };
    expect(omitFixed(whole, metric)).toHaveProperty('$defs');
  });
});

/** Definitions, each of which names the next one twice: two to the power of `depth` ways to the last. */
function fanOut(depth: number, how: (next: Schema) => Schema, last: Schema): Record<string, Schema> {
  const each = Array.from({ length: depth }, (_, index) => [
    `d${index}`,
    how({ $ref: `#/$defs/d${index + 1}` }),
  ]);
  return { ...Object.fromEntries(each), [`d${depth}`]: last };
}

function nested(depth: number, around: (inner: Schema) => Schema, last: Schema): Schema {
  return depth === 0 ? last : around(nested(depth - 1, around, last));
}

describe('a schema takes no longer than it is large', () => {
  const last = { type: 'object', properties: { units, place }, required: ['units'] };
  const first = { $ref: '#/$defs/d0' };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const conditional = (one: Schema) => ({ if: one, then: one, else: one });

  test.each<[string, Schema]>([
    ['all of two', { ...first, $defs: fanOut(60, (next) => ({ allOf: [next, next] }), last) }],
    ['any of two', { ...first, $defs: fanOut(60, (next) => ({ anyOf: [next, next] }), last) }],
    ['one of two', { ...first, $defs: fanOut(60, (next) => ({ oneOf: [next, { not: next }] }), last) }],
    ['conditions', { ...first, $defs: fanOut(60, conditional, last) }],
    [
      'what comes with the argument',
      {
        ...first,
        $defs: fanOut(
          60,
          (next) => ({ allOf: [next], dependentSchemas: { units: next, place: next } }),
          last,
        ),
      },
    ],
    [
      'circles',
      {
        ...first,
        $defs: fanOut(60, (next) => ({ allOf: [next, next] }), { ...last, anyOf: [first, first, last] }),
      },
    ],
    ['conditions of conditions', nested(45, (inner) => ({ if: inner, else: last }), last)],
    [
      'values',
      { properties: { units: first }, $defs: fanOut(60, (next) => ({ allOf: [next, next] }), units) },
    ],
    [
      'other values',
      { properties: { units, place: first }, $defs: fanOut(60, (next) => ({ allOf: [next, next] }), units) },
    ],
  ])('where references fan out: %s', async (_, schema) => {
    const whole = { type: 'object', ...schema };
    const input = await compiled(whole);
    await findPinFaults(input, metric);
    const left = omitFixed(whole, metric);
    expect(JSON.stringify(left).length).toBeLessThan(4 * JSON.stringify(whole).length);
  });

  test('where what it names names itself in turn', () => {
    const part = { type: 'object', properties: { units, place }, required: ['units'] };
    const whole = {
      type: 'object',
      allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
      $defs: {
        a: { ...part, anyOf: [{ $ref: '#/$defs/b' }, { required: ['place'] }] },
        b: { ...part, anyOf: [{ $ref: '#/$defs/a' }, { required: ['place'] }] },
      },
    };
    const { $defs, ...shown } = omitFixed(whole, metric) as { $defs: Schema };
    const { a, b, ...lefts } = $defs;
    expect([a, b]).toEqual([whole.$defs.a, whole.$defs.b]);
    expect(JSON.stringify([shown, lefts])).not.toContain('units');
    const named = [...JSON.stringify([shown, lefts]).matchAll(/#\/\$defs\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(Object.keys(lefts)));
  });

  test('where references are without end', async () => {
    const $defs = fanOut(3000, (next) => ({ allOf: [next] }), last);
    const whole = { type: 'object', ...first, $defs };
    expect(await findPinFaults(await compiled(whole), metric)).toEqual([
      { problem: 'excessive', reason: expect.stringContaining('too deep') },
    ]);
  });

  test('where what is left would be too large to be listed', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `name${index}`);
    const whole = {
      type: 'object',
      properties: { units, place: { $ref: '#/$defs/all/properties/units' } },
      $ref: '#/$defs/all',
      $defs: { all: { properties: { units }, required: ['units'], enum: [many] } },
    };
    const input = await compiled(whole);
    expect(await findPinFaults(input, metric)).toEqual([
      { problem: 'excessive', reason: expect.stringMatching(/values|characters/) },
    ]);
  });
});

describe('fixed arguments without effect', () => {
  const faults = async (schema: object, pinned: Schema) =>
    (await findPinFaults(await compiled({ type: 'object', ...schema }), pinned)).map((fault) =>
      JSON.stringify(fault),
    );

  const table: readonly [Schema, Schema, readonly RegExp[]][] = [
    [{ properties: { units } }, metric, []],
    [{ properties: { units } }, { unit: 'metric' }, [/unknown.*"unit".*units/]],
    [{ properties: { units } }, { units: 'none' }, [/unfit.*"units".*metric/]],
    [{ properties: { a: { type: 'integer', minimum: 1, maximum: 5 } } }, { a: 3 }, []],
    [{ properties: { a: { type: 'integer' } } }, { a: 1.5 }, [/integer/]],
    [{ properties: { a: { type: 'integer', minimum: 1 } } }, { a: 0 }, [/unfit.*"a"/]],
    [{ properties: { a: { type: 'string', format: 'date' } } }, { a: 'today' }, [/date/]],
    [{ properties: { a: { type: 'array', items: { type: 'string' } } } }, { a: ['x', 1] }, [/unfit.*"a"/]],
    [{ properties: { a: { type: 'array', items: { type: 'string' } } } }, { a: ['x'] }, []],
    [
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } },
      { a: 1 },
      [/unfit.*"a"/],
    ],
    [{ properties: { a: place, b: place }, maxProperties: 1 }, { a: 'x', b: 'y' }, [/together/]],
    [{ properties: {}, additionalProperties: true }, { other: 1 }, []],
    [{ properties: {}, additionalProperties: { type: 'string' } }, { other: 1 }, [/unfit.*"other"/]],
    [{ properties: { a: place }, anyOf: [{ required: ['b'] }] }, { b: 1 }, []],
    [
      {
        properties: { a: place, b: place },
        oneOf: [{ properties: { a: { const: 'x' } } }, { properties: { b: { const: 'y' } } }],
      },
      { a: 'y', b: 'x' },
      [/together/],
    ],
  ];

  test.each(table)('%j with %j', async (schema, pinned, expected) => {
    const told = await faults(schema, pinned);
    expect(told).toHaveLength(expected.length);
    for (const [index, message] of expected.entries()) expect(told[index]).toMatch(message);
  });

  test('is nothing where a tool has no schema', async () => {
    expect(await findPinFaults(noInput, { any: 1 })).toEqual([]);
  });

  test('is nothing that other arguments are missing for', async () => {
    expect(await faults({ properties: { units, place }, required: ['place'] }, metric)).toEqual([]);
  });
});
