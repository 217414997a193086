import { expect, test, vi } from 'vitest';
import { HostEndedError, NeverBegunError } from '../../../src/engine/host/host-error.js';
import { runUntilBegun } from '../../../src/engine/host/run-until-begun.js';

const options = { timeoutMs: 100, isClosed: () => false };

/** Hosts that end before they begin a call, and then one that answers with the time that the call has waited. */
function hosts(deaths: number, waitMs = 0) {
  let begun = 0;
  return vi.fn(async () => async (passedMs: number) => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (begun <= deaths) throw new NeverBegunError('is replaced');
    return passedMs;
  });
}

test('a call goes to the next host if the first two did not begin it, with the time that it has waited', async () => {
  const attempt = hosts(2, 10);
  const passedMs = await runUntilBegun(attempt, options);
  expect(attempt).toHaveBeenCalledTimes(3);
  expect(passedMs).toBeGreaterThan(15);
});

test('a call keeps half of its time', async () => {
  expect(await runUntilBegun(hosts(2, 100), options)).toBe(50);
});

test('a call fails if a third host does not begin it', async () => {
  const attempt = hosts(5);
  await expect(runUntilBegun(attempt, options)).rejects.toBeInstanceOf(NeverBegunError);
  expect(attempt).toHaveBeenCalledTimes(3);
});

test('a call that a host began is not given to another', async () => {
  const attempt = vi.fn(async () => async () => await Promise.reject(new HostEndedError('was killed')));
  await expect(runUntilBegun(attempt, options)).rejects.toBeInstanceOf(HostEndedError);
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('a closed client starts no further host', async () => {
  const attempt = hosts(1);
  await expect(runUntilBegun(attempt, { ...options, isClosed: () => true })).rejects.toThrow('is replaced');
  expect(attempt).toHaveBeenCalledTimes(1);
});
