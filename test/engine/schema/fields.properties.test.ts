import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, fields } from '../../../src/engine/schema/index.js';
import { runs } from '../../support/runs.js';
import { delivered } from './support/field-checks.js';

describe('casting keeps its promise for any arguments', () => {
  const declared = {
    a: 'string',
    n: { type: 'integer', default: 0 },
    o: { type: 'object', fields: { x: 'boolean' } },
    valueOf: 'string',
  } as const;
  const name = fc.oneof(
    fc.constantFrom('a', 'n', 'o', 'x', '__proto__', 'constructor', 'valueOf'),
    fc.string(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), tie('object')),
    object: fc
      .array(fc.tuple(name, tie('any')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  })).object;

  it('no undeclared key, no changed prototype', async () => {
    const schema = await compileSchema(fields(declared), { side: 'input' });
    await fc.assert(
      fc.asyncProperty(value, async (sent) => {
        const result = await schema.check(sent);
        if (!result.ok) return;
        const got = result.value as Record<string, unknown>;
        expect(Object.keys(declared)).toEqual(expect.arrayContaining(Object.keys(got)));
        expect([null, Object.prototype]).toContain(Object.getPrototypeOf(got));
        expect(got.n).toBe(Object.hasOwn(sent as object, 'n') ? (sent as typeof got).n : 0);
        if (Object.hasOwn(got, 'o'))
          expect(['x']).toEqual(expect.arrayContaining(Object.keys(got.o as object)));
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      }),
      { numRuns: runs },
    );
  });

  it('enum values survive the way over the wire', async () => {
    const distinct = fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
      minLength: 1,
      selector: String,
    });
    await fc.assert(
      fc.asyncProperty(distinct, async (values) => {
        const spec = { e: { type: 'enum', values } };
        for (const declaredValue of values) {
          expect(await delivered(spec, { e: String(declaredValue) })).toEqual({ e: declaredValue });
        }
      }),
      { numRuns: runs / 4 },
    );
  });
});
