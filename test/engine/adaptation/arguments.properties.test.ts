import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptTools } from '../../../src/engine/adaptation/adapt-list.js';
import { adaptationTarget, adaptationTargetOf } from '../../../src/engine/adaptation/adaptation-target.js';
import { toOriginal, type ValueMap } from '../../../src/engine/adaptation/argument-map.js';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { runs } from '../../support/runs.js';

type Schema = Readonly<Record<string, unknown>>;

interface Sample {
  readonly schema: Schema;
  /** A value that fits the schema. */
  readonly value: unknown;
}

const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });

/** True if a value fits a schema. */
const fits = (schema: unknown, value: unknown) => ajv.validate(schema as object, value);

const scalar: fc.Arbitrary<Sample> = fc.oneof(
  fc.string().map((value) => ({ schema: { type: 'string' }, value })),
  fc.integer().map((value) => ({ schema: { type: 'integer', minimum: -(2 ** 32) }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.option(fc.string(), { nil: null }).map((value) => ({ schema: { type: ['string', 'null'] }, value })),
  fc
    .option(fc.integer(), { nil: null })
    .map((value) => ({ schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] }, value })),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
      minLength: 1,
      selector: String,
    })
    .chain((values) => fc.constantFrom(...values).map((value) => ({ schema: { enum: values }, value }))),
  fc.jsonValue().map((value) => ({ schema: {}, value })),
  fc.tuple(fc.integer(), fc.string()).map((value) => ({
    schema: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false },
    value,
  })),
);

const names = fc.oneof(
  fc.constantFrom('a', 'items', 'a.b', 'a-b', 'ä', '1st', 'x y', 'constructor'),
  fc.string({ minLength: 1, maxLength: 80 }).filter((name) => name !== '__proto__'),
);

const part = fc.letrec<{ part: Sample; object: Sample }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    tie('object'),
    fc.array(tie('part'), { minLength: 1, maxLength: 1 }).map(([sample]) => ({
      schema: { type: 'array', items: sample!.schema },
      value: [sample!.value, sample!.value],
    })),
  ),
  object: fc
    .uniqueArray(
      fc.record({ name: names, sample: tie('part'), isRequired: fc.boolean(), isGiven: fc.boolean() }),
      {
        selector: ({ name }) => name,
        maxLength: 5,
      },
    )
    .map((members) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(members.map(({ name, sample }) => [name, sample.schema])),
        required: members.filter(({ isRequired }) => isRequired).map(({ name }) => name),
        additionalProperties: false,
      },
      value: Object.fromEntries(
        members
          .filter(({ isRequired, isGiven }) => isRequired || isGiven)
          .map(({ name, sample }) => [name, sample.value]),
      ),
    })),
})).object;

const settings = { mode: 'on', serverKey: 'demo' } as const;
const targets = [
  ...limitSubjects.map(({ id }) => adaptationTargetOf(id, settings)!),
  adaptationTarget('unknown', settings),
];

/** The value that a model would give for an original value; undefined if the client cannot give it. */
function toAdapted(value: unknown, map: ValueMap | undefined): unknown {
  if (!map) return value;
  for (const [text, original] of map.values ?? []) if (Object.is(original, value)) return text;
  if (Array.isArray(value)) return value.map((item) => toAdapted(item, map.items));
  if (typeof value !== 'object' || value === null) return value;
  const newNames = new Map([...(map.names ?? [])].map(([other, name]) => [name, other]));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => !(one === null && map.nulls?.includes(name)))
      .map(([name, one]) => [newNames.get(name) ?? name, toAdapted(one, map.properties?.get(name))]),
  );
}

