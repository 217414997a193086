import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { buildForm } from '../../../src/engine/interaction/elicitation-form.js';
import type { Answer, Context, UrlAnswer } from '../../../src/engine/runtime/context.js';
import { compileSchema } from '../../../src/engine/schema/index.js';
import { fields, jsonSchema } from '../../../src/index.js';
import { type Spoken, wireFaults } from '../../support/wire-schema.js';

const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

async function form(schema: unknown, version: string) {
  const { wire } = await compileSchema(schema, { side: 'input' });
  return buildForm(wire, version);
}

const field = async (schema: object, version: string) =>
  (
    (await form(jsonSchema({ type: 'object', properties: { f: schema } }), version)).properties as {
      f: object;
    }
  ).f;

/** A question on its way to a client. */
function asked(request: object, version: string): readonly Spoken[] {
  if (version !== '2026-07-28') return [{ by: 'server', message: { jsonrpc: '2.0', id: 1, ...request } }];
  const result = { resultType: 'input_required', inputRequests: { e1: request } };
  return [
    { by: 'client', message: { jsonrpc: '2.0', id: 1, method: 'tools/call' } },
    { by: 'server', message: { jsonrpc: '2.0', id: 1, result } },
  ];
}

describe.each(revisions)('a form of %s', (version) => {
  const isRich = version !== '2025-06-18';
  const initial = (value: unknown) => (isRich ? { default: value } : {});

  test.each<[string, object, object]>([
    [
      'a text',
      {
        type: 'string',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 9,
        format: 'email',
        default: 'a@b',
      },
      {
        type: 'string',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 9,
        format: 'email',
        ...initial('a@b'),
      },
    ],
    ['a text that forms cannot bound', { type: 'string', pattern: '^a', format: 'uuid' }, { type: 'string' }],
    [
      'a number',
      { type: 'number', minimum: 0, maximum: 1, multipleOf: 0.1, exclusiveMinimum: 0, default: 0.5 },
      { type: 'number', minimum: 0, maximum: 1, ...initial(0.5) },
    ],
    ['a whole number', { type: 'integer', default: 1.5 }, { type: 'integer' }],
    ['yes or no', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
    ['a choice', { enum: ['a', 'b'], default: 'b' }, { type: 'string', enum: ['a', 'b'], ...initial('b') }],
    ['a choice of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a choice whose default is none', { enum: ['a'], default: 'z' }, { type: 'string', enum: ['a'] }],
    [
      'a choice with titles',
      { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }], default: 'a' },
      isRich
        ? {
            type: 'string',
            oneOf: [
              { const: 'a', title: 'A' },
              { const: 'b', title: 'b' },
            ],
            default: 'a',
          }
        : { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'b'] },
    ],
    [
      'a choice with names',
      { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    ],
  ])('holds %s', async (_what, schema, expected) => {
    expect(await field(schema, version)).toEqual(expected);
  });

  test.each<[string, object]>([
    ['an object', { type: 'object', properties: {} }],
    ['a list of texts', { type: 'array', items: { type: 'string' } }],
    ['a list of lists', { type: 'array', items: { type: 'array', items: { enum: ['a'] } } }],
    ['several types', { type: ['string', 'number'] }],
    ['numbers to choose from', { enum: [1, 2] }],
    ['what may be nothing', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['a reference', { $ref: '#/$defs/a' }],
    ['anything', {}],
  ])('does not hold %s', async (_what, schema) => {
    const all = { type: 'object', properties: { f: schema }, $defs: { a: { type: 'string' } } };
    await expect(form(jsonSchema(all), version)).rejects.toThrow(/^The field "f" of a question /);
    await expect(form(jsonSchema(all), version)).rejects.toBeInstanceOf(TypeError);
  });

  test('matches the official schema for every schema form', async () => {
    const forms = [
      fields({
        text: { type: 'string', required: true, format: 'date', description: 'When' },
        count: { type: 'integer', min: 1, default: 3 },
        size: { type: 'enum', values: ['s', 'm'] },
        sure: { type: 'boolean', default: true },
      }),
      { bare: 'number' },
      '{"type":"object","properties":{"a":{"type":"string","pattern":"x"}},"additionalProperties":false}',
      z.object({ mail: z.email(), kind: z.enum(['a', 'b']), one: z.literal('x'), n: z.int().optional() }),
    ];
    for (const one of forms) {
      const requestedSchema = await form(one, version);
      const request = { method: 'elicitation/create', params: { message: 'x', requestedSchema } };
      expect(wireFaults(version, asked(request, version))).toEqual([]);
    }
  });

  test('requires what the schema requires, and nothing it does not have', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] };
    expect(await form(jsonSchema(schema), version)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a form of %s', (version) => {
  test.each<[string, object, object]>([
    [
      'several choices',
      {
        type: 'array',
        items: { enum: ['a', 'b'] },
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        default: ['a'],
      },
      {
        type: 'array',
        items: { type: 'string', enum: ['a', 'b'] },
        minItems: 1,
        maxItems: 2,
        default: ['a'],
      },
    ],
    [
      'several choices with titles',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['z'] },
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    ],
    [
      'several choices with an unknown default',
      { type: 'array', items: { enum: ['a', 'b'] }, default: ['a', 'z'] },
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    ],
  ])('holds %s', async (_what, schema, expected) => {
    expect(await field(schema, version)).toEqual(expected);
  });
});

test('a form of 2025-06-18 has no several choices', async () => {
  const schema = { type: 'array', items: { enum: ['a'] } };
  await expect(field(schema, '2025-06-18')).rejects.toThrow(
    'The field "f" of a question asks to choose several, which MCP 2025-06-18, spoken by this client, does not have.',
  );
});

test('the content of an answer has the type of its schema', () => {
  const ask = async (ctx: Context) => {
    const spec = await ctx.elicit('x', {
      name: { type: 'string', required: true },
      size: { type: 'enum', values: [1, 2], default: 1 },
      sure: 'boolean',
    });
    expectTypeOf(spec).toEqualTypeOf<Answer<{ name: string; size: 1 | 2; sure?: boolean }>>();
    if (spec.action === 'accept') expectTypeOf(spec.content.name).toBeString();
    else expectTypeOf(spec).not.toHaveProperty('content');

    const wrapped = await ctx.elicit('x', fields({ days: { type: 'integer', required: true } }));
    expectTypeOf(wrapped).toEqualTypeOf<Answer<{ days: number }>>();
    const standard = await ctx.elicit('x', z.object({ when: z.string().default('now') }));
    expectTypeOf(standard).toEqualTypeOf<Answer<{ when: string }>>();
    const raw = await ctx.elicit('x', jsonSchema({ type: 'object' }));
    expectTypeOf(raw).toEqualTypeOf<Answer<Record<string, unknown>>>();

    expectTypeOf(await ctx.elicitUrl('x', 'https://acme.example')).toEqualTypeOf<UrlAnswer>();
    expectTypeOf(await ctx.step('x', async () => 1)).toBeNumber();
    expectTypeOf((await ctx.roots())[0]!.uri).toBeString();
  };
  expectTypeOf(ask).toBeFunction();
});
