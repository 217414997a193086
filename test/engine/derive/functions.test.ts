import { beforeAll, describe, expect, test } from 'vitest';
import type { Derivation } from '../../../src/engine/derive/derive.js';
import { deriveOf, functionIn, said } from './support/project.js';

const libraryTypes = {
  'node_modules/agenttools/package.json': { name: 'agenttools', types: 'index.d.ts' },
  'node_modules/agenttools/index.d.ts': `
    export interface Context { tool: { name: string }; log(text: string): void }
    export type { Context as ToolContext };
    export type ContentBlock = { readonly type: string };
    export interface ToolResult { readonly content: readonly ContentBlock[] }
  `,
};

const source = `
import type { ContentBlock, ToolContext, ToolContext as Told, ToolResult } from 'agenttools';

/**
 * Adds two numbers.
 *
 * The order does not matter.
 *
 * @title Sum
 * @param a - The first.
 * @param b The second.
 * @returns The sum.
 * @readonly
 * @idempotent
 * @destructive false
 * @category Arithmetic
 * @hidden
 */
export function full(a: number, b?: number): number { return a + (b ?? 0); }

export function bare(): void {}
export const arrow = (days = 3, unit: 'c' | 'f' = 'c', deep = { a: [1, -2.5, null], 'b c': true }, later = Date.now()) => days;
export function async1(a: string): Promise<void> { return Promise.resolve(); }
export function named(a: string, ctx: { anything: () => void }): void {}
export function typed(a: string, context: ToolContext): void {}
export function renamed(a: string, context: Told): void {}
export function imported(a: string, context: import('agenttools').ToolContext): void {}
export function early(ctx: number, a: string): void {}
export function rest(first: string, ...others: number[]): void {}
/** One. */
export function over(a: string): string;
/** Two. */
export function over(a: number, b: number): number;
export function over(a: string | number): string | number { return a; }

/** Taken apart.
 * @param options - Ignored.
 * @param options.query What is sought.
 */
export function apart({ query, limit = 10 }: { query: string; limit?: number }, ctx: ToolContext): void {}
export function handler(args: { place: string; when?: Date }, ctx: ToolContext): void {}
export function listed(args: string[]): void {}
export function several({ a }: { a: string }, b: string): void {}
export function pair([a, b]: [string, number]): void {}
export function union(args: { a: string } | { b: string }): void {}

export const nothing = async (): Promise<undefined> => undefined;
export const maybe = async (a: number): Promise<{ found: string } | undefined> => undefined;
export const text = () => 'a' as string;
export const list = () => [1, 2];
export const anything = (): any => 1;
export const result = (): ToolResult => ({ content: [] });
export const block = async (): Promise<ContentBlock[] | ToolResult> => ({ content: [] });
/** @returns What was found, or why not. */
export const either = (): { found: string } | ToolResult => ({ found: 'a' });
export const dates = (): { at: Date; tags: Set<string>; nothing: string | undefined; listed: (string | undefined)[] } => ({}) as never;
export function generic<T>(a: T): T { return a; }
export const trap =
  /**
   * Counts.
   * @param n How far. @integer @minimum 0
   * @param at.city - The town. @minLength 2
   * @maximum 9
   */
  (n: number, at: { city: string }) => n;
`;

const names = [...source.matchAll(/export (?:const|function) (\w+)/g)]
  .map(([, name]) => name!)
  .filter((name, index, all) => all.indexOf(name) === index && name !== 'generic' && name !== 'block');

