import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { type ComposeOptions, composeLive, openSession, type Session } from '../../support/session.js';
import { pending, play } from '../support/rounds.js';

type Ask = (args: Record<string, unknown>, ctx: Context) => unknown;

const capabilities = { elicitation: {} };
const accepted = { action: 'accept', content: {} };
const note = { v: 'string' };

async function open(tools: Readonly<Record<string, Ask | object>>, options: ComposeOptions = {}) {
  const items = Object.entries(tools).map(([name, tool]) => [
    name,
    typeof tool === 'function' ? { handler: tool } : tool,
  ]);
  const composed = await composeLive({ tools: Object.fromEntries(items) }, options);
  const session = await openSession(composed, { era: 'modern', capabilities });
  const call = (name: string, more: object = {}) =>
    session.request('tools/call', { name, arguments: {}, ...more });
  return { ...composed, session, call };
}

/** Asks twice, and counts how often it ran. */
function twice() {
  const runs: string[] = [];
  const handler: Ask = async (_args, ctx) => {
    runs.push('begun');
    const first = await ctx.elicit('first', note);
    const second = await ctx.elicit('second', note);
    return `${first.action} ${second.action}`;
  };
  return { runs, handler };
}

describe('a round', () => {
  test('holds what is asked at once, by key, and nothing that only complete results have', async () => {
    const { call } = await open({
      t: async (_args, ctx) =>
        await Promise.all([
          ctx.elicit('a', note),
          ctx.elicit('b', note, { key: 'mine' }),
          ctx.elicit('c', note),
        ]),
    });
    const result = await call('t');
    expect(Object.keys(result.inputRequests)).toEqual(['e1', 'mine', 'e2']);
    expect(result.inputRequests.mine).toEqual({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'b',
        requestedSchema: { type: 'object', properties: { v: { type: 'string' } } },
      },
    });
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
  });

  test('has no cache hint for a resource', async () => {
    const read = async (_uri: string, _variables: object, ctx: Context) =>
      (await ctx.elicit('a', note)).action;
    const composed = await composeLive({
      resources: { r: { uri: 'app://r', read, cache: { ttlMs: 1000, scope: 'public' } } },
    });
    const session = await openSession(composed, { era: 'modern', capabilities });
    const result = await session.request('resources/read', { uri: 'app://r' });
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
  });

  test('is asked again for what the client left out, answered or not', async () => {
    const { runs, handler } = twice();
    const { call } = await open({ t: handler });
    const first = await call('t');
    const again = await call('t', { inputResponses: { other: accepted }, requestState: first.requestState });
    expect(Object.keys(again.inputRequests)).toEqual(['e1']);
    const wrapped = { e1: { method: 'elicitation/create', result: accepted } };
    const still = await call('t', { inputResponses: wrapped, requestState: again.requestState });
    expect(Object.keys(still.inputRequests)).toEqual(['e1']);
    const without = await call('t', { requestState: still.requestState });
    expect(Object.keys(without.inputRequests)).toEqual(['e1']);
    expect(runs).toHaveLength(4);
  });

  test('keeps an answer that its handler has not come to yet', async () => {
    const gate = pending();
    const runs: number[] = [];
    const { call } = await open({
      t: async (_args, ctx) => {
        runs.push(runs.length + 1);
        const slowly = async () => {
          if (runs.length === 2) await gate.promise;
          return (await ctx.elicit('slow', note, { key: 'slow' })).action;
        };
        const quickly = async () => {
          await ctx.elicit('one', note, { key: 'one' });
          return (await ctx.elicit('two', note, { key: 'two' })).action;
        };
        return (await Promise.all([slowly(), quickly()])).join(' ');
      },
    });
    const first = await call('t');
    const inputResponses = { slow: { action: 'decline' }, one: accepted };
    const second = await call('t', { inputResponses, requestState: first.requestState });
    expect(Object.keys(second.inputRequests)).toEqual(['two']);
    const last = await call('t', { inputResponses: { two: accepted }, requestState: second.requestState });
    gate.resolve();
    expect(last.content[0].text).toBe('decline accept');
  });

  test('takes answers that come with the first request and ignores answers to unknown requests', async () => {
    const { call } = await open({ t: twice().handler });
    const inputResponses = { e1: accepted, e2: { action: 'decline' }, e9: accepted, extra: { x: 1 } };
    expect((await call('t', { inputResponses })).content[0].text).toBe('accept decline');
  });

  test('waits for a step that is under way, so that it is not done again', async () => {
    const step = pending<string>();
    const done: string[] = [];
    const { session } = await open({
      t: async (_args, ctx) => {
        const booking = ctx.step('book', () => {
          done.push('book');
          return step.promise;
        });
        const [booked] = await Promise.all([booking, ctx.elicit('Sure?', note)]);
        return booked;
      },
    });
    const played = play(session, ['tools/call', { name: 't' }], () => accepted);
    await vi.waitUntil(() => done.length > 0, 10_000);
    step.resolve('number 1');
    expect((await played).result.content[0].text).toBe('number 1');
    expect(done).toEqual(['book']);
  });
});

