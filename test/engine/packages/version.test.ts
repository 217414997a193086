import { expect, test } from 'vitest';
import { isOlder } from '../../../src/engine/packages/version.js';

/** @see Semantic Versioning 2.0.0, 11 */
const ascending = [
  '0.9.0',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.2.0',
  '1.10.0',
  '2.0.0',
];

test('versions are older than those after them, and than no other', () => {
  for (const [index, one] of ascending.entries()) {
    const older = ascending.filter((other) => isOlder(other, one));
    expect(older).toEqual(ascending.slice(0, index));
  }
});

test.each([
  ['1.0.0+a', '1.0.0+b'],
  ['none', '1.0.0'],
  ['1.0.0', ''],
])('%s is not older than %s', (one, other) => {
  expect(isOlder(one, other)).toBe(false);
});
