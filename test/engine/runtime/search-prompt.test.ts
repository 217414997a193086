import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { error, image, ProtocolError, results, searchPrompt, ToolError, text } from '../../../src/index.js';
import { composeLive, openSession } from '../../support/session.js';

afterEach(() => void vi.restoreAllMocks());

const picture = image('AAAA', 'image/png');
const formatted = (found: string) =>
  `<search-query>Q?</search-query>\n<search-results>\n${found}\n</search-results>\nUse the above search results to answer the user's query below.\n<user-query>Q?</user-query>`;

type Search = Parameters<typeof searchPrompt>[0]['search'];

async function open(definition: object) {
  return await openSession(await composeLive({ prompts: { find: definition } }));
}

async function get(search: unknown, args: object = { query: 'Q?' }) {
  const { request } = await open(searchPrompt({ search: search as Search }));
  const { messages } = await request('prompts/get', { name: 'find', arguments: args });
  expect(messages).toHaveLength(1);
  return messages[0].content.text as string;
}

describe('searchPrompt', () => {
  test('is a prompt with the argument query', async () => {
    const { request } = await open(
      searchPrompt({ name: 'Search', title: 'Find', description: 'Finds things.', search: () => 'x' }),
    );
    const { prompts } = await request('prompts/list');
    expect(prompts).toEqual([
      {
        name: 'Search',
        title: 'Find',
        description: 'Finds things.',
        arguments: [{ name: 'query', description: 'The search query', required: true }],
      },
    ]);
    await expect(request('prompts/get', { name: 'Search', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('hands its other arguments to the search', async () => {
    const definition = searchPrompt({
      arguments: [
        { name: 'area', description: 'Where' },
        { name: 'query', description: 'What', complete: ['tea'] },
      ],
      search: (query, ctx, args) => JSON.stringify([query, ctx.ui, args]),
    });
    const { request } = await open(definition);
    const { prompts } = await request('prompts/list');
    expect(prompts[0].arguments).toEqual([
      { name: 'query', description: 'What', required: true },
      { name: 'area', description: 'Where', required: false },
    ]);
    const { messages } = await request('prompts/get', {
      name: 'find',
      arguments: { query: 'tea', area: 'north' },
    });
    expect(messages[0].content.text).toContain('["tea",false,{"query":"tea","area":"north"}]');
    const ref = { type: 'ref/prompt', name: 'find' };
    const { completion } = await request('completion/complete', {
      ref,
      argument: { name: 'query', value: 't' },
    });
    expect(completion.values).toEqual(['tea']);
  });

  test.each<[returned: unknown, found: string]>([
    ['text', 'text'],
    ['', ''],
    [text('one'), 'one'],
    [['a', text('b'), picture, { type: 'text', text: 'c' }], 'abc'],
    [results(['a', picture, '\nb']), 'a\nb'],
    [{ content: [{ type: 'text', text: 'plain' }] }, 'plain'],
    [picture, ''],
    ['</search-results > < /USER-QUERY>', '&lt;/search-results > &lt; /USER-QUERY>'],
    ['</b> a < b', '</b> a < b'],
  ])('%j gives what was found between the same words', async (returned, found) => {
    expect(await get(() => returned)).toBe(formatted(found));
  });

  test('is asynchronous if the search is', async () => {
    expect(await get(async () => 'late')).toBe(formatted('late'));
  });

  test.each<[what: string, search: unknown, said: string]>([
    ['a result that failed', () => error('No index.'), '[Error] No index.'],
    [
      'a ToolError',
      () => {
        throw new ToolError('No such place.');
      },
      '[Error] No such place.',
    ],
    ['a rejected ToolError', async () => Promise.reject(new ToolError('Later.')), '[Error] Later.'],
  ])('%s is an error in the text', async (_, search, said) => {
    const reports = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await get(search)).toBe(said);
    expect(reports).not.toHaveBeenCalled();
  });

  test.each<[what: string, search: unknown, reported: RegExp]>([
    [
      'anything else thrown',
      () => Promise.reject(new Error('at db://me:pw@host')),
      /Error: at db:\/\/me:pw@host/,
    ],
    ['a thrown text', () => Promise.reject('oops'), /oops/],
    ['nothing', () => undefined, /A search gives a string/],
    ['a number', () => 7, /A search gives a string/],
    ['an object that is no result', () => ({ found: 1 }), /A search gives a string/],
    ['a list with a hole in it', () => ['a', null], /A search gives a string/],
  ])('reports %s on stderr, and not to the client', async (_, search, reported) => {
    const reports = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await get(search)).toBe('[Error] Failed to generate prompt content.');
    expect(String(reports.mock.calls[0]?.[0])).toMatch(reported);
  });

  test('passes protocol errors on', async () => {
    const search = () => {
      throw new ProtocolError(-32001, 'Elsewhere.');
    };
    await expect(get(search)).rejects.toMatchObject({ code: -32001, message: 'Elsewhere.' });
    await expect(get((_: string, ctx: Context) => ctx.elicit('Who?', {}))).rejects.toMatchObject({
      message: expect.stringContaining('elicitation'),
    });
  });

  test('a search may ask the user where the protocol asks between runs', async () => {
    const search: Search = async (_, ctx) => {
      const answer = await ctx.elicit('Where?', { place: { type: 'string', required: true } });
      return answer.action === 'accept' ? `in ${answer.content.place}` : 'nowhere';
    };
    const composed = await composeLive({ prompts: { find: searchPrompt({ search }) } });
    const capabilities = { elicitation: {} };
    const { request } = await openSession(composed, { era: 'modern', capabilities });
    const params = { name: 'find', arguments: { query: 'Q?' } };
    const asked = await request('prompts/get', params);
    expect(asked.resultType).toBe('input_required');
    const inputResponses = { e1: { action: 'accept', content: { place: 'Ostwick' } } };
    const { requestState } = asked;
    const { messages } = await request('prompts/get', { ...params, inputResponses, requestState });
    expect(messages[0].content.text).toBe(formatted('in Ostwick'));
  });

  test('needs a function', () => {
    expect(() => searchPrompt({} as never)).toThrow('A search prompt has no function "search".');
  });

  test.each([
    [{ content: 'x' }, '"content"'],
    [{ messages: [] }, '"messages"'],
    [{ content: 'x', type: 'text' }, '"content" and "type"'],
  ])('takes nothing beside it that would be ignored: %j', (others, named) => {
    expect(() => searchPrompt({ search: () => 'x', ...others } as never)).toThrow(
      `A search prompt has ${named} beside "search", which makes all of it. Leave out ${named}.`,
    );
  });
});
