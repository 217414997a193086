import { PassThrough, Writable } from 'node:stream';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { serveStdio } from '../../../../src/engine/serve/stdio/serve-stdio.js';
import { call, cancel, legacy, modern, openPipe, type Pipe } from '../../support/pipe.js';
import { makeSampleServer } from '../../support/sample-server.js';

const progress = (id: unknown, steps: number) =>
  call(id, 'progress', { steps }, { progressToken: `token-${id}` });

afterEach(() => void vi.useRealTimers());

/** Makes the clock advance only as far as a test says, so that a busy machine changes nothing. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
}

/** Lets time pass, and the streams have their turns of the loop, which take no time. */
async function pass(ms: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** Lets time pass and expects that the session has ended by then. What follows is on the usual clock again. */
async function expectEndWithin(limitMs: number, { session }: Pipe): Promise<void> {
  let hasEnded = false;
  void session.ended.then(() => {
    hasEnded = true;
  });
  await pass(limitMs);
  expect(hasEnded).toBe(true);
  vi.useRealTimers();
}

describe('a cancelled request', () => {
  const chatty: Record<string, object> = {
    'that reports progress': progress(1, 20),
    'that logs': call(1, 'log', { steps: 20 }),
    'that asks the client': call(1, 'ask'),
    'that reports progress, modern': modern(
      1,
      'tools/call',
      { name: 'progress', arguments: { steps: 20 } },
      { progressToken: 1 },
    ),
  };
  test.each(Object.entries(chatty))('%s sends no more messages', async (_, request) => {
    const pipe = openPipe();
    await pipe.initialize('2025-11-25', { elicitation: {} });
    pipe.send(request);
    await pipe.rest(15);
    pipe.send(cancel(1));
    await new Promise((resolve) => setImmediate(resolve));
    await pipe.rest(0);
    expect(await pipe.rest(150)).toEqual([]);
  });

  test('has its signal aborted, and its id is free again', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    pipe.send(call(1, 'slow', { ms: 5000 }), cancel(1));
    await pipe.rest(20);
    expect(pipe.aborted).toEqual([1]);
    expect((await pipe.ask(call(1, 'echo'))).result).toBeDefined();
  });

  test('may be unknown, answered, or an initialize: then nothing happens', async () => {
    const pipe = openPipe();
    pipe.send(cancel(99), cancel(null), { jsonrpc: '2.0', method: 'notifications/cancelled' });
    const clientInfo = { name: 'test', version: '1' };
    pipe.send(
      legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
      cancel(1),
    );
    expect((await pipe.take())[0].result.protocolVersion).toBe('2025-11-25');
    await pipe.ask(call(2, 'echo'));
    pipe.send(cancel(2), cancel('2'));
    expect(await pipe.rest()).toEqual([]);
  });
});

describe('messages during a call', () => {
  test.each([
    ['legacy', (id: number) => progress(id, 3)],
    [
      'modern',
      (id: number) => modern(id, 'tools/call', { name: 'progress', arguments: {} }, { progressToken: 7 }),
    ],
  ])('progress ends with the answer (%s)', async (_, request) => {
    const pipe = openPipe();
    await pipe.initialize();
    stopClock();
    pipe.send(request(1));
    await pass(150);
    vi.useRealTimers();
    const messages = await pipe.rest(0);
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([
      ...Array(3).fill('notifications/progress'),
      1,
    ]);
  });

  test('a question reaches the client, and its answer the call', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-11-25', { elicitation: {} });
    const question = await pipe.ask(call(1, 'ask'));
    expect(question.method).toBe('elicitation/create');
    pipe.send({ jsonrpc: '2.0', id: `${question.id}`, result: { action: 'cancel' } });
    const answer = await pipe.ask({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
    expect(answer).toMatchObject({ id: 1, result: { content: [{ text: '{"action":"decline"}' }] } });
  });

  test('an answer that is malformed fails the question', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-11-25', { elicitation: {} });
    const question = await pipe.ask(call(1, 'ask'));
    const answer = await pipe.ask({ jsonrpc: '2.0', id: question.id, result: 'yes' });
    expect(answer.error.message).toContain('malformed');
  });
});

describe('subscriptions', () => {
  const listen = (id: unknown) =>
    modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } });

  test('are acknowledged, get changes, and are silent once cancelled', async () => {
    const pipe = openPipe();
    const acknowledged = await pipe.ask(listen('s'));
    expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged');
    pipe.send(modern(1, 'tools/call', { name: 'change' }));
    expect((await pipe.take(2)).map(({ method, id }) => method ?? id)).toEqual([
      'notifications/tools/list_changed',
      1,
    ]);
    pipe.send(cancel('s'), modern(2, 'tools/call', { name: 'change' }));
    expect((await pipe.rest()).map(({ id }) => id)).toEqual([2]);
  });

  test('end nothing after a rejected one', async () => {
    const pipe = openPipe();
    pipe.send(modern('s', 'subscriptions/listen', {}));
    const [refused, ...others] = await pipe.rest();
    expect(refused).toMatchObject({ id: 's', error: { code: -32602 } });
    expect(others).toEqual([]);
  });

  test('get their result at the end, and are called off; it does not wait for them', async () => {
    const pipe = openPipe();
    await pipe.ask(listen('s'));
    stopClock();
    pipe.input.end();
    await expectEndWithin(499, pipe);
    const [result, ...others] = await pipe.rest(0);
    expect(result).toMatchObject({ id: 's', result: { resultType: 'complete' } });
    expect(others).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's' } },
    ]);
  });
});

