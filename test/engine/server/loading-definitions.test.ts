import { setTimeout as realSleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WaitPurpose } from '../../../src/engine/live/live-server.js';
import { LoadingDefinitions } from '../../../src/engine/server/loading-definitions.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Seconds until a wait ends, if the definitions are loaded after 20 s and lists wait for 9 s. */
async function secondsOf(purpose: WaitPurpose): Promise<number> {
  const { signal } = new AbortController();
  const loading = new LoadingDefinitions({
    kinds: ['tools'],
    progress: async () => await sleep(20_000),
    renew: async () => [],
    waitMs: 9000,
    signal,
  });
  const startedAt = performance.now();
  const waited = loading.wait('tools', purpose, signal).then(() => performance.now() - startedAt);
  await vi.advanceTimersByTimeAsync(20_000);
  // The pause before a composition has a real timer.
  await realSleep(150);
  await vi.advanceTimersByTimeAsync(10_000);
  return Math.round((await waited) / 1000);
}

test('a list waits for a limited time, and a list that is read once until all definitions are loaded', async () => {
  expect(await secondsOf('list')).toBe(9);
  expect(await secondsOf('whole')).toBe(20);
});
