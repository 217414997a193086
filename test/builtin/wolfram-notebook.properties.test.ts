import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadBuiltin } from '../support/builtin.js';
import { root } from '../support/program.js';
import { runs } from '../support/runs.js';

const { notebookMarkdown } = await loadBuiltin('wolfram/prompts/notebook-markdown.js');

const pendulum = readFileSync(path.join(root, 'fixtures/notebooks/pendulum.nb'), 'utf8');

test('a notebook with a piece missing, or one too many, is read or refused', () => {
  const place = fc.integer({ min: 0, max: pendulum.length });
  const piece = fc.constantFrom(
    '',
    '[',
    ']',
    '{',
    '"',
    '(*',
    '\\',
    ',',
    '->',
    'Cell[',
    'RowBox[7]',
    'TemplateBox[]',
  );
  fc.assert(
    fc.property(place, fc.integer({ min: 0, max: 40 }), piece, (at, length, added) => {
      const damaged = pendulum.slice(0, at) + added + pendulum.slice(at + length);
      try {
        expect(typeof notebookMarkdown(damaged)).toBe('string');
      } catch (error) {
        expect((error as Error).name).toBe('NotebookError');
      }
    }),
    { numRuns: runs },
  );
});
