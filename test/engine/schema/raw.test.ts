import { describe, expect, it } from 'vitest';
import { compileSchema, formatIssues, jsonSchema, SchemaError } from '../../../src/engine/schema/index.js';

const input = { side: 'input' } as const;

describe('a JSON Schema', () => {
  it('is shown as it is given', async () => {
    const given = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      'x-own': { any: 1 },
    };
    expect((await compileSchema(given, input)).wire).toEqual(given);
  });

  it('delivers arguments untouched: no defaults, no coercion, unknown keys kept', async () => {
    const schema = await compileSchema(
      { type: 'object', properties: { a: { type: 'integer', default: 1 } } },
      input,
    );
    const sent = { other: '1' };
    const result = await schema.check(sent);
    expect(result).toEqual({ ok: true, value: { other: '1' } });
    expect(result.ok && result.value).toBe(sent);
    expect(await schema.check({ a: '1' })).toMatchObject({ ok: false });
  });

  it.each([
    [
      'an unknown name, with the known ones',
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      '/b',
      '"b" is not a known name (known: a)',
    ],
    [
      'a name left unevaluated',
      { properties: { a: {} }, unevaluatedProperties: false },
      { b: 1 },
      '/b',
      '"b" is not a known name (known: a)',
    ],
    [
      'what another parameter requires',
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      '/b',
      '"b" is required together with "a"',
    ],
    [
      'several types',
      { properties: { a: { type: ['string', 'null'] } } },
      { a: 1 },
      '/a',
      '"a" must be string or null',
    ],
    ['a constant', { properties: { a: { const: 'x' } } }, { a: 1 }, '/a', '"a" must be x'],
    [
      'a name with a slash',
      { properties: { 'a/b': { type: 'string' } } },
      { 'a/b': 1 },
      '/a~1b',
      '"a/b" must be string',
    ],
    [
      'a failed condition, by what failed in it',
      { if: false, else: { required: ['a'] } },
      {},
      '/a',
      '"a" is required',
    ],
    [
      'a pattern that needs no u flag',
      { properties: { a: { type: 'string', pattern: '^[\\w-.]+\\-$' } } },
      { a: '?' },
      '/a',
      '"a" must match pattern "^[\\w-.]+\\-$"',
    ],
  ])('reports %s', async (_, keywords, value, path, message) => {
    const schema = await compileSchema({ type: 'object', ...keywords }, input);
    expect(await schema.check(value)).toEqual({ ok: false, issues: [{ path, message }] });
  });

  it.each([
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', { prefixItems: [{ type: 'string' }] }],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', { items: [{ type: 'string' }] }],
    ['draft-07', 'http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] }],
    ['draft-07 by https', 'https://json-schema.org/draft-07/schema', { items: [{ type: 'string' }] }],
    ['draft-06', 'http://json-schema.org/draft-06/schema#', { items: [{ type: 'string' }] }],
  ])('is read by its dialect %s', async (_, $schema, tuple) => {
    const schema = await compileSchema({ $schema, type: 'object', properties: { l: tuple } }, input);
    expect(await schema.check({ l: ['a', 1] })).toMatchObject({ ok: true });
    expect(await schema.check({ l: [1] })).toMatchObject({ ok: false, issues: [{ path: '/l/0' }] });
  });

  it('never meets the $id of another', async () => {
    const id = { $id: 'https://example.com/same', type: 'object' };
    const first = await compileSchema({ ...id, required: ['a'] }, input);
    const second = await compileSchema({ ...id, required: ['b'] }, input);
    expect(await first.check({ a: 1 })).toMatchObject({ ok: true });
    expect(await second.check({ a: 1 })).toMatchObject({ ok: false });
  });

  it('checks synchronously, regardless of $async', async () => {
    const schema = await compileSchema({ $async: true, type: 'object', required: ['a'] }, input);
    expect(await schema.check({})).toMatchObject({ ok: false });
  });

  it('stops at values too deep for a recursion', async () => {
    const schema = await compileSchema({ type: 'object', properties: { a: { $ref: '#' } } }, input);
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}{}${'}'.repeat(50_000)}`);
    expect(await schema.check(deep)).toMatchObject({ ok: false, issues: [{ message: /less deep/ }] });
  });

  it.each([
    ['has a broken pattern', { properties: { a: { pattern: '(' } } }],
    ['has a keyword of the wrong type', { required: 'a' }],
    ['has an unknown type', { properties: { a: { type: 'strin' } } }],
    ['has a text for a schema', { properties: { a: 'string' } }],
  ])('fails with a SchemaError at once if it %s', async (_, keywords) => {
    const compiling = compileSchema({ type: 'object', ...keywords }, input);
    await expect(compiling).rejects.toBeInstanceOf(SchemaError);
  });

  it.each([['https://example.com/x'], ['#/$defs/gone']])(
    'fails at once if its reference %s does not resolve',
    async ($ref) => {
      const schema = { type: 'object', properties: { a: { $ref } } };
      await expect(compileSchema(schema, input)).rejects.toMatchObject({ path: ['properties', 'a', '$ref'] });
    },
  );

  it('is refused when too deep, too large or endless', async () => {
    const deep = JSON.parse(`${'{"not":'.repeat(200)}{}${'}'.repeat(200)}`);
    const endless: Record<string, unknown> = { type: 'object' };
    endless.not = endless;
    let laughs: object = { type: 'string' };
    for (let level = 0; level < 40; level++) laughs = { anyOf: [laughs, laughs] };

    await expect(compileSchema(deep, input)).rejects.toThrow(/deeper than 100/);
    await expect(compileSchema({ type: 'object', $comment: 'x'.repeat(2 ** 20) }, input)).rejects.toThrow(
      /characters long/,
    );
    await expect(compileSchema(jsonSchema(endless), input)).rejects.toThrow(/contains itself/);
    await expect(compileSchema({ type: 'object', not: laughs }, input)).rejects.toThrow(
      /more than 200000 values/,
    );
  });
});

it('formats issues in one line', () => {
  const issues = [
    { path: '/city', message: '"city" is required' },
    { path: '', message: 'The arguments must be object' },
  ];
  expect(formatIssues(issues)).toBe('"city" is required at /city; The arguments must be object');
  const labelled = { path: '/days/0', message: '"days[0]": Too big' };
  expect(formatIssues([labelled])).toBe('Too big at /days/0');
});

it('limits the number of issues for a model', () => {
  const issues = Array.from({ length: 25 }, (_, index) => ({ path: `/${index}`, message: 'wrong' }));
  expect(formatIssues(issues)).toMatch(/wrong at \/19; and 5 more$/);
});