describe('a run that waits for answers', () => {
  test('is over: its signal aborts, it does not go on, and what it asks for comes to nothing', async () => {
    const seen: string[] = [];
    const later = pending();
    const { call, session } = await open({
      t: async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => seen.push(`aborted: ${ctx.signal.reason.name}`));
        later.promise.then(async () => {
          ctx.progress(1);
          ctx.log.error('still here');
          seen.push('later');
          void ctx.elicit('b', note, { key: 'known' }).then(() => seen.push('answered'));
          await ctx.step('late', () => seen.push('step'));
          seen.push('after step');
        });
        try {
          await ctx.elicit('a', note);
          seen.push('went on');
        } finally {
          seen.push('finally');
        }
      },
      next: async (_args, ctx) => (await ctx.elicit('b', note, { key: 'known' })).action,
    });
    const inputResponses = { known: accepted };
    expect(await call('t', { inputResponses })).toMatchObject({ resultType: 'input_required' });
    later.resolve();
    expect((await call('next', { inputResponses })).content[0].text).toBe('accept');
    expect(seen).toEqual(['aborted: InputRequiredSignal', 'later']);
    expect(session.notifications).toEqual([]);
  });

  test('does not go on where it had called another tool either', async () => {
    const seen: string[] = [];
    const { call } = await open({
      inner: async (_args, ctx) => (await ctx.elicit('a', note)).action,
      outer: async (_args, ctx) => {
        try {
          const { content } = await ctx.callTool('inner');
          seen.push('went on');
          return content;
        } catch (error) {
          seen.push(`caught ${String(error)}`);
          throw error;
        }
      },
    });
    const { inputRequests, requestState } = await call('outer');
    expect(Object.keys(inputRequests)).toEqual(['c1.e1']);
    expect(seen).toEqual([]);
    const result = await call('outer', { inputResponses: { 'c1.e1': accepted }, requestState });
    expect(result.content[0].text).toBe('accept');
    expect(seen).toEqual(['went on']);
  });
});

