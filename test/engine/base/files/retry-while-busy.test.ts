import { expect, it } from 'vitest';
import { retryWhileBusy } from '../../../../src/engine/base/files/retry-while-busy.js';

/** An action that meets these errors, one each time, before it succeeds. */
function meeting(...codes: readonly string[]): { readonly action: () => Promise<string>; times: number } {
  const met = {
    times: 0,
    action: async () => {
      const code = codes[met.times++];
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return 'done';
    },
  };
  return met;
}

it('waits for a file that is briefly in use', async () => {
  expect(await retryWhileBusy(meeting('EBUSY', 'EBUSY').action)).toBe('done');
});

it('gives up after the file stays in use', async () => {
  const met = meeting(...Array.from({ length: 10 }, () => 'EBUSY'));
  await expect(retryWhileBusy(met.action)).rejects.toThrow('EBUSY');
  expect(met.times).toBe(5);
});

it('fails at once on other errors', async () => {
  const met = meeting('ENOSPC');
  await expect(retryWhileBusy(met.action)).rejects.toThrow('ENOSPC');
  expect(met.times).toBe(1);
});
