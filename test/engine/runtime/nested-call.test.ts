import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { composeLive, type LiveItems, openSession, type SessionOptions } from '../../support/session.js';

const eras = ['legacy', 'modern'] as const;

type Use = (ctx: Context) => unknown;

/** A server whose tool `outer` does what the test says, with others for it to call. */
async function open(use: Use, options: SessionOptions = {}, more: LiveItems = {}) {
  const composed = await composeLive(
    {
      tools: {
        outer: { handler: (_: unknown, ctx: Context) => use(ctx) },
        double: {
          hidden: true,
          input: { n: { type: 'integer', required: true } },
          output: { n: { type: 'integer', required: true } },
          options: { factor: 2 },
          handler: ({ n }: { n: number }, ctx: Context) => ({ n: n * Number(ctx.options.factor) }),
        },
        facts: {
          handler: ({ locals, tool, requestId }: Record<string, unknown>, ctx: Context) => {
            ctx.progress(1);
            return [[ctx.tool?.name, ctx.locals, ctx.requestId, locals, tool, requestId]];
          },
        },
        fails: {
          handler: () => {
            throw new Error('secret');
          },
        },
        ...more.tools,
      },
      prompts: { p: { content: async (_: unknown, ctx: Context) => JSON.stringify(await use(ctx)) } },
    },
    { toolOptions: { double: { factor: 3 } } },
  );
  const session = await openSession(composed, options);
  return { ...session, reports: composed.reports };
}

describe.each(eras)('%s: a tool that is called by another', (era) => {
  const outcome = async (use: Use, more: LiveItems = {}) => {
    const { request, reports } = await open(use, { era }, more);
    return { result: await request('tools/call', { name: 'outer' }), reports };
  };

  test('gets its own options, and answers as it would a client', async () => {
    const { result } = await outcome((ctx) => ctx.callTool('double', { n: 2 }));
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"n":6}' }],
      structuredContent: { n: 6 },
    });
  });

  test('has a separate context', async () => {
    const { request, notifications } = await open((ctx) => ctx.callTool('facts'), { era });
    const { structuredContent } = await request(
      'tools/call',
      { name: 'outer' },
      { progressToken: 'of the outer call' },
    );
    const list = structuredContent.result ?? structuredContent;
    expect(list[0].slice(0, 3)).toEqual(['facts', {}, expect.any(Number)]);
    expect(notifications).toEqual([]);
  });

  test('is called by prompts too', async () => {
    const { request } = await open(
      async (ctx) => (await ctx.callTool('double', { n: 1 })).structuredContent,
      { era },
    );
    const { messages } = await request('prompts/get', { name: 'p' });
    expect(messages[0].content.text).toBe('{"n":3}');
  });

  test.each<[why: string, use: Use, text: RegExp]>([
    [
      'gets arguments of the wrong type',
      (ctx) => ctx.callTool('double', { n: 'x' }),
      /^Invalid arguments for/,
    ],
    ['throws', (ctx) => ctx.callTool('fails'), /^Tool execution failed$/],
    ['does not exist', (ctx) => ctx.callTool('nobody'), /^This server has no tool "nobody"\.$/],
    ['gets a list', (ctx) => ctx.callTool('double', [] as never), /^Tool execution failed$/],
    ['is itself', (ctx) => ctx.callTool('outer'), /call each other more than 16 deep: "outer"/],
  ])('%s: fails, and the calling tool decides', async (_, use, text) => {
    const { result } = await outcome(use);
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toMatch(text);
    const survivor = await outcome(async (ctx) => {
      const inner = await Promise.resolve(use(ctx)).catch(() => undefined);
      return `went on after ${inner === undefined ? 'an error' : 'a result'}`;
    });
    expect(survivor.result.content[0].text).toMatch(/^went on after/);
  });

  test('may need what the client lacks', async () => {
    const tools = { asks: { requires: ['sampling'], handler: () => 'asked' } };
    const answer = outcome((ctx) => ctx.callTool('asks'), { tools });
    if (era === 'modern') await expect(answer).rejects.toMatchObject({ code: -32021 });
    else expect((await answer).result).toMatchObject({ isError: true });
  });

  test('aborts with the outer call', async () => {
    const seen: string[] = [];
    let isWaiting = () => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const tools = {
      waits: {
        handler: (_: unknown, { signal }: Context) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              seen.push('aborted');
              reject(signal.reason);
            });
            isWaiting();
          }),
      },
    };
    const { send, cancel } = await open((ctx) => ctx.callTool('waits'), { era }, { tools });
    const { id } = send('tools/call', { name: 'outer' });
    await waiting;
    cancel(id);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toEqual(['aborted']);
  });

  test('is not called by "initialize", which it would wait for', async () => {
    const tools = {
      hooked: { initialize: (ctx: Context) => ctx.callTool('double', { n: 1 }), handler: () => 1 },
    };
    const { result, reports } = await outcome((ctx) => ctx.callTool('hooked'), { tools });
    expect(result).toMatchObject({ isError: true });
    expect(reports.join()).toContain('"initialize" called the tool "double"');
  });
});
