import { vi } from 'vitest';
import { describeFrozen } from './support/frozen.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

describeFrozen(['code of an extension']);
