import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detectDialect } from '../../../src/engine/schema/dialects.js';
import { isPlainSchema } from '../../../src/engine/schema/plain-schema.js';
import { compileSafely, createValidator } from '../../../src/engine/schema/validator.js';
import { runs } from '../../support/runs.js';

const dialects = await Promise.all(
  [
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-06/schema#',
  ].map(async (uri) => {
    const dialect = detectDialect({ $schema: uri })!;
    return { dialect, uri, meta: await createValidator(dialect) };
  }),
);

/** Values that one keyword or another allows. */
const value = fc.oneof(
  fc.constantFrom('string', 'object', 'array', 'integer', 'email', 'own', 'a', '', '^a', '__proto__'),
  fc.constantFrom(0, 1, -1, 1.5, 1e300, 5),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom<unknown>('a', 'b', 'string', 'null', 1, true, null, {}), { maxLength: 3 }),
);

const keyword = fc.constantFrom(
  ...['type', 'title', 'description', '$comment', 'format', 'default', 'const', 'examples', 'enum'],
  ...['readOnly', 'deprecated', 'uniqueItems', 'minimum', 'maximum', 'exclusiveMinimum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxProperties', 'required', 'properties', 'x-own'],
  ...['additionalProperties', 'items', 'not', 'allOf', 'anyOf', 'oneOf', 'nullable', '$id', 'constructor'],
);

const { schema } = fc.letrec<{ schema: Record<string, unknown>; held: unknown }>((tie) => ({
  schema: fc.dictionary(keyword, tie('held'), { maxKeys: 4 }),
  held: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: value, weight: 4 },
    { arbitrary: tie('schema'), weight: 2 },
    { arbitrary: fc.array(tie('schema'), { maxLength: 2 }), weight: 1 },
    { arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('schema')), weight: 1 },
  ),
}));

test('accepts no schema that a meta-schema or the validator rejects', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.constantFrom(...dialects), async (found, { dialect, uri, meta }) => {
      if (!isPlainSchema(found)) return;
      accepted += 1;
      meta.validateSchema({ ...structuredClone(found), $schema: uri });
      expect(meta.errors ?? []).toEqual([]);
      compileSafely(await createValidator(dialect), found);
    }),
    { numRuns: runs * 2 },
  );
  expect(accepted).toBeGreaterThan(runs / 10);
});

test('accepts the schemas of ordinary tools', () => {
  const field = { type: 'string', description: 'Words', minLength: 1, pattern: '^a' };
  const list = { type: 'array', items: { anyOf: [field, { type: ['integer', 'null'], minimum: 1 }] } };
  const properties = { field, list, state: { enum: ['open', 'closed'], default: 'open', 'x-own': 1 } };
  const ordinary = { type: 'object', properties, required: ['field'], additionalProperties: false };
  expect(isPlainSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...ordinary })).toBe(true);
});
