import { type } from 'arktype';
import * as v from 'valibot';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
} from '../../../src/engine/runtime/define-items.js';
import type {
  UpstreamToolDefinition,
  UpstreamTools,
} from '../../../src/engine/runtime/definition-types/upstream-types.js';
import { tool } from '../../../src/engine/runtime/option-sets.js';
import { error, structured } from '../../../src/engine/runtime/result-builders.js';
import { fields, jsonSchema } from '../../../src/engine/schema/index.js';

const output = { e: { type: 'enum', values: ['x', 'y'], required: true } } as const;

test('a handler may return a plain literal where its output is an enum', () => {
  const now = defineTool({
    output: { e: { type: 'enum', values: ['x', 'y'], required: true } },
    handler: () => ({ e: 'x' }),
  });
  const later = defineTool({
    output: { e: { type: 'enum', values: [1, 2], required: true } },
    handler: async () => ({ e: 2 }),
  });
  expect([typeof now.handler, typeof later.handler]).toEqual(['function', 'function']);
  // @ts-expect-error is none of the values
  defineTool({ output, handler: () => ({ e: 'z' }) });
});

test('arguments are typed by the input, in every way of writing a handler', () => {
  const input = { q: { type: 'string', required: true }, n: 'integer' } as const;
  defineTool({
    input,
    async handler({ q, n }) {
      expectTypeOf(q).toEqualTypeOf<string>();
      expectTypeOf(n).toEqualTypeOf<number | undefined>();
      return q;
    },
  });
  defineTool({ input: { when: { type: 'integer', default: 1 } }, handler: ({ when }) => when + 1 });
});

test('arguments are typed by every form that a schema can have', () => {
  const run = () => 'x';
  const of = <A>(_: { handler(args: A, ctx: never): unknown }): A => ({}) as A;
  const nested = {
    rows: {
      type: 'object[]',
      required: true,
      fields: { id: { type: 'integer', required: true }, on: { type: 'enum', values: ['a', 1, true] } },
    },
    grid: 'number[][]',
    level: { type: 'enum', values: [1, 2], default: 1 },
  } as const;
  interface Nested {
    rows: { id: number; on?: 'a' | 1 | true }[];
    grid?: number[][];
    level: 1 | 2;
  }
  expectTypeOf(of(defineTool({ input: nested, handler: run }))).toEqualTypeOf<Nested>();
  expectTypeOf(of(defineTool({ input: fields(nested), handler: run }))).toEqualTypeOf<Nested>();
  expectTypeOf(of(defineTool({ input: fields([['2', 'integer']]), handler: run }))).toEqualTypeOf<{
    2?: number;
  }>();

  const parsed = z.object({ n: z.number().default(1), day: z.string().transform((text) => new Date(text)) });
  expectTypeOf(of(defineTool({ input: parsed, handler: run }))).toEqualTypeOf<{ n: number; day: Date }>();
  const entries = v.object({ n: v.optional(v.number(), 1), s: v.optional(v.string()) });
  expectTypeOf(of(defineTool({ input: entries, handler: run }))).toEqualTypeOf<{
    n: number;
    s?: string | undefined;
  }>();
  expectTypeOf(of(defineTool({ input: type({ n: 'number = 1' }), handler: run }))).toEqualTypeOf<{
    n: number;
  }>();

  type Anything = Record<string, unknown>;
  const schema = { type: 'object', properties: { q: { type: 'string' } } } as const;
  expectTypeOf(of(defineTool({ input: schema, handler: run }))).toEqualTypeOf<Anything>();
  expectTypeOf(of(defineTool({ input: jsonSchema(schema), handler: run }))).toEqualTypeOf<Anything>();
  expectTypeOf(of(defineTool({ input: '{"type":"object"}', handler: run }))).toEqualTypeOf<Anything>();
  expectTypeOf(of(defineTool({ inputSchema: schema, handler: run }))).toEqualTypeOf<Anything>();
  expectTypeOf(of(defineTool({ handler: run }))).toEqualTypeOf<Anything>();
});

test('a result is typed by every form that a schema can have', () => {
  const field = { n: { type: 'integer', required: true }, s: { type: 'string', default: 'x' } } as const;
  defineTool({ output: field, handler: () => ({ n: 1 }) });
  defineTool({ output: field, handler: () => error('Nothing there.') });
  defineTool({ output: field, handler: async () => structured({ n: 1 }, ['One.']) });
  // @ts-expect-error lacks what is required
  defineTool({ output: field, handler: () => ({ s: 'x' }) });
  // @ts-expect-error is of another type
  defineTool({ output: fields(field), handler: async () => ({ n: 'one' }) });

  const parsed = z.object({ n: z.number().default(1), day: z.string().transform((text) => new Date(text)) });
  defineTool({ output: parsed, handler: () => ({ day: '2026-01-02' }) });
  // @ts-expect-error is what the library makes, not what it takes
  defineTool({ output: parsed, handler: () => ({ n: 1, day: new Date() }) });
  // @ts-expect-error is of another type
  defineTool({ output: v.object({ n: v.number() }), handler: () => ({ n: 'one' }) });
  // @ts-expect-error is of another type
  defineTool({ output: type({ n: 'number' }), handler: () => ({ n: 'one' }) });

  const anything = defineTool({ output: { type: 'array', items: {} }, handler: () => [1, 'two'] });
  expectTypeOf(anything.handler).returns.toEqualTypeOf<unknown>();
});

