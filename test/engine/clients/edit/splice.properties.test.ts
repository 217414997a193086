import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applySplice, spliceBetween, undoSplice } from '../../../../src/engine/clients/edit/splice.js';
import { runs } from '../../../support/runs.js';

describe('between two texts', () => {
  test('applied and undone it gives the one and the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '\r', '\n', '\r\n', '🌙', '🌘', '\ud83c'), { maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const splice = spliceBetween(before, after);
        expect(applySplice(before, splice)).toBe(after);
        expect(undoSplice(after, splice)).toBe(before);
      }),
      { numRuns: runs * 2 },
    );
  });
});
