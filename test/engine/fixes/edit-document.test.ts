import { expect, test } from 'vitest';
import type { DocumentEdit } from '../../../src/engine/extension/diagnostics.js';
import { editDocument } from '../../../src/engine/fixes/edit-document.js';

const fix = (...edits: readonly DocumentEdit[]) => ({ file: 'a.json', edits, what: JSON.stringify(edits) });

test('applies deep fixes before the renames of their parents, and late list entries first', () => {
  const text = '{"A": [{"B": 1}, {"B": 2}, {"B": 3}]} // end\n';
  const fixes = [
    fix({ path: ['A'], rename: 'a' }),
    fix({ path: ['A', 0], remove: true }),
    fix({ path: ['A', 2, 'B'], rename: 'b' }),
  ];
  const { text: after, applied } = editDocument(text, fixes);
  expect(after).toBe('{"a": [{"B": 2}, {"b": 3}]} // end\n');
  expect(applied).toHaveLength(3);
});

test.each<[string, string, DocumentEdit]>([
  ['a name that is taken', '{"a": 1, "b": 2}', { path: ['a'], rename: 'b' }],
  ['a duplicate key', '{"a": 1, "a": 2}', { path: ['a'], rename: 'b' }],
  ['a missing key', '{"a": 1}', { path: ['c'], rename: 'b' }],
  ['a list that is text', '{"files": "a"}', { path: ['files'], append: 'b' }],
  ['a value with a comment', '{"a": {/* why */ "b": 1}}', { path: ['a'], remove: true }],
  ['malformed text', '{"a": ', { path: ['a'], rename: 'b' }],
])('leaves %s as it is', (_, text, edit) => {
  expect(editDocument(text, [fix(edit)])).toEqual({ text, applied: [] });
});

test('makes all edits of a fix or none', () => {
  const text = '{"a": 1, "b": 2}';
  expect(editDocument(text, [fix({ path: ['a'], value: 5 }, { path: ['a'], rename: 'b' })]).text).toBe(text);
});

test('appends a value once', () => {
  const edit: DocumentEdit = { path: ['files'], append: 'a' };
  expect(editDocument('{}', [fix(edit), fix(edit)])).toMatchObject({
    text: expect.stringMatching(/^\{\s*"files": \[\s*"a"\s*\]\s*\}$/),
    applied: [{}],
  });
});