test('a prompt function gets its required arguments as strings', () => {
  definePrompt({
    arguments: [{ name: 'a', required: true, complete: (value: string) => [value] }, { name: 'b' }],
    content: ({ a, b }) => {
      expectTypeOf(a).toEqualTypeOf<string>();
      expectTypeOf(b).toEqualTypeOf<string | undefined>();
      return a;
    },
  });
});

test('suggestions of a prompt are typed, with and without annotations', () => {
  definePrompt({
    description: 'x',
    arguments: [
      { name: 'who', required: true, complete: (value) => [value.trim()] },
      { name: 'where', complete: async (value, ctx) => ({ values: [value, ctx.client.name ?? ''] }) },
    ],
    content: ({ who, where }) => {
      expectTypeOf(who).toEqualTypeOf<string>();
      expectTypeOf(where).toEqualTypeOf<string | undefined>();
      return who;
    },
  });
  definePrompt({
    arguments: [{ name: 'who', required: true, complete: (value) => [value] }],
    // @ts-expect-error is not declared
    content: ({ who, when }) => `${who} ${when}`,
  });
  // @ts-expect-error is not declared
  definePrompt({ content: ({ who }) => String(who) });
});

test('a field spec that cannot be meant does not compile', () => {
  const handler = () => ({ a: 'x' });
  // @ts-expect-error is no type
  expect(() => defineTool({ input: { a: 'strin' }, handler })).not.toThrow();
  // @ts-expect-error is for numbers
  defineTool({ input: { a: { type: 'string', min: 2 } }, handler });
  // @ts-expect-error is no option
  defineTool({ input: { a: { type: 'string', requried: true } }, handler });
  // @ts-expect-error is true or false
  defineTool({ input: { a: { type: 'string', required: 'yes' } }, handler });
  // @ts-expect-error lacks its values
  defineTool({ input: { ok: 'string', a: { type: 'enum' } }, handler });
  // @ts-expect-error is no type
  defineTool({ input: { ok: 'string', a: { type: 'object', fields: { b: 'strng' } } }, handler });
  // @ts-expect-error is for numbers
  defineTool({ input: { a: { type: 'array', items: { type: 'string', max: 3 } } }, handler });
  // @ts-expect-error is for numbers
  defineTool({ output: { a: { type: 'string', min: 2 } }, handler });
  // @ts-expect-error is for numbers
  expect(() => tool({ name: 'x', input: { a: { type: 'string', min: 2 } } }, handler)).toThrow('"min"');
});

test('a schema of which TypeScript knows little compiles', () => {
  const loose = { a: { type: 'string', required: true } };
  const parts: Record<string, unknown> = { type: 'object' };
  const whole: object = parts;
  defineTool({ input: loose, handler: (args) => String(args) });
  defineTool({ input: parts, handler: ({ a }) => String(a) });
  defineTool({ input: whole, handler: ({ a }) => String(a) });
  defineTool({
    input: { properties: { a: { type: 'string', minLength: 3 } } },
    handler: ({ a }) => String(a),
  });
  defineTool({ output: { type: 'string', minLength: 3 }, handler: () => 'abc' });
  defineTool({ input: {}, handler: () => 'x' });
});

test('a resource has one address and one content', () => {
  const read = () => 'x';
  defineResource({ uri: 'a://b', read: (uri, variables, ctx) => `${uri} ${variables.x} ${ctx.client.name}` });
  defineResource({ uriTemplate: 'a://{b}', read, list: (ctx) => [{ uri: `a://${ctx.client.name}` }] });
  // @ts-expect-error has no content
  defineResource({ uri: 'a://b' });
  // @ts-expect-error has two contents
  defineResource({ uri: 'a://b', text: 'x', file: 'x.txt' });
  // @ts-expect-error has no address
  defineResource({ text: 'x' });
  // @ts-expect-error has two addresses
  defineResource({ uri: 'a://b', uriTemplate: 'a://{b}', read });
  // @ts-expect-error stands for many, of which each has its own content
  defineResource({ uriTemplate: 'a://{b}', text: 'x' });
  // @ts-expect-error is of templates
  defineResource({ uri: 'a://b', text: 'x', list: () => [] });
});

test('a tool may be answered by an existing server, and is typed as one that is', () => {
  const far = defineTool({
    description: 'Far.',
    input: { q: { type: 'string', required: true } },
    upstream: { command: 'npx', args: ['-y', 'it'], tool: 'near', startTimeoutMs: 5 },
  });
  expectTypeOf(far).toExtend<UpstreamToolDefinition<{ readonly q: unknown }>>();
  expectTypeOf(far.handler).toEqualTypeOf<undefined>();
  defineTool({ upstream: './kernel.js#place' });
  defineTool({ upstream: ({ env }) => ({ command: env.KERNEL ?? 'kernel' }) });
  defineTool({ upstream: { place: async () => ({ url: 'https://a.example', type: 'sse' }) } });
  // @ts-expect-error has a handler beside
  defineTool({ handler: () => 'x', upstream: { command: 'npx' } });
  // @ts-expect-error is nowhere
  defineTool({ upstream: { args: ['x'] } });
  const entry = {
    upstream: { url: 'https://a.example' },
    prefix: 'a_',
    rename: { b: 'c' },
  } satisfies UpstreamTools;
  expect(defineServer({ tools: ['a', entry] }).tools).toEqual(['a', entry]);
});
