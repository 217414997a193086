import { expect, test } from 'vitest';
import { isAutoInstallEnabled } from '../../../src/cli/shared/auto-install.js';

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
  expect(isAutoInstallEnabled({ AGENTTOOLS_AUTO_INSTALL: value })).toBe(expected);
});
