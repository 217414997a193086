import { describe, expect, it } from 'vitest';
import { UpstreamCalls, withdrawn } from '../../../src/engine/host/upstream-calls.js';

interface Begun {
  readonly tool: string;
  readonly args: unknown;
}

/** Calls of a host, whose upstream server never answers. */
function open() {
  const sent: object[] = [];
  const begun: Begun[] = [];
  const asked: Promise<unknown>[] = [];
  const hub = {
    lists: [],
    reasons: () => [],
    wait: async () => {},
    keep: () => 'kept',
    begin: ({ tool }: { tool: string }, args: unknown) => {
      begun.push({ tool, args });
      return {
        cancel: () => {},
        attend: async ({ answer, signal }: { answer: Answer; signal: AbortSignal }) => {
          signal.throwIfAborted();
          const asking = answer({ method: 'elicitation/create', params: {} }, 'key');
          asking.catch(() => {});
          asked.push(asking);
          return await new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          );
        },
      };
    },
  };
  const upstream = { upstream: { tool: 'theirs' } };
  const registry = { resolve: (_: string, name: string) => (name === 'ours' ? upstream : undefined) };
  const served = { hub, server: { registry, upstreams: [] } };
  const calls = new UpstreamCalls({
    send: (message) => sent.push(message),
    upstreams: () => served as never,
  });
  const over = new AbortController();
  const ending = new AbortController();
  const asking = { asker: () => ({}) as never, over: over.signal };
  const call = async (message: object) =>
    await calls.call({ question: 1, tool: 'ours', theirs: 'theirs', ...message }, asking, ending.signal);
  return { calls, call, sent, begun, asked, over, ending };
}

type Answer = (question: object, key: string) => Promise<unknown>;

describe('calls of upstream servers by a host', () => {
  it.each([
    ['an unknown tool', { tool: 'other' }],
    ['a tool that is another one now', { theirs: 'former' }],
    ['a tool without a name', { tool: { name: 'ours' } }],
    ['the name of a member of objects', { tool: 'constructor' }],
  ])('are refused for %s', async (_, message) => {
    const { call, begun } = open();
    await expect(call(message)).rejects.toThrow('No upstream server has the tool');
    expect(begun).toEqual([]);
  });

  it('pass no arguments that are not an object', () => {
    const { call, begun } = open();
    for (const args of ['text', [1], null, { a: 1 }]) void call({ args }).catch(() => {});
    expect(begun.map(({ args }) => args)).toEqual([{}, {}, {}, { a: 1 }]);
  });

  it('are refused beyond the bound, until others end', async () => {
    const { call, over } = open();
    const all = Array.from({ length: 1000 }, () => call({}).catch(() => 'ended'));
    await expect(call({})).rejects.toThrow('1000 calls of upstream servers are under way.');
    over.abort(new Error('over'));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['ended']));
    await expect(call({})).rejects.not.toThrow('1000 calls');
  });

  it('take answers that are objects, and refusals', async () => {
    const { calls, call, asked } = open();
    for (let count = 0; count < 3; count += 1) void call({}).catch(() => {});
    calls.takeAnswer({ ask: 1, result: { action: 'accept' } });
    calls.takeAnswer({ ask: 2, result: 'accept' });
    calls.takeRefusal({ ask: 3, message: 'No.', code: -32601 });
    calls.takeAnswer({ ask: 'unknown', result: {} });
    await expect(asked[0]).resolves.toEqual({ action: 'accept' });
    await expect(asked[1]).rejects.toThrow('not an object');
    await expect(asked[2]).rejects.toMatchObject({ name: 'UnansweredRequestError', code: -32601 });
  });

  it('keep a question open for the next run when the handler ends to ask', async () => {
    const { call, asked, ending } = open();
    const called = call({});
    ending.abort(withdrawn('', true));
    await expect(called).rejects.toMatchObject({ name: 'InputRequiredSignal' });
    expect(await Promise.race([asked[0]!.catch(() => 'refused'), 'open'])).toBe('open');
  });
});
