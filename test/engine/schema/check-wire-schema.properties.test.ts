import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkWireSchema } from '../../../src/engine/schema/index.js';
import { runs } from '../../support/runs.js';

it('no JSON makes it throw', async () => {
  const keyword = fc.constantFrom(
    '$id',
    '$ref',
    'type',
    'properties',
    'items',
    'allOf',
    'pattern',
    '$schema',
    'x-mcp-header',
    '$defs',
    'format',
  );
  const json = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('any'), { maxLength: 3 }),
    object: fc.dictionary(keyword, tie('any'), { maxKeys: 4 }),
  })).object;
  await fc.assert(
    fc.asyncProperty(json, async (schema) => {
      expect(Array.isArray(await checkWireSchema(schema, 'input'))).toBe(true);
    }),
    { numRuns: runs },
  );
});
