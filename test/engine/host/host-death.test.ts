import { expect, test } from 'vitest';
import { describeExit } from '../../../src/engine/host/host-death.js';

const crash =
  'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n1: 0x... node';

test.each([
  [{ code: 7, signal: null, printed: undefined }, 'exit', 'exited with code 7'],
  [{ code: null, signal: 'SIGSEGV', printed: undefined }, 'signal', 'was ended by SIGSEGV'],
  [{ code: null, signal: 'SIGABRT', printed: crash }, 'memory', 'ran out of memory'],
  [{ code: 134, signal: null, printed: crash }, 'memory', 'ran out of memory'],
  [{ code: null, signal: 'SIGABRT', printed: 'Assertion failed' }, 'signal', 'was ended by SIGABRT'],
  [{ code: 134, signal: null, printed: '' }, 'exit', 'exited with code 134'],
  [
    { code: null, signal: 'SIGABRT', printed: undefined },
    'memory',
    'was aborted, probably because it ran out of memory',
  ],
  [{ code: 1, signal: null, printed: crash }, 'exit', 'exited with code 1'],
] as const)('%j is described', (exit, kind, reason) => {
  expect(describeExit(exit)).toEqual({ kind, reason });
});
