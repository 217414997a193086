import { expect, test } from 'vitest';
import { mayObtain } from '../../src/cli/obtaining.js';

test.each([
  [undefined, true],
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  ['FALSE', false],
  [' false ', false],
  ['0', false],
])('AGENTTOOLS_AUTO_INSTALL=%j: %j', (value, expected) => {
  expect(mayObtain({ AGENTTOOLS_AUTO_INSTALL: value })).toBe(expected);
});
