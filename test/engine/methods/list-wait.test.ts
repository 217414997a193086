import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/engine/live/connection.js';
import type { ItemSource, WaitPurpose } from '../../../src/engine/live/live-server.js';
import { adaptationOf } from '../../../src/engine/server/adaptation-of.js';
import { composeLive, openSession } from '../../support/session.js';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'setInterval'] }),
);
afterEach(() => void vi.useRealTimers());

const sleep = async (ms: number) => await new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Milliseconds until the list of a server is answered, with a source that is ready after `readyMs`. */
async function timeOfList(
  clientName: string,
  { readyMs, listMs = 25_000, server = {} }: { readyMs: number; listMs?: number; server?: object },
) {
  const composed = await composeLive({
    tools: { t: { handler: () => 'x' } },
    server: { tools: '*', ...server },
  });
  const purposes: WaitPurpose[] = [];
  const isReady = sleep(readyMs);
  const startedAt = performance.now();
  const source: ItemSource = {
    isPending: () => true,
    reasons: () => (performance.now() - startedAt < readyMs ? ['Something is starting.'] : []),
    wait: async (_, purpose) => {
      purposes.push(purpose);
      await Promise.race([isReady, sleep(purpose === 'whole' ? 60_000 : listMs)]);
    },
  };
  composed.served.live.add(source);
  const { send } = await openSession(composed, { clientName });
  let ended: number | undefined;
  const { answer } = send('tools/list');
  void answer.then(() => {
    ended = performance.now() - startedAt;
  });
  for (let passed = 0; passed < 61_000 && ended === undefined; passed += 100) {
    await vi.advanceTimersByTimeAsync(100);
    await vi.dynamicImportSettled();
  }
  expect((await answer).tools).toHaveLength(1);
  return { seconds: Math.round(ended! / 100) / 10, purposes };
}

describe('a list that waits for items', () => {
  test.each([
    ['Cline', 2.4],
    ['crush', 8],
    ['continue-client', 16],
    ['opencode', 24],
    ['codex-mcp-client', 24],
  ])('is answered within the patience of %s', async (clientName, seconds) => {
    expect(await timeOfList(clientName, { readyMs: 60_000 })).toMatchObject({ seconds });
  });

  test.each(['claude-code', 'tester'])('waits for its items only, for %s', async (clientName) => {
    expect(await timeOfList(clientName, { readyMs: 60_000 })).toMatchObject({ seconds: 25 });
  });

  test('waits for its items only if the server adapts nothing', async () => {
    expect(await timeOfList('Cline', { readyMs: 60_000, server: { adapt: 'off' } })).toMatchObject({
      seconds: 25,
    });
  });

  test('is answered as soon as the items are there', async () => {
    expect(await timeOfList('Cline', { readyMs: 500 })).toEqual({ seconds: 0.5, purposes: ['list'] });
    expect(await timeOfList('codex-mcp-client', { readyMs: 3000 })).toMatchObject({ purposes: ['list'] });
  });

  test('waits longer for a client that never reads it again', async () => {
    const late = { readyMs: 15_000, listMs: 5000 };
    expect(await timeOfList('codex-mcp-client', late)).toEqual({ seconds: 15, purposes: ['list', 'whole'] });
    expect(await timeOfList('opencode', late)).toEqual({ seconds: 5, purposes: ['list'] });
  });
});

test('a server loads the limits of clients only for a list that waits', async () => {
  const { served } = await composeLive({ tools: { t: { handler: () => 'x' } } });
  const adaptation = adaptationOf(served.live);
  const listPatience = vi.fn<NonNullable<Connection['adaptation']>['listPatience']>(adaptation.listPatience);
  const { request } = await openSession({
    served: { ...served, adaptation: { ...adaptation, listPatience } },
  });
  await request('tools/list');
  served.live.add({ isPending: () => false, reasons: () => [], wait: async () => {} });
  await request('tools/list');
  expect(listPatience).not.toHaveBeenCalled();
});
