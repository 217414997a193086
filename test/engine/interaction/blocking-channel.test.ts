import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { composeLive, openSession, type SessionOptions } from '../../support/session.js';
import { pending } from '../support/rounds.js';

type Ask = (args: Record<string, unknown>, ctx: Context) => unknown;

const capabilities = { elicitation: {}, sampling: {} };
const note = { v: 'string' };

async function open(handler: Ask, options: SessionOptions & { readonly more?: object } = {}) {
  const composed = await composeLive({
    tools: { t: { handler, ...options.more }, u: { handler: () => 'x' } },
  });
  const session = await openSession(composed, { capabilities, ...options });
  return { ...composed, session };
}

describe('while the client is asked', () => {
  test('pauses the time limits of the tool and of its callers', async () => {
    const answered = pending();
    const composed = await composeLive({
      tools: {
        inner: { timeoutMs: 20, handler: (_args: object, ctx: Context) => ctx.elicit('a', note) },
        outer: {
          timeoutMs: 20,
          handler: async (_args: object, ctx: Context) => {
            const { structuredContent } = await ctx.callTool('inner');
            answered.resolve();
            return structuredContent;
          },
        },
        clock: {
          timeoutMs: 60,
          handler: (_args: object, ctx: Context) =>
            new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)),
        },
      },
    });
    const session = await openSession(composed, { capabilities });
    const { answer } = session.send('tools/call', { name: 'outer' });
    await vi.waitUntil(() => session.asked.length === 1, 10_000);
    // Its time is longer, and begins later: when it is up, the others' would have been.
    await session.request('tools/call', { name: 'clock' });
    session.reply(session.asked[0].id, { action: 'decline' });
    expect((await answer).structuredContent).toEqual({ action: 'decline' });
    await answered.promise;
  });

  test('a call that is cancelled ends, and takes its question back', async () => {
    const ended = pending<string>();
    const { session } = await open(async (_args, ctx) => {
      await ctx.elicit('a', note).catch((error: Error) => ended.resolve(error.name));
    });
    const { id } = session.send('tools/call', { name: 't' });
    await vi.waitUntil(() => session.asked.length === 1, 10_000);
    session.cancel(id);
    expect(await ended.promise).toBe('AbortError');
    expect(session.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: session.asked[0].id } },
    ]);
  });
});

test('rejects further input requests of a handler after its call has ended', async () => {
  const errors: string[] = [];
  const { session } = await open(async (_args, ctx) => {
    for (;;) await ctx.elicit('a', note).catch((error: Error) => errors.push(error.name));
  });
  const { id } = session.send('tools/call', { name: 't' });
  await vi.waitUntil(() => session.asked.length === 1, 10_000);
  session.cancel(id);
  await vi.waitUntil(() => errors.length > 0, 10_000);
  await session.request('tools/call', { name: 'u' });
  expect(errors).toEqual(['AbortError']);
});

describe('a handler whose client has gone', () => {
  const gone: SessionOptions = {
    answer: () => ({ error: { code: -32000, message: 'The client has gone.' } }),
  };
  const over = { isError: true, content: [{ text: 'The client has gone.' }] };

  test('may end in its own way', async () => {
    const { session } = await open(
      async (_args, ctx) => await ctx.elicit('a', note).catch(() => 'without'),
      gone,
    );
    expect(await session.request('tools/call', { name: 't' })).toMatchObject({
      content: [{ text: 'without' }],
    });
  });

  test('may have asked several things at once', async () => {
    const { session } = await open(async (_args, ctx) => {
      const asked = await Promise.allSettled(['a', 'b', 'c'].map((text) => ctx.elicit(text, note)));
      return asked.map(({ status }) => status).join(' ');
    }, gone);
    expect(await session.request('tools/call', { name: 't' })).toMatchObject({
      content: [{ text: 'rejected rejected rejected' }],
    });
  });

  test('ends at its second input request', async () => {
    const errors: string[] = [];
    const { session } = await open(async (_args, ctx) => {
      for (;;) await ctx.elicit('a', note).catch((error: Error) => errors.push(error.message));
    }, gone);
    expect(await session.request('tools/call', { name: 't' })).toMatchObject(over);
    await vi.waitUntil(() => errors.length > 1, 10_000);
    await session.request('tools/call', { name: 'u' });
    expect(errors).toEqual(['The client has gone.', 'The client has gone.']);
    expect(session.asked).toHaveLength(1);
  });

  test('ends if its nested calls keep asking', async () => {
    let calls = 0;
    const composed = await composeLive({
      tools: {
        inner: { handler: (_args: object, ctx: Context) => ctx.elicit('a', note) },
        outer: {
          handler: async (_args: object, ctx: Context) => {
            for (;;) {
              calls += 1;
              await ctx.callTool('inner').catch(() => {});
            }
          },
        },
      },
    });
    const session = await openSession(composed, { capabilities, ...gone });
    expect(await session.request('tools/call', { name: 'outer' })).toMatchObject(over);
    const untilThen = calls;
    await session.request('ping');
    expect(calls).toBeLessThanOrEqual(untilThen + 2);
  });
});

