import { describe, expect, test } from 'vitest';
import { readsName } from '../../../src/engine/host/own-names.js';
import { writeFolder } from '../../support/packages.js';

const folder = writeFolder({
  'a.js': 'const { first, $second: b } = options; export const third = b.fourth ?? first["fifth"];',
  'notes.txt': 'options.sixth',
});

describe('`readsName`', () => {
  test.each(['first', '$second', 'fourth', 'fifth'])('is true for the property %s', (name) => {
    expect(readsName(folder, name)).toBe(true);
  });

  test.each(['third', 'sixth', 'seventh'])('is false for %s', (name) => {
    expect(readsName(folder, name)).toBe(false);
  });

  test.each(['0', '~standard', ''])('is true for %j, which is no identifier', (name) => {
    expect(readsName(folder, name)).toBe(true);
  });

  test('is true if the folder is unreadable', () => {
    expect(readsName(`${folder}/missing`, 'first')).toBe(true);
  });
});
