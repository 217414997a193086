import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ToolError } from '../../../src/engine/runtime/result-builders.js';
import { composeLive, type LiveItems, openSession } from '../../support/session.js';

const eras = ['legacy', 'modern'] as const;
const numbers = Array.from({ length: 101 }, (_, index) => `n${index}`);
const uriTemplate = 'shop://{town}/{street}{?q}';

describe.each(eras)('%s: completion of templates', (era) => {
  async function suggest(complete: unknown, argument: object, more: object = {}, items: LiveItems = {}) {
    const composed = await composeLive({
      resources: { shops: { uriTemplate, read: () => 'x', complete: { town: complete } } },
      ...items,
    });
    const { request } = await openSession(composed, { era });
    const ref = { type: 'ref/resource', uri: uriTemplate };
    const answer = request('completion/complete', {
      ref,
      argument: { name: 'town', value: '', ...argument },
      ...more,
    });
    return { answer, reports: composed.reports };
  }

  test('takes lists', async () => {
    const { answer } = await suggest(['Ostwick', 'Port Sable', 'Osgard'], { value: 'os' });
    expect((await answer).completion).toEqual({ values: ['Ostwick', 'Osgard'], total: 2, hasMore: false });
  });

  test.each<[returned: unknown, completion: object]>([
    [[], { values: [], total: 0, hasMore: false }],
    [[1, 'b'], { values: ['1', 'b'], total: 2, hasMore: false }],
    [numbers.slice(0, 100), { values: numbers.slice(0, 100), total: 100, hasMore: false }],
    [numbers, { values: numbers.slice(0, 100), total: 101, hasMore: true }],
    [{ values: ['a'] }, { values: ['a'], hasMore: false }],
    [
      { values: ['a'], hasMore: true },
      { values: ['a'], hasMore: true },
    ],
    [
      { values: ['a'], total: 7 },
      { values: ['a'], total: 7, hasMore: true },
    ],
    [
      { values: ['a'], total: 0 },
      { values: ['a'], hasMore: false },
    ],
    [
      { values: numbers, total: 500 },
      { values: numbers.slice(0, 100), total: 500, hasMore: true },
    ],
  ])('takes what functions return: %j', async (returned, completion) => {
    const { answer } = await suggest(() => returned, {});
    expect((await answer).completion).toEqual(completion);
  });

  test.each([undefined, null, 'a', { a: 1 }, [null], [{}], { values: 'a' }])(
    'refuses %j',
    async (returned) => {
      const { answer, reports } = await suggest(() => returned, {});
      await expect(answer).rejects.toMatchObject({ code: -32603, message: 'Completion failed' });
      expect(reports.join()).toMatch(
        /^@acme\/kit\/[^:]+: completion of "[^"]+": .*"complete" returns a list of strings/,
      );
    },
  );

  test('returns the message of a ToolError', async () => {
    const { answer, reports } = await suggest(() => Promise.reject(new ToolError('The map is away.')), {});
    await expect(answer).rejects.toMatchObject({ code: -32603, message: 'The map is away.' });
    expect(reports).toEqual([]);
  });

  test('gets what is filled in, and a server that is ready', async () => {
    const initialize = vi.fn();
    const complete = (typed: string, ctx: Context) => [
      typed,
      ctx.arguments?.street ?? '',
      String(initialize.mock.calls.length),
    ];
    const { answer } = await suggest(
      complete,
      { value: 'o' },
      { context: { arguments: { street: 'Quay' } } },
      {
        server: { resources: '*', initialize },
      },
    );
    expect((await answer).completion.values).toEqual(['o', 'Quay', '1']);
  });

  test('waits for nothing where all values are listed', async () => {
    const initialize = () => Promise.reject(new Error('not today'));
    const { answer, reports } = await suggest(['a'], {}, {}, { server: { resources: '*', initialize } });
    expect((await answer).completion.values).toEqual(['a']);
    expect(reports).toEqual([]);
  });

  test('goes by an address of a template, too', async () => {
    const { answer } = await suggest(['a'], {}, { ref: { type: 'ref/resource', uri: 'shop://x/y' } });
    expect((await answer).completion.values).toEqual(['a']);
  });

  test('is of a variable, whether it is in the path or not', async () => {
    const { answer } = await suggest(['a'], { name: 'q' });
    expect((await answer).completion.values).toEqual([]);
    const { answer: other } = await suggest(['a'], { name: 'zip' });
    await expect(other).rejects.toMatchObject({ code: -32602 });
  });

  test('is an unknown method without a completion function', async () => {
    const { request } = await openSession(await composeLive({ prompts: { p: { content: 'p' } } }), { era });
    const ref = { type: 'ref/prompt', name: 'p' };
    const answer = request('completion/complete', { ref, argument: { name: 'a', value: '' } });
    await expect(answer).rejects.toMatchObject({ code: -32601 });
  });
});

describe.each(eras)('%s: completion of prompts', (era) => {
  test('knows what the server fixes', async () => {
    const complete = (typed: string, ctx: Context) => [typed, JSON.stringify(ctx.arguments)];
    const prompt = {
      arguments: [{ name: 'town' }, { name: 'street', complete }, { name: 'number' }],
      content: 'x',
    };
    const server = { prompts: [{ use: 'p', arguments: { town: 'Ostwick' } }] };
    const { request } = await openSession(await composeLive({ prompts: { p: prompt }, server }), { era });
    const { completion } = await request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'street', value: 'q' },
      context: { arguments: { number: '7' } },
    });
    expect(completion.values).toEqual(['q', '{"number":"7","town":"Ostwick"}']);
  });
});
