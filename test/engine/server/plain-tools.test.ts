import { expect, test } from 'vitest';
import { adaptTools } from '../../../src/engine/adaptation/adapt-list.js';
import { adaptationTargetOf } from '../../../src/engine/adaptation/adaptation-target.js';
import { limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { arePlainTools } from '../../../src/engine/server/plain-tools.js';

const settings = { mode: 'auto', serverKey: 'a-key-of-thirty-characters-ab' } as const;
const text = { type: 'string', description: 'A text.' };
const schema = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

/** True if some client would get another tool. */
const isChanged = (tool: { readonly name: string }) =>
  limitSubjects.some(({ id }) => {
    const target = adaptationTargetOf(id, settings);
    return target && adaptTools([tool], target).some(({ changes }) => changes.length > 0);
  });

const parts: readonly unknown[] = [
  ...[
    text,
    {},
    true,
    false,
    null,
    1,
    { type: 'array' },
    { type: 'array', items: text },
    { type: ['string', 'null'] },
  ],
  ...[
    { enum: ['a'] },
    { type: 'string', enum: ['a'] },
    { enum: [1] },
    { type: 'integer', enum: [1, 2] },
    { const: 1 },
  ],
  ...[
    { type: 'string', default: null },
    { $ref: '#/$defs/x' },
    { anyOf: [text] },
    { oneOf: [text] },
    { allOf: [text] },
  ],
  ...[
    { type: 'array', items: [text] },
    { type: 'array', prefixItems: [text] },
    { type: 'array', items: {} },
  ],
  ...[
    schema({ a: text }),
    schema({ 'a b': text }),
    schema({ items: text }),
    schema({ a: { type: 'array' } }),
  ],
];
const names = ['read_file', 'a.b', 'a b', '1a', 'ä', 'n'.repeat(27), 'n'.repeat(70)];

test.each([
  ...parts.map((part) => ({ name: 'x', inputSchema: schema({ part }) })),
  ...parts.map((part) => ({ name: 'x', inputSchema: part })),
  ...parts.map((part) => ({ name: 'x', inputSchema: schema({ a: { type: 'array', items: part } }) })),
  ...names.map((name) => ({ name, inputSchema: schema({}) })),
  { name: 'x', inputSchema: schema({}), title: null },
  { name: 'x', inputSchema: schema({}), outputSchema: { type: 'array', items: text } },
  { name: 'x', inputSchema: schema({}, { anyOf: [schema({})] }) },
  { name: 'x', inputSchema: schema({}, { required: null }) },
])('finds each tool that a client would lose: %j', (tool) => {
  if (arePlainTools([tool])) expect(isChanged(tool)).toBe(false);
});

test('finds names that clients take for one', () => {
  const tool = (name: string) => ({ name, inputSchema: schema({}) });
  expect(arePlainTools([tool('read'), tool('Read')])).toBe(false);
});

test('takes usual tools for plain', () => {
  const inputSchema = schema(
    {
      path: text,
      kind: { type: 'string', enum: ['a', 'b'] },
      list: { type: 'array', items: schema({ a: text }) },
    },
    {
      required: ['path'],
      additionalProperties: false,
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    },
  );
  expect(arePlainTools([{ name: 'read_file', inputSchema, annotations: { readOnlyHint: true } }])).toBe(true);
});
