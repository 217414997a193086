import { expect, test } from 'vitest';
import { openProgram } from '../support/program.js';
import { calls, timed } from './support/ending.js';
import { call } from './support/messages.js';

test('a process whose call does not end exits with 0 after its client has closed its end', async () => {
  const program = await openProgram(calls);
  program.send(call(1, 'endless'));
  await program.said('<begun>');
  const [exit, ms] = await timed(() => program.end());
  expect(exit).toEqual({ code: 0, signal: null });
  expect(program.stderr).toContain('<aborted>');
  // The call has had its five seconds.
  expect(ms).toBeGreaterThan(4900);
});
