import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepAlive } from '../../../src/engine/adaptation/keep-alive.js';
import { composeLive, openSession } from '../../support/session.js';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => void vi.useRealTimers());

const begin = (limitMs = 15_000) => {
  const sent: unknown[] = [];
  const request = {
    meta: { progressToken: 'p' },
    isOver: false,
    lastProgress: undefined as number | undefined,
    notify: async ({ params }: { readonly params: Readonly<Record<string, unknown>> }) => {
      sent.push(params);
      request.lastProgress = params.progress as number;
    },
  };
  return { request, sent, stop: keepAlive(request, limitMs) };
};

test('progress grows by small steps from zero on, without a total', () => {
  const { sent, stop } = begin();
  vi.advanceTimersByTime(2000);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual([
    { progressToken: 'p', progress: 0 },
    { progressToken: 'p', progress: 1e-6 },
    { progressToken: 'p', progress: 2e-6 },
  ]);
});

test('progress of the tool comes first, and later values exceed it', () => {
  const { request, sent } = begin();
  request.lastProgress = 40;
  vi.advanceTimersByTime(1000);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  expect(sent.at(-1)).toEqual({ progressToken: 'p', progress: 40.00004 });
});

test('a cancelled request gets no more progress', () => {
  const { request, sent } = begin();
  request.isOver = true;
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(1);
});

interface Running {
  readonly progress: (value: number) => void;
  readonly end: () => void;
}

async function call(clientName: string, server: object = {}, meta: object = { progressToken: 7 }) {
  let began: (running: Running) => void = () => {};
  const running = new Promise<Running>((resolve) => {
    began = resolve;
  });
  const work = {
    timeout: 600,
    handler: async (_: object, { progress }: { readonly progress: (value: number) => void }) =>
      await new Promise<string>((resolve) => began({ progress, end: () => resolve('done') })),
  };
  const composed = await composeLive({ tools: { work }, server: { tools: '*', ...server } });
  const { send, notifications } = await openSession(composed, { clientName });
  const { answer } = send('tools/call', { name: 'work' }, meta);
  const progressOf = () => notifications.map(({ params }) => params.progress);
  return { ...(await running), answer, progressOf };
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  // Modules are loaded on first use.
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(0);
};

test('a client that ends calls without progress gets it until the result', async () => {
  const { progress, end, answer, progressOf } = await call('opencode');
  await pass(3900);
  expect(progressOf()).toEqual([]);
  await pass(200);
  expect(progressOf()).toEqual([0]);
  progress(0);
  progress(0.5);
  progress(3);
  await pass(0);
  expect(progressOf()).toEqual([0, 0.5, 3]);
  await pass(9000);
  expect(progressOf().slice(3)).toEqual([expect.closeTo(3, 3)]);
  end();
  await answer;
  const count = progressOf().length;
  await pass(60_000);
  expect(progressOf()).toHaveLength(count);
});

test.each([
  ['a client that ignores progress', 'codex-mcp-client', {}, { progressToken: 7 }],
  ['an unknown client', 'tester', { adapt: 'on' }, { progressToken: 7 }],
  ['a server that adapts nothing', 'opencode', { adapt: 'off' }, { progressToken: 7 }],
  ['a call that asks for no progress', 'opencode', {}, {}],
])('%s gets none', async (_, clientName, server, meta) => {
  const { end, answer, progressOf } = await call(clientName, server, meta);
  await pass(60_000);
  end();
  expect(await answer).toMatchObject({ content: [{ text: 'done' }] });
  expect(progressOf()).toEqual([]);
});
