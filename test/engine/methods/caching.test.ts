import { describe, expect, test } from 'vitest';
import type { Context, ItemRegistry } from '../../../src/engine/runtime/context.js';
import { composeLive, type LiveItems, openSession } from '../../support/session.js';

const cache = { ttlMs: 5000, scope: 'public' };
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const;

const items = {
  tools: { a: { handler: () => '' }, b: { handler: () => '' } },
  prompts: { a: { content: '' }, b: { content: '' } },
  resources: {
    a: { uri: 'x://a', text: '' },
    b: { uri: 'x://b', text: '', cache: { ttlMs: 7 } },
    c: { uriTemplate: 'y://{c}', read: () => '', cache },
    d: { uriTemplate: 'z://{d}', read: () => '' },
  },
};
const server = { tools: '*', prompts: '*', resources: '*', cache };

const open = async (live: LiveItems, options: Parameters<typeof openSession>[1]) =>
  await openSession(await composeLive(live), options);
const hintsOf = ({ ttlMs, cacheScope }: Record<string, unknown>) => [ttlMs, cacheScope];

describe('sends the cache hints of the server with lists on 2026-07-28', () => {
  test.each(lists)('on each page in the same way: %s', async (method) => {
    const { request } = await open({ ...items, server: { ...server, pageSize: 1 } }, { era: 'modern' });
    const first = await request(method);
    const second = await request(method, { cursor: first.nextCursor });
    expect([hintsOf(first), hintsOf(second)]).toEqual([
      [5000, 'public'],
      [5000, 'public'],
    ]);
  });

  test('sends cache hints for server/discover, too', async () => {
    const { request } = await open({ ...items, server }, { era: 'modern' });
    expect(hintsOf(await request('server/discover'))).toEqual([5000, 'public']);
  });

  test.each(lists)('as private if a hook picks the list: %s', async (method) => {
    const all = (_: unknown, registry: ItemRegistry) => registry.list({ includeHidden: true });
    const list = { tools: all, prompts: all, resources: all };
    const { request } = await open({ ...items, server: { ...server, list } }, { era: 'modern' });
    expect(hintsOf(await request(method))).toEqual([5000, 'private']);
  });
});

describe('sends the cache hints of each resource on 2026-07-28', () => {
  test.each([
    ['x://a', 0, 'private'],
    ['x://b', 7, 'private'],
    ['y://1', 5000, 'public'],
    ['z://1', 0, 'private'],
  ])('%s', async (uri, ttlMs, scope) => {
    const { request } = await open({ ...items, server }, { era: 'modern' });
    expect(hintsOf(await request('resources/read', { uri }))).toEqual([ttlMs, scope]);
  });

  test('not while it asks, nor what was made of the answer', async () => {
    const read = async (_uri: string, _variables: object, ctx: Context) => {
      const answer = await ctx.elicit('Who?', { name: { type: 'string', required: true } });
      return answer.action;
    };
    const resources = { r: { uri: 'x://r', read, cache } };
    const { request } = await open({ resources }, { era: 'modern', capabilities: { elicitation: {} } });
    const asked = await request('resources/read', { uri: 'x://r' });
    expect(asked.resultType).toBe('input_required');
    expect(hintsOf(asked)).toEqual([undefined, undefined]);
    const [key] = Object.keys(asked.inputRequests);
    const inputResponses = { [key!]: { action: 'decline' } };
    const { requestState } = asked;
    const told = await request('resources/read', { uri: 'x://r', inputResponses, requestState });
    expect([told.contents[0].text, ...hintsOf(told)]).toEqual(['decline', 0, 'private']);
  });
});

test.each(['tools/call', 'prompts/get'])('sends no cache hints with %s', async (method) => {
  const { request } = await open({ ...items, server }, { era: 'modern' });
  expect(hintsOf(await request(method, { name: 'a' }))).toEqual([undefined, undefined]);
});

test('sends no cache hints before 2026-07-28', async () => {
  const { request } = await open({ ...items, server }, {});
  for (const method of lists) expect(hintsOf(await request(method))).toEqual([undefined, undefined]);
  expect(hintsOf(await request('resources/read', { uri: 'x://b' }))).toEqual([undefined, undefined]);
});