describe('a state', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const refused = { code: -32602, message: expect.stringContaining('"requestState"') };

  async function begun(options: ComposeOptions = {}) {
    const { runs, handler } = twice();
    const opened = await open({ t: handler, other: handler, plain: () => 'x' }, options);
    const { requestState } = await opened.call('t');
    return { ...opened, runs, requestState, answered: { inputResponses: { e1: accepted }, requestState } };
  }

  test.each([
    ['is longer', (state: string) => `${state}x`],
    ['is shorter', (state: string) => state.slice(0, -2)],
    [
      'holds something else',
      (state: string) => state.replace(/.\./, (found) => (found[0] === 'A' ? 'B.' : 'A.')),
    ],
    ['is no state at all', () => 'hello'],
    ['is empty', () => ''],
  ])('is rejected before the handler runs if it %s', async (_what, change) => {
    const { call, runs, requestState } = await begun();
    await expect(call('t', { requestState: change(requestState) })).rejects.toMatchObject(refused);
    expect(runs).toHaveLength(1);
  });

  test('is rejected by another tool, even one that never asks', async () => {
    const { call, runs, answered } = await begun();
    await expect(call('other', answered)).rejects.toMatchObject(refused);
    await expect(call('plain', answered)).rejects.toMatchObject(refused);
    expect(runs).toHaveLength(1);
  });

  test('is rejected for other arguments; their order does not matter', async () => {
    const { call, session } = await begun();
    const args = { a: 1, b: { c: [1, 2], d: null } };
    const { requestState } = await call('t', { arguments: args });
    const retry = (given: object) =>
      session.request('tools/call', { name: 't', arguments: given, requestState });
    await expect(retry({ a: 2, b: args.b })).rejects.toMatchObject(refused);
    await expect(retry({})).rejects.toMatchObject(refused);
    expect(await retry({ b: { d: null, c: [1, 2] }, a: 1 })).toMatchObject({ resultType: 'input_required' });
  });

  test('is accepted without the empty arguments', async () => {
    const { session, requestState } = await begun();
    const retry = session.request('tools/call', { name: 't', requestState });
    expect(await retry).toMatchObject({ resultType: 'input_required' });
  });

  test('is rejected by another method', async () => {
    const ask = (_: unknown, ctx: Context) => ctx.elicit('a', note);
    const composed = await composeLive({
      tools: { same: { handler: ask } },
      prompts: { same: { content: ask } },
    });
    const session = await openSession(composed, { era: 'modern', capabilities });
    const { requestState } = await session.request('tools/call', { name: 'same' });
    await expect(session.request('prompts/get', { name: 'same', requestState })).rejects.toMatchObject(
      refused,
    );
  });

  test('is good for an hour', async () => {
    const { call, answered, runs } = await begun();
    vi.advanceTimersByTime(59 * 60_000);
    expect(await call('t', answered)).toMatchObject({ resultType: 'input_required' });
    vi.advanceTimersByTime(2 * 60_000);
    await expect(call('t', answered)).rejects.toMatchObject(refused);
    expect(runs).toHaveLength(2);
  });

  test('is taken by every process that has the secret, and by no other', async () => {
    const secret = { env: { AGENTTOOLS_STATE_SECRET: 'a secret of more than thirty-two characters' } };
    const other = { env: { AGENTTOOLS_STATE_SECRET: 'another one of more than thirty-two characters' } };
    const { answered } = await begun(secret);
    const friend = await begun(secret);
    expect(await friend.call('t', answered)).toMatchObject({ resultType: 'input_required' });
    for (const stranger of [await begun(other), await begun()]) {
      await expect(stranger.call('t', answered)).rejects.toMatchObject(refused);
    }
  });

  test('is not signed with a secret that can be guessed', async () => {
    const { answered, reports, call } = await begun({ env: { AGENTTOOLS_STATE_SECRET: 'short' } });
    expect(reports).toEqual(['AGENTTOOLS_STATE_SECRET is not used: it has fewer than 32 characters.']);
    expect(await call('t', answered)).toMatchObject({ resultType: 'input_required' });
  });

  test('fails with an error if it is too large', async () => {
    const { session } = await open({
      t: async (_args, ctx) => {
        await ctx.elicit('much', note);
        await ctx.elicit('more', note);
      },
    });
    const much = { action: 'accept', content: { v: 'x'.repeat(2 ** 20) } };
    const played = play(session as Session, ['tools/call', { name: 't' }], () => much);
    await expect(played).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('1048576') });
  });

  test('differs from round to round, and can be repeated', async () => {
    const { call, requestState, answered } = await begun();
    const second = await call('t', answered);
    expect(second.requestState).not.toBe(requestState);
    const last = { inputResponses: { e2: accepted }, requestState: second.requestState };
    expect((await call('t', last)).content[0].text).toBe('accept accept');
    expect((await call('t', last)).content[0].text).toBe('accept accept');
  });
});
