import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveKey } from '../../../src/engine/clients/entry-keys.js';
import { runs } from '../../support/runs.js';
import { hostileKeys } from './support/keys.js';

describe('a derived key', () => {
  test('is safe everywhere, for any text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom(...hostileKeys, '__proto__'),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(deriveKey(text)).toMatch(/^[a-z][a-z0-9-]{0,29}$/);
      }),
      { numRuns: runs },
    );
  });

  test('stays the same if derived again', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(deriveKey(deriveKey(text))).toBe(deriveKey(text));
      }),
      { numRuns: runs },
    );
  });
});
