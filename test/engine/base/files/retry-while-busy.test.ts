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

it('what is in use for a moment is waited for', async () => {
  expect(await retryWhileBusy(meeting('EBUSY', 'EBUSY').action)).toBe('done');
});

it('what stays in use is given up', async () => {
  const met = meeting(...Array.from({ length: 10 }, () => 'EBUSY'));
  await expect(retryWhileBusy(met.action)).rejects.toThrow('EBUSY');
  expect(met.times).toBe(5);
});

it('what goes wrong otherwise goes wrong at once', async () => {
  const met = meeting('ENOSPC');
  await expect(retryWhileBusy(met.action)).rejects.toThrow('ENOSPC');
  expect(met.times).toBe(1);
});
