import { expect, test } from 'vitest';
import { readUpstreamWait, withShortWait } from '../../../src/engine/live/upstream-wait.js';

const variable = 'AGENTTOOLS_UPSTREAM_WAIT';

test.each([
  ['8', { waitMs: 8000 }],
  [' 0.5 ', { waitMs: 500 }],
  ['0', { waitMs: 0 }],
  ['', undefined],
  [undefined, undefined],
])('%j is %j', (text, patience) => {
  const reported: string[] = [];
  expect(readUpstreamWait({ [variable]: text }, (line) => reported.push(line))).toEqual(patience);
  expect(reported).toEqual([]);
});

test.each(['soon', '-1', '1e3', '3601', '5 s'])('reports and ignores %j', (text) => {
  const reported: string[] = [];
  expect(readUpstreamWait({ [variable]: text }, (line) => reported.push(line))).toBeUndefined();
  expect(reported).toEqual([`${variable} is "${text}", which is ignored. Expected seconds, from 0 to 3600.`]);
});

test('shortens the wait of checks, unless the environment sets it', () => {
  expect(withShortWait({ A: 'a' })).toEqual({ A: 'a', [variable]: '5' });
  expect(withShortWait({ [variable]: '' })).toEqual({ [variable]: '5' });
  expect(withShortWait({ [variable]: '9' })).toEqual({ [variable]: '9' });
});