describe('a function', () => {
  let derivation: Derivation;
  const of = (name: string) => functionIn(derivation, name);
  const properties = (name: string) => of(name).inputSchema.properties;

  beforeAll(async () => {
    derivation = await deriveOf(source, names, { file: 'lib.ts', more: libraryTypes });
  }, 60_000);

  test('has the facts of its comment and its types', () => {
    expect(of('full')).toEqual({
      title: 'Sum',
      description: 'Adds two numbers.\n\nThe order does not matter.',
      category: 'Arithmetic',
      hidden: true,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'The first.' },
          b: { type: 'number', description: 'The second.' },
        },
        required: ['a'],
      },
      outputSchema: { type: 'number', description: 'The sum.' },
      parameters: [{ name: 'a' }, { name: 'b' }],
    });
  });

  test('has its name as title if it has no comment', () => {
    expect(of('bare')).toEqual({
      title: 'bare',
      inputSchema: { type: 'object', properties: {} },
      parameters: [],
    });
  });

  test('has defaults that are written down', () => {
    expect(of('arrow').inputSchema).toEqual({
      type: 'object',
      properties: {
        days: { type: 'number', default: 3 },
        unit: { type: 'string', enum: ['c', 'f'], default: 'c' },
        deep: expect.objectContaining({ type: 'object', default: { a: [1, -2.5, null], 'b c': true } }),
        later: { type: 'number' },
      },
    });
  });

  test.each(['named', 'typed', 'renamed', 'imported'])('has a context that is no argument: %s', (name) => {
    expect(Object.keys(properties(name) as object)).toEqual(['a']);
    expect(of(name).parameters).toEqual([{ name: 'a' }, { context: true }]);
  });

  test('has a context only at its end', () => {
    expect(of('early').parameters).toEqual([{ name: 'ctx' }, { name: 'a' }]);
  });

  test('takes what is left over as a list', () => {
    expect(of('rest').inputSchema).toEqual({
      type: 'object',
      properties: { first: { type: 'string' }, others: { type: 'array', items: { type: 'number' } } },
      required: ['first'],
    });
    expect(of('rest').parameters).toEqual([{ name: 'first' }, { name: 'others', rest: true }]);
  });

  test('with several signatures is the first of them', () => {
    expect(of('over')).toMatchObject({
      description: 'One.',
      inputSchema: { properties: { a: { type: 'string' } } },
    });
    expect(of('over').outputSchema).toEqual({ type: 'string' });
    const line = source.slice(0, source.indexOf('export function over')).split('\n').length;
    expect(said(derivation)).toContain(
      `warning lib.ts:${line}:1 Tool "over": its function has 2 signatures; only the first is used.`,
    );
  });

  test('takes all arguments if it destructures its only parameter', () => {
    expect(of('apart').inputSchema).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What is sought.' },
        limit: { type: 'number', default: 10 },
      },
      required: ['query'],
    });
    expect(of('apart').parameters).toEqual([{ whole: true }, { context: true }]);
  });

  test('in the form of a handler takes all arguments', () => {
    expect(Object.keys(properties('handler') as object)).toEqual(['place', 'when']);
    expect(of('handler')).toMatchObject({
      casts: { '/properties/when': 'Date' },
      parameters: [{ whole: true }, { context: true }],
    });
  });

  test.each(['listed', 'union'])('has a parameter called args that is no object: %s', (name) => {
    expect(of(name).parameters).toEqual([{ name: 'args' }]);
  });

  test('has no name for one destructured parameter of several', () => {
    expect(of('several').parameters).toEqual([{ name: 'arg1' }, { name: 'b' }]);
    expect(said(derivation).join('\n')).toMatch(
      /warning lib\.ts:\d+:\d+ Tool "several": .*clients see that parameter as "arg1"/,
    );
  });

  test('has no name for a destructured array', () => {
    expect(of('pair').parameters).toEqual([{ name: 'arg1' }]);
    expect(said(derivation).join('\n')).toMatch(
      /warning lib\.ts:\d+:\d+ Tool "pair": .*clients see that parameter as "arg1"/,
    );
  });

  test.each(['bare', 'async1', 'nothing', 'anything', 'result'])(
    'gives nothing with a schema: %s',
    (name) => {
      expect(of(name)).not.toHaveProperty('outputSchema');
    },
  );

  test.each([
    ['text', { type: 'string' }],
    ['list', { type: 'array', items: { type: 'number' } }],
    [
      'maybe',
      { anyOf: [expect.objectContaining({ type: 'object', required: ['found'] }), { type: 'null' }] },
    ],
    [
      'either',
      expect.objectContaining({
        type: 'object',
        required: ['found'],
        description: 'What was found, or why not.',
      }),
    ],
    [
      'dates',
      {
        type: 'object',
        properties: {
          at: { type: 'string', format: 'date-time' },
          tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
          nothing: { type: 'string' },
          listed: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
        },
        required: ['at', 'tags', 'listed'],
      },
    ],
  ])('has the output schema of its type: %s', (name, schema) =>
    expect(of(name).outputSchema).toEqual(schema),
  );

  test('has constraints in the line of a @param, and ignores them elsewhere', () => {
    expect(properties('trap')).toEqual({
      n: { type: 'integer', description: 'How far.', minimum: 0 },
      at: {
        type: 'object',
        properties: { city: { type: 'string', description: 'The town.', minLength: 2 } },
        required: ['city'],
      },
    });
    const stray = said(derivation).filter((line) => line.includes('"trap"'));
    expect(stray).toHaveLength(1);
    expect(stray[0]).toContain('"@maximum" is on the function');
  });
});

test('reports types without a schema, with tool, parameter and type', async () => {
  const bad = `
export function a(ok: string, when: { at: Map<string, Date>[] }): void;
export function b(): { found: (bigint)[] };
export function c<T>(x: T): T;
export const d: number;
`;
  const derivation = await deriveOf(bad, ['a', 'b', 'c', 'd', 'e']);
  expect(derivation.derived).toBeUndefined();
  expect(said(derivation)).toEqual([
    'error lib.d.ts:2:39 Tool "a": parameter "when.at[]" has type Map<string, Date>, which has no JSON form: use a Record, or a list of pairs.',
    'error lib.d.ts:3:24 Tool "b": "found[]" of the result has type bigint, which has no JSON form: JSON has no numbers of that size.',
    expect.stringMatching(/^error lib\.d\.ts:4:22 Tool "c": parameter "x" has type T, .* generic/),
    expect.stringMatching(/^error lib\.d\.ts:4:\d+ Tool "c": the result has type Awaited<T>, .* generic/),
    'error lib.js:1:1 Tool "d": "d" of ./lib.js is not a function.',
    'error lib.js:1:1 Tool "e": ./lib.js has no export "e". It exports: a, b, c, d.',
  ]);
});
