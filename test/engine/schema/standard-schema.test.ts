import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema, describeSchema } from '../../../src/engine/schema/index.js';

const resolveFrom = import.meta.url;

/** The same schema in three libraries. */
const libraries = {
  zod: z.object({ city: z.string(), days: z.number().int().default(3) }),
  valibot: v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 3) }),
  arktype: type({ city: 'string', days: 'number.integer = 3' }),
};

describe.each(Object.entries(libraries))('%s', (vendor, schema) => {
  it('shows an input in which a defaulted key is optional', async () => {
    const { wire } = await compileSchema(schema, { side: 'input', resolveFrom });
    expect(wire).toMatchObject({
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' } },
    });
  });

  it('shows an output', async () => {
    const { wire } = await compileSchema(schema, { side: 'output', resolveFrom });
    expect(wire).toMatchObject({ type: 'object', properties: { days: { type: 'integer' } } });
    expect(wire.required).toEqual(vendor === 'valibot' ? ['city'] : expect.arrayContaining(['city', 'days']));
  });

  it('delivers what the library made of the arguments', async () => {
    const { check } = await compileSchema(schema, { side: 'input', resolveFrom });
    const kept = vendor === 'arktype' ? { extra: 1 } : {};
    expect(await check({ city: 'Paris', extra: 1 })).toEqual({
      ok: true,
      value: { city: 'Paris', days: 3, ...kept },
    });
  });

  it('reports the invalid parameter', async () => {
    const { check } = await compileSchema(schema, { side: 'input', resolveFrom });
    const result = await check({ city: 5 });
    expect(result).toMatchObject({
      ok: false,
      issues: [{ path: '/city', message: expect.stringContaining('city') }],
    });
  });

  it('can be described as data, which is then checked by its JSON Schema', async () => {
    const described = JSON.parse(JSON.stringify(await describeSchema(schema, resolveFrom)));
    expect(described).toMatchObject({
      '@@': 'standard-schema',
      vendor,
      input: { type: 'object' },
      output: {},
    });

    const { check } = await compileSchema(described, { side: 'input' });
    expect(await check({ city: 'Paris' })).toEqual({ ok: true, value: { city: 'Paris' } });
    expect(await check({})).toMatchObject({
      ok: false,
      issues: [{ path: '/city', message: '"city" is required' }],
    });
  });
});

it('keeps the $schema that zod writes', async () => {
  const { wire } = await compileSchema(libraries.zod, { side: 'input' });
  expect(wire.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
});

it('waits for checks that are asynchronous', async () => {
  const taken = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') });
  const { check } = await compileSchema(taken, { side: 'input' });
  expect(await check({ name: 'free' })).toMatchObject({ ok: true });
  expect(await check({ name: 'taken' })).toEqual({
    ok: false,
    issues: [{ path: '/name', message: '"name": is taken' }],
  });
});

it('names the package to install if valibot cannot return JSON Schema', async () => {
  await expect(
    compileSchema(libraries.valibot, { side: 'input', resolveFrom: '/nowhere/index.js' }),
  ).rejects.toThrow('npm install @valibot/to-json-schema');
});

it('describes the convertible side and explains why the other fails', async () => {
  const oneWay = z.object({ day: z.string().transform((text) => new Date(text)) });
  expect(await describeSchema(oneWay)).toMatchObject({
    '@@': 'standard-schema',
    input: { type: 'object' },
    error: expect.stringContaining('output'),
  });
});

it('uses the JSON Schema of a valibot schema without another library', async () => {
  const schema = toStandardJsonSchema(libraries.valibot);
  expect((await compileSchema(schema, { side: 'input' })).wire).toMatchObject({
    type: 'object',
    required: ['city'],
  });
});

const choices = {
  zod: z.discriminatedUnion('by', [
    z.object({ by: z.literal('name'), name: z.string() }),
    z.object({ by: z.literal('id'), id: z.number() }),
  ]),
  valibot: v.variant('by', [
    v.object({ by: v.literal('name'), name: v.string() }),
    v.object({ by: v.literal('id'), id: v.number() }),
  ]),
  arktype: type({ by: "'name'", name: 'string' }).or({ by: "'id'", id: 'number' }),
};

describe.each(Object.entries(choices))('a choice among objects of %s', (_, schema) => {
  it('is an object, as clients want it', async () => {
    const { wire, check } = await compileSchema(schema, { side: 'input', resolveFrom });
    expect(wire).toMatchObject({ type: 'object' });
    expect(await check({ by: 'id', id: 5 })).toEqual({ ok: true, value: { by: 'id', id: 5 } });
    expect(await check({ by: 'id', name: 'x' })).toMatchObject({ ok: false });
    expect((await compileSchema(schema, { side: 'output', resolveFrom })).wire).toMatchObject({
      type: 'object',
    });
  });
});

it('accepts a union with non-objects as output and refuses it as input', async () => {
  const schema = z.union([z.object({ a: z.string() }), z.string()]);
  expect((await compileSchema(schema, { side: 'output' })).wire).not.toHaveProperty('type');
  await expect(compileSchema(schema, { side: 'input' })).rejects.toThrow('"type": "object" at its root');
});

describe('defaults of a library', () => {
  const defaultOf = async (schema: unknown) => {
    const { wire } = await compileSchema(schema, { side: 'input', resolveFrom });
    return (wire.properties as Record<string, { default?: unknown }>).days?.default;
  };

  it('is declared by zod and valibot, and not by arktype', async () => {
    expect(await defaultOf(libraries.zod)).toBe(3);
    expect(await defaultOf(libraries.valibot)).toBe(3);
    expect(await defaultOf(libraries.arktype)).toBeUndefined();
  });

  it('is required in the closed output schema of zod', async () => {
    const { wire } = await compileSchema(libraries.zod, { side: 'output' });
    expect(wire).toMatchObject({ required: ['city', 'days'], additionalProperties: false });
  });
});

describe('issues of a library', () => {
  const own = (result: unknown) => ({ '~standard': { version: 1, vendor: 'own', validate: () => result } });
  const say = { jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) } };
  const checked = async (result: unknown) => {
    const schema = own(result);
    Object.assign(schema['~standard'], say);
    const { check } = await compileSchema(schema, { side: 'input' });
    return await check({});
  };

  it.each([
    ['issues alone', { issues: [{ message: 'no' }] }],
    ['issues beside a value', { issues: [{ message: 'no' }], typed: false, value: {} }],
    ['a list that has issues', Object.assign([1], { issues: [{ message: 'no' }] })],
  ])('is read in any form: %s', async (_, result) => {
    expect(await checked(result)).toEqual({ ok: false, issues: [{ path: '', message: 'no' }] });
  });

  it.each([
    ['no issues', { value: { a: 1 } }],
    ['issues that are none', { value: { a: 1 }, issues: undefined }],
  ])('accepts a value without issues: %s', async (_, result) => {
    expect(await checked(result)).toEqual({ ok: true, value: { a: 1 } });
  });

  it('names the way to what is wrong, whichever way it is written', async () => {
    const issues = [{ message: 'no', path: [{ key: 'a/b' }, 0, 'c'] }];
    expect(await checked({ issues })).toEqual({
      ok: false,
      issues: [{ path: '/a~1b/0/c', message: '"c": no' }],
    });
  });
});
