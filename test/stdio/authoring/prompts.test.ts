import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import { eventually, type Message } from '../../support/program.js';

describe.each(revisions)('prompts (%s)', (revision) => {
  let server: Connected;
  const listed = async (name: string) => {
    await server.client.listPrompts();
    return server.lastAnswer().result.prompts.find((prompt: Message) => prompt.name === name);
  };
  const get = async (name: string, args?: Record<string, string>) =>
    await server.client.getPrompt({ name, ...(args && { arguments: args }) });
  const suggestions = async (prompt: string, argument: string, value: string, more: object = {}) =>
    (
      await server.client.complete({
        ref: { type: 'ref/prompt', name: prompt },
        argument: { name: argument, value },
        ...more,
      })
    ).completion;

  beforeAll(async () => {
    server = await connect(`${installFixture('authoring')}/prompts`, { revision });
  });

  test('are listed with title, description, arguments, icons and category [L-70, L-71, L-98, N-24]', async () => {
    expect(await listed('review')).toEqual({
      name: 'review',
      title: 'Review a Text',
      description: 'Reviews a text.',
      arguments: [
        { name: 'text', title: 'Text', description: 'What to review.', required: true },
        { name: 'tone', description: 'How to say it.', required: false },
      ],
      icons: [{ src: 'https://acme.example/pen.png', mimeType: 'image/png' }],
      _meta: { category: 'Writing' },
    });
  });

  test('without arguments list none [L-71]', async () => {
    expect(await listed('bare')).toMatchObject({ arguments: [] });
    expect((await get('bare')).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Say something.' } },
    ]);
  });

  test('fill their template with the arguments [L-72]', async () => {
    const { messages } = await get('review', { text: 'Once upon', tone: 'kind' });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Review this in a kind tone:\nOnce upon' } },
    ]);
    const literal = (await get('literal')).messages[0]?.content;
    expect(literal).toEqual({ type: 'text', text: 'Keep {{this}} as it is.' });
  });

  test('have several turns and a separate description [L-72, L-73, L-74, N-56]', async () => {
    const { description, messages } = await get('debate', { topic: 'tea' });
    expect(description).toBe('On tea');
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'We speak of tea.' } },
      { role: 'assistant', content: { type: 'text', text: 'Which side is yours?' } },
      { role: 'user', content: { type: 'text', text: 'The other.' } },
    ]);
    expect((await get('fixed')).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello.' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello yourself.' } },
    ]);
  });

  test('send the declared description else [L-73, N-56]', async () => {
    expect((await get('bare')).description).toBe('A prompt called bare.');
  });

  test('hold any content [L-74, N-57]', async () => {
    expect((await get('with-media')).messages).toEqual([
      { role: 'user', content: { type: 'image', data: 'iVBORw==', mimeType: 'image/png' } },
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: 'kit://note', mimeType: 'text/plain', text: 'a note' },
        },
      },
      { role: 'assistant', content: { type: 'resource_link', uri: 'kit://map', name: 'map' } },
    ]);
  });

  test('want what is required before they are made [L-76, N-55]', async () => {
    await expect(get('debate')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('topic'),
    });
  });

  test('rejects unknown names [L-75]', async () => {
    await expect(get('nothing')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('nothing'),
    });
  });

  test('reports a failure as an error with public details only [L-75]', async () => {
    await expect(get('told-failure')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('no text to review'),
    });
    await expect(get('failure')).rejects.toMatchObject({ code: -32603 });
    await expect(get('numbered-failure')).rejects.toMatchObject({ code: -31999, data: { since: 'noon' } });
    expect(JSON.stringify(server.spoken)).not.toContain('hunter2');
    await eventually(() => server.stderr().includes('hunter2'), 'the reason is on stderr');
  });

  test('omits hidden prompts from the list, and returns them by name [N-10, N-24]', async () => {
    expect(await listed('secret')).toBeUndefined();
    expect(await listed('secret-by-visible')).toBeUndefined();
    expect((await get('secret')).messages).toHaveLength(1);
    expect((await get('secret-by-visible')).messages).toHaveLength(1);
  });

  test('suggest from a list what begins like the typed text [L-99, N-62]', async () => {
    expect(await suggestions('review', 'tone', 'k')).toMatchObject({
      values: ['Kind', 'keen'],
      hasMore: false,
    });
  });

  test('suggest by a function, knowing the other arguments, a hundred at most [L-99, N-62]', async () => {
    const many = await suggestions('travel', 'from', 'Town');
    expect(many.values).toHaveLength(100);
    expect(many).toMatchObject({ total: 130, hasMore: true });
    const context = { context: { arguments: { from: 'Rome' } } };
    expect((await suggestions('travel', 'to', 'any', context)).values).toEqual(['any but not Rome']);
    expect((await suggestions('travel', 'freely', 'a')).values).toEqual([]);
  });

  test('suggest nothing for what there is not [L-99, N-62]', async () => {
    await expect(suggestions('travel', 'with', 'a')).rejects.toMatchObject({ code: -32602 });
    await expect(suggestions('nothing', 'from', 'a')).rejects.toMatchObject({ code: -32602 });
    await expect(suggestions('travel', 'in-vain', 'a')).rejects.toMatchObject({ code: -32603 });
  });
});
