import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { promises } from '../../support/promises.js';

const folder = new URL('.', import.meta.url);

/** The ids in titles of tests, and where each is. */
function heldPromises(): ReadonlyMap<string, readonly string[]> {
  const held = new Map<string, string[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.ts'))) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    for (const [, ids = ''] of text.matchAll(/\[([LN]-\d\d(?:, [LN]-\d\d)*)\]['`"]/g)) {
      for (const id of ids.split(', ')) held.set(id, [...(held.get(id) ?? []), file]);
    }
  }
  return held;
}

test('every promise is held by a test', () => {
  const held = heldPromises();
  expect(Object.keys(promises).filter((id) => !held.has(id))).toEqual([]);
});

test('the suites run in both eras', () => {
  for (const file of new Set([...heldPromises().values()].flat())) {
    expect(readFileSync(new URL(file, folder), 'utf8'), file).toMatch(/\.each\(revisions\)/);
  }
});
