import { expect, expectTypeOf, test } from 'vitest';
import { definePrompt, defineTool } from '../../../src/engine/items/define.js';

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