describe('arguments', () => {
  test('come back as the tool expects them, for any schema', () => {
    fc.assert(
      fc.property(part, fc.constantFrom(...targets), ({ schema, value }, target) => {
        fc.pre(fits(schema, value));
        const [adapted] = adaptTools([{ name: 'x', inputSchema: schema }], target);
        const given = toAdapted(value, adapted!.map);
        expect(toOriginal(given, adapted!.map)).toEqual(value);
      }),
      { numRuns: runs / 4 },
    );
  });

  test('fit the adapted schema if they fit the schema of the tool', () => {
    fc.assert(
      fc.property(part, fc.constantFrom(...targets), ({ schema, value }, target) => {
        fc.pre(!JSON.stringify(value).includes('null') && fits(schema, value));
        const [adapted] = adaptTools([{ name: 'x', inputSchema: schema }], target);
        const given = toAdapted(value, adapted!.map);
        expect(fits(adapted!.tool.inputSchema, given)).toBe(true);
      }),
      { numRuns: runs / 4 },
    );
  });

  test('stay as they are if the client knows the original names and values', () => {
    fc.assert(
      fc.property(part, fc.constantFrom(...targets), ({ schema, value }, target) => {
        fc.pre(fits(schema, value));
        const [adapted] = adaptTools([{ name: 'x', inputSchema: schema }], target);
        expect(toOriginal(value, adapted!.map)).toEqual(value);
      }),
      { numRuns: runs / 4 },
    );
  });
});

/** Schemas whose adapted form accepts no more values than their own. Merged unions and tuples accept more. */
const isExact = (schema: Schema) => !JSON.stringify(schema).includes('"prefixItems"');

describe('values of the adapted schema', () => {
  test('are, mapped back, values that the schema of the tool accepts', () => {
    fc.assert(
      fc.property(part, fc.constantFrom(...targets), fc.context(), fc.gen(), ({ schema }, target, ctx, g) => {
        fc.pre(isExact(schema));
        const [adapted] = adaptTools([{ name: 'x', inputSchema: schema }], target);
        const { inputSchema } = adapted!.tool;
        const given = drawValue(inputSchema as Schema, g);
        ctx.log(JSON.stringify({ target: target.id, inputSchema, given }));
        expect(fits(inputSchema, given)).toBe(true);
        expect(fits(schema, toOriginal(given, adapted!.map))).toBe(true);
      }),
      { numRuns: runs / 2 },
    );
  });
});

/** A value of an adapted schema. */
function drawValue(schema: Schema, g: fc.GeneratorValue): unknown {
  const { type, enum: choices, anyOf } = schema as { [key: string]: unknown };
  if (Array.isArray(choices)) return g(fc.constantFrom, ...choices);
  if (Array.isArray(anyOf)) return drawValue(g(fc.constantFrom, ...anyOf) as Schema, g);
  const named = Array.isArray(type) ? g(fc.constantFrom, ...type) : type;
  if (named === 'object') return drawObject(schema, g);
  if (named === 'array') {
    const count = g(fc.integer, { min: 0, max: 3 });
    return Array.from({ length: count }, () => drawValue((schema.items ?? {}) as Schema, g));
  }
  if (named === 'string') return g(fc.string);
  if (named === 'integer' || named === 'number')
    return g(fc.integer, { min: Number(schema.minimum ?? -(2 ** 31)) });
  if (named === 'boolean') return g(fc.boolean);
  return named === 'null' ? null : g(fc.jsonValue);
}

function drawObject({ properties = {}, required = [] }: Schema, g: fc.GeneratorValue): unknown {
  const entries = Object.entries(properties as Record<string, Schema>).filter(
    ([name]) => (required as readonly string[]).includes(name) || g(fc.boolean),
  );
  return Object.fromEntries(entries.map(([name, part]) => [name, drawValue(part, g)]));
}

describe('a root with variants', () => {
  const variants = fc.array(part, { minLength: 1, maxLength: 3 });

  test.each(['anyOf', 'allOf'] as const)('with %s accepts all that its schema accepts', (keyword) => {
    fc.assert(
      fc.property(variants, part, (list, base) => {
        const value = Object.assign({}, ...list.map((one) => one.value as object), base.value);
        const schema = { ...open(base.schema), [keyword]: list.map((one) => open(one.schema)) };
        fc.pre(!JSON.stringify(value).includes('null') && fits(schema, value));
        const target = adaptationTargetOf('claude-desktop', settings)!;
        const [adapted] = adaptTools([{ name: 'x', inputSchema: schema }], target);
        const merged = adapted!.tool.inputSchema as Schema;
        expect(['oneOf', 'anyOf', 'allOf', 'not', 'if'].filter((key) => key in merged)).toEqual([]);
        expect(fits(merged, toAdapted(value, adapted!.map))).toBe(true);
      }),
      { numRuns: runs / 10 },
    );
  });
});

function open({ additionalProperties: _, ...schema }: Schema): Schema {
  return schema;
}
