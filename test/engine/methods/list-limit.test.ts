import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/engine/live/connection.js';
import { findMethod } from '../../../src/engine/methods/methods.js';

vi.mock('../../../src/engine/methods/prompts.js', () => ({
  listPrompts: async () => ({ prompts: ['all'] }),
  get: undefined,
}));

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A connection to a server whose prompts are chosen by a hook. */
const connectionWith = (answer: () => Promise<unknown>, readyMs = 0) =>
  ({
    live: { ready: async () => await new Promise((resolve) => setTimeout(resolve, readyMs)) },
    host: { answer },
    calls: { server: { registry: { all: () => [] }, listHooks: { prompts: () => [] } } },
  }) as unknown as Connection;

const listPrompts = async (connection: Connection) =>
  await findMethod('prompts/list', 'legacy')!.handler(connection, {}, {
    signal: new AbortController().signal,
  } as never);

test.each([0, 5000, 9000])(
  'a list is answered without its hook after 9.5 s, %i ms of them for definitions',
  async (readyMs) => {
    const started = performance.now();
    const list = listPrompts(connectionWith(() => new Promise(() => {}), readyMs));
    await vi.advanceTimersByTimeAsync(9500);
    expect(await list).toEqual({ prompts: ['all'] });
    expect(performance.now() - started).toBeLessThanOrEqual(9500);
  },
);

test('a list is answered by its hook within that time', async () => {
  const list = listPrompts(connectionWith(async () => ({ prompts: ['chosen'] })));
  await vi.advanceTimersByTimeAsync(10);
  expect(await list).toEqual({ prompts: ['chosen'] });
  expect(vi.getTimerCount()).toBe(0);
});
