import { expect, test } from 'vitest';
import { readDerived } from '../../../src/engine/extension/derived.js';

test('checks derived data once for any number of tools', () => {
  let looks = 0;
  const fn = {
    parameters: [{ name: 'a' }],
    get inputSchema() {
      looks += 1;
      return { type: 'object' };
    },
  };
  const held = { version: 1, files: {}, functions: { './a.js': fn }, tools: {} };
  expect(readDerived(held)).toBe(held);
  expect(readDerived(held)).toBe(held);
  expect(looks).toBe(1);
});