describe('the end', () => {
  test.each([
    ['before anything was said', () => {}],
    ['when idle', (pipe: ReturnType<typeof openPipe>) => pipe.initialize()],
  ])('comes at once %s', async (_, prepare) => {
    const pipe = openPipe();
    await prepare(pipe);
    stopClock();
    pipe.input.end();
    await expectEndWithin(49, pipe);
  });

  test('waits for the calls under way, and a last line without newline counts', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    stopClock();
    pipe.send(
      call(1, 'slow', { ms: 100 }),
      modern(2, 'tools/call', { name: 'slow', arguments: { ms: 150 } }),
    );
    pipe.input.end(JSON.stringify(call(3, 'slow', { ms: 50 })));
    await expectEndWithin(199, pipe);
    expect((await pipe.rest(0)).map(({ id }) => id)).toEqual([3, 1, 2]);
  });

  test('waits for an initialize that has just come', async () => {
    const pipe = openPipe();
    const clientInfo = { name: 'test', version: '1' };
    pipe.input.end(
      JSON.stringify(
        legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
      ),
    );
    await pipe.session.ended;
    expect((await pipe.rest(0))[0].result.protocolVersion).toBe('2025-11-25');
  });

  test('does not wait for answers that only the client could give', async () => {
    const pipe = openPipe();
    await pipe.initialize('2025-11-25', { elicitation: {} });
    pipe.send(call(2, 'ask'));
    await pipe.take();
    stopClock();
    pipe.send(call(1, 'ask'));
    pipe.input.end();
    await expectEndWithin(499, pipe);
    const answers = await pipe.rest(0);
    expect(answers.map(({ id, error }) => [id, error.message])).toEqual([
      [2, 'The client has gone.'],
      [1, 'The client has gone.'],
    ]);
  });

  test('comes at once on an input that had ended before', async () => {
    const input = new PassThrough();
    input.destroy();
    await openPipe({ input }).session.ended;
  });

  test('aborts calls that take longer than the drain time', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    stopClock();
    pipe.send(call(1, 'slow', { ms: 60_000 }), call(2, 'slow', { ms: 50 }));
    await pass(10);
    pipe.input.end();
    const ending = pipe.session.end({ drainMs: 150 });
    await expectEndWithin(399, pipe);
    await ending;
    expect((await pipe.rest(0)).map(({ id }) => id)).toEqual([2]);
    expect(pipe.aborted).toContain(1);
  });

  test('keeps the shorter of two limits when a longer one follows', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    stopClock();
    pipe.send(call(1, 'slow', { ms: 60_000 }));
    await pass(10);
    void pipe.session.end({ drainMs: 150 });
    void pipe.session.end({ drainMs: 30_000 });
    await expectEndWithin(399, pipe);
    expect(pipe.aborted).toEqual([1]);
  });

  test('reads no more', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    stopClock();
    pipe.send(call(1, 'slow', { ms: 100 }));
    await pass(10);
    void pipe.session.end({ drainMs: 800 });
    pipe.send(legacy(2, 'ping'));
    await expectEndWithin(799, pipe);
    expect((await pipe.rest(0)).map(({ id }) => id)).toEqual([1]);
  });

  test('writes nothing to an output without pending data', async () => {
    const input = new PassThrough();
    const chunks: string[] = [];
    const output = new Writable({
      write: (chunk, _encoding, callback) => {
        chunks.push(String(chunk));
        callback();
      },
    });
    const { session } = openPipe({ input, output });
    input.end();
    await session.ended;
    expect(chunks).toEqual([]);
  });

  test('comes when stdout is closed', async () => {
    const pipe = openPipe();
    await pipe.initialize();
    pipe.send(call(1, 'slow', { ms: 60_000 }));
    await pipe.rest(10);
    pipe.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await pipe.session.ended;
    expect(pipe.aborted).toEqual([1]);
  });
});

test('a handler that sends much waits until the pipe takes more, and the end until it is empty', async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  const pending: (() => void)[] = [];
  const output = new Writable({
    highWaterMark: 10,
    write: (chunk, _encoding, callback) => {
      if (chunk.length > 0) lines.push(String(chunk));
      pending.push(callback);
    },
  });
  const sightings = { made: [], aborted: [] };
  const session = serveStdio({
    createServer: (era) => makeSampleServer(era, sightings),
    input,
    output,
    report: () => {},
  });
  const params = { name: 'log', arguments: { steps: 5 } };
  input.write(
    `${JSON.stringify(modern(1, 'tools/call', params, { 'io.modelcontextprotocol/logLevel': 'debug' }))}\n`,
  );
  await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines).toHaveLength(1);

  input.end();
  const taking = setInterval(() => pending.shift()?.(), 5);
  await session.ended;
  clearInterval(taking);
  expect(lines.map((line) => JSON.parse(line)).map(({ method, id }) => method ?? id)).toEqual([
    ...Array(5).fill('notifications/message'),
    1,
  ]);
});