test('many questions at once are no leak', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  const ask: Ask = (_args, ctx) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => ctx.elicit(`${index}`, note)));
  const { session } = await open(ask, { answer: () => ({ action: 'cancel' }) });
  await session.request('tools/call', { name: 't' });
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

describe('a client that does not answer', () => {
  const failing = { error: { code: -32000, message: 'no window' } };

  test('with an error is as a user who put the question away', async () => {
    const { session } = await open((_args, ctx) => ctx.elicit('a', note), { answer: () => failing });
    const result = await session.request('tools/call', { name: 't' });
    expect(result.structuredContent).toEqual({ action: 'cancel' });
    await session.request('logging/setLevel', { level: 'debug' });
    await session.request('tools/call', { name: 't' });
    expect(session.notifications).toMatchObject([
      {
        method: 'notifications/message',
        params: { level: 'debug', data: expect.stringContaining('no window') },
      },
    ]);
  });

  test('in time gets a cancel notification', async () => {
    const { session } = await open((_args, ctx) => ctx.elicit('a', note, { timeoutMs: 5 }));
    const result = await session.request('tools/call', { name: 't' });
    expect(result.structuredContent).toEqual({ action: 'cancel' });
    expect(session.notifications).toMatchObject([{ method: 'notifications/cancelled' }]);
  });

  test('for its model fails the tool, with its reason', async () => {
    const sample: Ask = (_args, ctx) => ctx.sample({ messages: [], maxTokens: 1 });
    const { session } = await open(sample, { answer: () => failing });
    expect(await session.request('tools/call', { name: 't' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no window') }],
    });
  });

  test('with what fits is asked three times at most', async () => {
    const age = { age: { type: 'integer', required: true } } as const;
    const { session } = await open((_args, ctx) => ctx.elicit('Age?', age), {
      answer: () => ({ action: 'accept', content: {} }),
    });
    const result = await session.request('tools/call', { name: 't' });
    expect(result.structuredContent).toEqual({ action: 'cancel' });
    expect(session.asked).toHaveLength(3);
  });
});

describe('a question on the wire', () => {
  test.each([
    ['2025-06-18', undefined],
    ['2025-11-25', 'form'],
  ])('has in %s the mode %s', async (version, mode) => {
    const { session } = await open((_args, ctx) => ctx.elicit('a', note), {
      version,
      answer: () => ({ action: 'cancel' }),
    });
    await session.request('tools/call', { name: 't' });
    expect(session.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'a' } }]);
    expect(session.asked[0].params.mode).toBe(mode);
    expect(session.asked[0].params._meta).toBeUndefined();
  });

  test('has a different id each time', async () => {
    const { session } = await open(
      async (_args, ctx) => await Promise.all([1, 2, 3].map((n) => ctx.elicit(`${n}`, note))),
      { answer: () => ({ action: 'cancel' }) },
    );
    await session.request('tools/call', { name: 't' });
    expect(new Set(session.asked.map(({ id }) => id)).size).toBe(3);
  });
});

describe('where the client works', () => {
  const rooted: Ask = (_args, ctx) => ctx.root ?? 'nowhere';
  const roots = (...uris: string[]) => ({ roots: uris.map((uri) => ({ uri })) });

  test.each([
    [roots('file:///', 'file:///usr'), '/'],
    [roots('file:///nowhere/1', 'https://acme.example/', 'file:///usr'), '/usr'],
    [roots('file:///nowhere/1'), 'nowhere'],
    [roots('https://acme.example/'), 'nowhere'],
    [roots(), 'nowhere'],
    [{ error: { code: -1, message: 'no' } }, 'nowhere'],
  ])('is its first root that is a folder here: %j', async (answer, expected) => {
    const { session } = await open(rooted, { capabilities: { roots: {} }, answer: () => answer });
    await vi.waitUntil(() => session.asked.length === 1, 10_000);
    await session.request('ping');
    expect((await session.request('tools/call', { name: 't' })).content[0].text).toBe(expected);
  });

  test('is asked for again when it changes', async () => {
    const places = ['file:///', 'file:///usr'];
    const { session } = await open(rooted, {
      capabilities: { roots: { listChanged: true } },
      answer: () => roots(places.shift()!),
    });
    await vi.waitUntil(() => session.asked.length === 1, 10_000);
    session.notify('notifications/roots/list_changed');
    await vi.waitUntil(() => session.asked.length === 2, 10_000);
    await session.request('ping');
    expect((await session.request('tools/call', { name: 't' })).content[0].text).toBe('/usr');
  });

  test('is not asked of clients without roots', async () => {
    const { session } = await open(rooted, { capabilities: {} });
    expect((await session.request('tools/call', { name: 't' })).content[0].text).toBe('nowhere');
    expect(session.asked).toEqual([]);
  });
});
