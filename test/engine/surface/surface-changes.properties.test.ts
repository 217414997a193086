import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../../src/engine/base/canonical-json.js';
import { type SchemaRelation, schemaChanges } from '../../../src/engine/surface/schema-changes.js';
import { surfaceChanges } from '../../../src/engine/surface/surface-changes.js';
import { runs } from '../../support/runs.js';

const names = ['a', 'b', 'c'];

const leaf = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom('string', 'number', 'integer', 'boolean'),
      fc.subarray(['string', 'number', 'integer'], { minLength: 1 }),
    ),
    title: fc.constantFrom('One', 'Two'),
    enum: fc.subarray(['x', 'y', 1, null], { minLength: 1 }),
    const: fc.constantFrom('x', 1),
    minimum: fc.integer({ min: 0, max: 3 }),
    maxLength: fc.integer({ min: 0, max: 3 }),
    pattern: fc.constantFrom('^x', 'y$'),
    uniqueItems: fc.boolean(),
    $ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
  },
  { requiredKeys: [] },
);

/** Schemas of a depth; objects have schemas one level lower. */
function schemaOf(depth: number): fc.Arbitrary<object> {
  if (depth === 0) return leaf;
  const inner = schemaOf(depth - 1);
  const object = fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 3 }),
      required: fc.subarray(names),
      additionalProperties: fc.oneof(fc.boolean(), inner),
      anyOf: fc.array(leaf, { maxLength: 3 }),
      allOf: fc.array(leaf, { maxLength: 2 }),
      items: inner,
      $defs: fc.dictionary(fc.constantFrom(...names), leaf, { maxKeys: 3 }),
    },
    { requiredKeys: [] },
  );
  return fc.oneof(leaf, object);
}

const schema = schemaOf(2);

const opposite: Readonly<Record<SchemaRelation, readonly SchemaRelation[]>> = {
  narrowed: ['widened'],
  widened: ['narrowed'],
  changed: ['changed'],
  added: ['removed'],
  required: ['removed'],
  removed: ['added', 'required'],
  text: ['text'],
};

test('equal schemas have no changes, and different ones have some', () => {
  fc.assert(
    fc.property(schema, schema, (one, other) => {
      expect([...schemaChanges(one, structuredClone(one))]).toEqual([]);
      const isEqual = canonical(one) === canonical(other);
      expect([...schemaChanges(one, other)].length === 0).toBe(isEqual);
    }),
    { numRuns: runs },
  );
});

test('the way back has the opposite changes', () => {
  fc.assert(
    fc.property(schema, schema, (one, other) => {
      const there = [...schemaChanges(one, other)].map(({ relation }) => relation);
      const back = [...schemaChanges(other, one)].map(({ relation }) => relation);
      expect(back.length).toBe(there.length);
      // Keys of the two schemas come in another order, so the changes are matched as a set.
      const left = [...back];
      for (const relation of there) {
        const at = left.findIndex((found) => opposite[relation].includes(found));
        expect(at, `${relation} has no opposite in ${left.join(', ')}`).toBeGreaterThanOrEqual(0);
        left.splice(at, 1);
      }
    }),
    { numRuns: runs },
  );
});

test('the order of the members of a schema does not count', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, held]) => [key, reversed(held)]),
    );
  };
  fc.assert(
    fc.property(schema, (one) => {
      expect([...schemaChanges(one, reversed(one))]).toEqual([]);
    }),
    { numRuns: runs },
  );
});

test('each difference of two surfaces is a change', () => {
  const entry = fc.record(
    {
      description: fc.string(),
      inputSchema: schema,
      outputSchema: schema,
      annotations: fc.record(
        { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), title: fc.string() },
        { requiredKeys: [] },
      ),
      arguments: fc.array(fc.record({ name: fc.constantFrom(...names), required: fc.boolean() })),
      _meta: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const items = fc.dictionary(fc.constantFrom(...names), entry, { maxKeys: 2 });
  const server = fc.record({
    server: fc.record({ instructions: fc.string() }, { requiredKeys: [] }),
    tools: items,
    prompts: items,
    resources: items,
    resourceTemplates: items,
  });
  const surface = fc.dictionary(fc.constantFrom(...names), server, { maxKeys: 2 });
  fc.assert(
    fc.property(surface, surface, (one, other) => {
      const changes = [...surfaceChanges(one as never, other as never)];
      expect(changes.length === 0).toBe(canonical(one) === canonical(other));
    }),
    { numRuns: runs },
  );
});
