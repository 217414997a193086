import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type FieldSpec,
  fields,
  type InferInput,
  type InferOutput,
  jsonSchema,
} from '../../../src/engine/schema/index.js';

function inputOf<const S>(_schema: S): InferInput<S> {
  return {} as InferInput<S>;
}

function outputOf<const S>(_schema: S): InferOutput<S> {
  return {} as InferOutput<S>;
}

it('fields give their types', () => {
  expectTypeOf(
    inputOf({
      city: { type: 'string', required: true },
      days: { type: 'integer', default: 3 },
      exact: 'boolean',
      tags: 'string[]',
      words: ['array', 'string'],
      rows: { type: ['array', 'object'], fields: { id: 'integer' } },
      grid: 'number[][]',
      unit: { type: 'enum', values: ['c', 'f'], required: true },
      levels: { type: 'enum[]', values: [1, 2], required: true },
      place: {
        type: 'object',
        fields: { lat: { type: 'number', required: true }, label: 'string' },
        required: true,
      },
      stops: { type: 'object[]', fields: { at: { type: 'string', required: true } } },
      names: { type: 'array', items: { type: 'string', minLength: 1 }, required: true },
      never: { type: 'string', default: null },
    }),
  ).toEqualTypeOf<{
    city: string;
    days: number;
    exact?: boolean;
    tags?: string[];
    words?: string[];
    rows?: { id?: number }[];
    grid?: number[][];
    unit: 'c' | 'f';
    levels: (1 | 2)[];
    place: { lat: number; label?: string };
    stops?: { at: string }[];
    names: string[];
    never?: string;
  }>();
});

it('fields() gives the same as the object alone', () => {
  expectTypeOf(inputOf(fields({ a: { type: 'string', required: true } }))).toEqualTypeOf<{ a: string }>();
});

it('a list of entries gives the same as an object', () => {
  const spec = fields([
    ['10', { type: 'string', required: true }],
    ['2', 'integer'],
  ]);
  expectTypeOf(inputOf(spec)).toEqualTypeOf<{ 10: string; 2?: number }>();
});

it('an output need not hold what has a default', () => {
  expectTypeOf(
    outputOf({ a: { type: 'integer', default: 1 }, b: { type: 'string', required: true } }),
  ).toEqualTypeOf<{
    a?: number;
    b: string;
  }>();
});

it('a Standard Schema gives what it parses to, and takes what it parses', () => {
  const schema = z.object({ a: z.string(), n: z.number().default(1) });
  expectTypeOf(inputOf(schema)).toEqualTypeOf<{ a: string; n: number }>();
  expectTypeOf(outputOf(schema)).toEqualTypeOf<{ a: string; n?: number | undefined }>();
  expectTypeOf(inputOf(v.object({ a: v.string() }))).toEqualTypeOf<{ a: string }>();
  expectTypeOf(inputOf(type({ a: 'string' }))).toEqualTypeOf<{ a: string }>();
});

it('for every library', () => {
  type Own = StandardSchemaV1<{ sent: string }, { parsed: number }>;
  expectTypeOf<InferInput<Own>>().toEqualTypeOf<{ parsed: number }>();
  expectTypeOf<InferOutput<Own>>().toEqualTypeOf<{ sent: string }>();
});

it('a JSON Schema gives a record of anything', () => {
  type Anything = Record<string, unknown>;
  expectTypeOf(inputOf({ type: 'object', properties: { a: { type: 'string' } } })).toEqualTypeOf<Anything>();
  expectTypeOf(inputOf('{"type":"object"}')).toEqualTypeOf<Anything>();
  expectTypeOf(inputOf(jsonSchema({ type: 'object' }))).toEqualTypeOf<Anything>();
  expectTypeOf(inputOf(undefined)).toEqualTypeOf<Anything>();
  expectTypeOf(outputOf({ type: 'array', items: {} })).toEqualTypeOf<unknown>();
});

it('a spec with a wrong type is refused', () => {
  // @ts-expect-error: no such type
  const spec: FieldSpec = { a: 'strng' };
  // @ts-expect-error: an enum needs values
  const other: FieldSpec = { a: { type: 'enum' } };
  expectTypeOf(spec).toEqualTypeOf(other);
});
