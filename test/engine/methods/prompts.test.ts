import { describe, expect, expectTypeOf, test } from 'vitest';
import { definePrompt } from '../../../src/engine/runtime/define-items.js';
import {
  assistant,
  audio,
  embedded,
  image,
  resourceLink,
  results,
  text,
  user,
} from '../../../src/engine/runtime/result-builders.js';
import { compose, composeLive, openSession, type SessionOptions } from '../../support/session.js';

const bytes = new Uint8Array([1, 2, 3]);
const blocks = {
  image: { type: 'image', data: 'AQID', mimeType: 'image/png' },
  audio: { type: 'audio', data: 'AQID', mimeType: 'audio/wav' },
  text: { type: 'resource', resource: { uri: 'x://a', mimeType: 'text/csv', text: 'a,b' } },
  bytes: { type: 'resource', resource: { uri: 'x://b', blob: 'AQID' } },
  link: {
    type: 'resource_link',
    uri: 'x://c',
    name: 'c',
    title: 'See',
    description: 'It.',
    mimeType: 'text/plain',
  },
};

async function get(prompt: object, options: SessionOptions, args: object = {}) {
  const { request } = await openSession(await composeLive({ prompts: { p: prompt } }), options);
  return await request('prompts/get', { name: 'p', arguments: args });
}

const revisions: readonly SessionOptions[] = [
  { era: 'modern' },
  { version: '2025-11-25' },
  { version: '2025-06-18' },
  { version: '2025-03-26' },
  { version: '2024-11-05' },
];
const nameOf = ({ era, version }: SessionOptions) => (era === 'modern' ? '2026-07-28' : version!);

describe.each(revisions.map((options) => [nameOf(options), options] as const))(
  '%s: a conversation',
  (revision, options) => {
    const audioThere = revision >= '2025-03-26' ? blocks.audio : { type: 'text', text: '[audio: audio/wav]' };
    const linkThere = revision >= '2025-06-18' ? blocks.link : { type: 'text', text: 'See: x://c' };
    const expected = [
      { role: 'user', content: { type: 'text', text: 'Look.' } },
      { role: 'user', content: blocks.image },
      { role: 'assistant', content: audioThere },
      { role: 'user', content: blocks.text },
      { role: 'assistant', content: blocks.bytes },
      { role: 'user', content: linkThere },
    ];

    test('takes any content from a function', async () => {
      const content = () => [
        user('Look.'),
        image(bytes, 'image/png'),
        assistant(audio(bytes, 'audio/wav')),
        { role: 'user', content: embedded('x://a', 'a,b', { mimeType: 'text/csv' }) },
        { role: 'assistant', content: [embedded('x://b', bytes)] },
        user(resourceLink('x://c', 'c', { title: 'See', description: 'It.', mimeType: 'text/plain' })),
      ];
      expect((await get({ content }, options)).messages).toEqual(expected);
    });

    test('takes any content from a file', async () => {
      const { request } = await openSession(
        await compose(
          { prompts: ['p'] },
          {
            'agenttools/prompts/p.json': {
              arguments: [{ name: 'what' }],
              messages: [
                { role: 'user', content: [{ template: '{{what}}.' }, blocks.image] },
                { role: 'assistant', content: blocks.audio },
                { role: 'user', content: blocks.text },
                { role: 'assistant', content: blocks.bytes },
                { role: 'user', content: blocks.link },
              ],
            },
          },
        ),
        options,
      );
      const { messages } = await request('prompts/get', { name: 'p', arguments: { what: 'Look' } });
      expect(messages).toEqual(expected);
    });
  },
);

describe.each(['legacy', 'modern'] as const)('%s: a message', (era) => {
  test.each<[content: unknown, texts: readonly string[]]>([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [results(['a', 'b']), ['a', 'b']],
    [text('a'), ['a']],
    [
      ['a', [text('b')]],
      ['a', 'b'],
    ],
  ])('splits several pieces into several messages: %j', async (content, texts) => {
    const { messages } = await get({ content: () => [{ role: 'assistant', content }] }, { era });
    expect(messages).toEqual(
      texts.map((one) => ({ role: 'assistant', content: { type: 'text', text: one } })),
    );
  });

  test.each([[[]], [null], [[1]], [{ type: 'image' }], [undefined]])(
    'rejects content without a wire form: %j',
    async (content) => {
      await expect(get({ content: () => [{ role: 'user', content }] }, { era })).rejects.toMatchObject({
        code: -32603,
      });
    },
  );

  test('may come with another description', async () => {
    const content = () => ({ description: 'Another.', messages: ['a', user('b')] });
    expect(await get({ description: 'Usual.', content }, { era })).toMatchObject({
      description: 'Another.',
      messages: [{ role: 'user' }, { role: 'user' }],
    });
    expect(await get({ description: 'Usual.', content: 'a' }, { era })).toMatchObject({
      description: 'Usual.',
    });
  });

  test('is not made without the arguments it needs', async () => {
    const prompt = {
      arguments: [{ name: 'a', required: true }, { name: 'b', required: true }, { name: 'c' }],
      content: (args: object) => JSON.stringify(args),
    };
    await expect(get(prompt, { era }, { c: '1' })).rejects.toMatchObject({
      code: -32602,
      message: 'Missing required arguments: a, b',
    });
    const { messages } = await get(prompt, { era }, { a: '1', b: '' });
    expect(messages[0].content.text).toBe('{"a":"1","b":""}');
  });
});

test.each([[[]], [['a', 5]], [[{ type: 'image', data: '' }]]])('rejects %j in a file', async (content) => {
  const { spec } = await compose(
    { prompts: ['p'] },
    { 'agenttools/prompts/p.json': { messages: [{ role: 'user', content }] } },
  );
  expect(spec.leftOut[0]?.message).toContain('messages.0.content');
});

test('types let turns hold what they may', () => {
  definePrompt({ content: () => [{ role: 'user', content: ['a', text('b')] }, 'c', user('d')] });
  definePrompt({ messages: [{ role: 'user', content: ['a', { template: '{{b}}' }] }] });
  definePrompt({
    arguments: [{ name: 'a', complete: () => ({ values: ['b'], total: 3 }) }],
    content: ({ a }) => {
      expectTypeOf(a).toEqualTypeOf<string | undefined>();
      return '';
    },
  });
  // @ts-expect-error nobody else speaks
  definePrompt({ content: () => [{ role: 'system', content: 'a' }] });
});
