import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocks, pages } from '../docs/support/pages.js';
import { installFixture } from '../support/installed.js';
import { connect, type Revision, revisions } from '../support/official-client.js';
import { fixture, type Message, runProgram } from '../support/program.js';

const guide = fixture('bird-guide');

/** A user who saw one bird, and answers what is asked of it. */
async function withUser(revision: Revision, saw: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const answer = ({ message, requestedSchema }: Message) => {
    const [name = ''] = Object.keys(requestedSchema.properties);
    asked.push(message);
    const told = saw[name];
    if (told === 'cancel' || told === undefined) return { action: told ?? 'decline' };
    return { action: 'accept', content: { [name]: told } };
  };
  const connected = await connect(installFixture('bird-guide'), {
    revision,
    capabilities: { elicitation: {} },
    answers: { 'elicitation/create': answer },
  });
  return { ...connected, asked };
}

const page = 'example-expert-system';

/** What the page about it tells: what is asked and answered, by the table. */
function conversation(): readonly (readonly [asked: string, answer: string])[] {
  const [, rows = ''] = /^\| the guide asks .*?\n\|.*?\n(.*?)\n\n/ms.exec(pages[page]!) ?? [];
  return rows.split('\n').map((row) => {
    const [, asked = '', answer = ''] = row.split('|').map((cell) => cell.trim());
    return [asked, answer];
  });
}

const told = (what: string) =>
  blocks.find(({ page: on, words }) => on === page && words.dialogue === what)!.text;

test('finds the derived file of the bird guide up to date', async () => {
  expect(await runProgram(['derive', '--check', guide])).toMatchObject({ code: 0 });
});

describe('the page about the bird guide', () => {
  test('shows its files as they are', () => {
    const shown = blocks.filter((block) => block.page === page && block.words.file !== undefined);
    expect(shown.length).toBeGreaterThan(5);
    for (const { words, text } of shown) {
      expect(text, words.file).toBe(readFileSync(path.join(guide, words.file!), 'utf8'));
    }
  });

  test.each(revisions)('shows a conversation that takes place (%s)', async (revision) => {
    const expected = conversation();
    const asked: string[] = [];
    const answers = { yes: true, no: false } as Readonly<Record<string, boolean>>;
    const { textOf } = await connect(installFixture('bird-guide'), {
      revision,
      capabilities: { elicitation: {} },
      answers: {
        'elicitation/create': ({ message, requestedSchema }: Message) => {
          const [name = ''] = Object.keys(requestedSchema.properties);
          const [, answer = ''] = expected[asked.push(message) - 1] ?? [];
          return { action: 'accept', content: { [name]: answers[answer] ?? answer } };
        },
      },
    });
    expect(`${await textOf('identify', JSON.parse(told('arguments')))}\n`).toBe(told('answer'));
    expect(asked).toEqual(expected.map(([question]) => question));
  });
});

describe.each(revisions)('the bird guide (%s)', (revision) => {
  const robin = { bill: 'thin or short', size: 'like a sparrow', breast: 'orange', note: false };

  test('asks for what it must know, each thing once, and explains what it concludes', async () => {
    const { call, asked } = await withUser(revision, robin);
    const { structuredContent, content } = await call('identify');
    expect(structuredContent).toEqual({
      species: 'robin',
      because: [
        'kind: songbird, since bill thin or short',
        'species: robin, since kind songbird and size like a sparrow and breast orange',
      ],
      observed: { bill: 'thin or short', size: 'like a sparrow', breast: 'orange' },
    });
    expect(content[0].text).toContain('It was a robin.');
    expect(asked).toEqual([
      'What was its bill like?',
      'How big was it?',
      'What did its breast look like?',
      'It was a robin. Shall I note it down?',
    ]);
  });

  test('does not ask for given arguments', async () => {
    const { call, asked } = await withUser(revision, robin);
    const { structuredContent } = await call('identify', { bill: 'thin or short', size: 'like a sparrow' });
    expect(structuredContent.species).toBe('robin');
    expect(asked).not.toContain('What was its bill like?');
    expect(asked).not.toContain('How big was it?');
  });

  test('continues if the user cannot answer', async () => {
    const { call, asked } = await withUser(revision, { ...robin, breast: undefined });
    const { structuredContent, content } = await call('identify');
    expect(structuredContent).not.toHaveProperty('species');
    expect(content[0].text).toMatch(/^None of the birds/);
    expect(asked).toHaveLength(new Set(asked).size);
  });

  test('stops when the user does, and can be called to go on', async () => {
    const { call, asked } = await withUser(revision, { ...robin, size: 'cancel' });
    const { structuredContent, content } = await call('identify');
    expect(content[0].text).toMatch(/^Stopped/);
    expect(structuredContent.observed).toEqual({ bill: 'thin or short' });
    expect(asked).toHaveLength(2);
  });

  test('records a sighting once, even if the handler is replayed, and notifies subscribers', async () => {
    const user = await withUser(revision, {
      ...{ bill: 'hooked', afterDark: false, hovering: true },
      ...{ note: true, place: 'the old quarry' },
    });
    const uri = 'birds://sightings';
    if (revision === '2025-11-25') await user.client.subscribeResource({ uri });
    else await user.client.listen({ resourceSubscriptions: [uri] });
    for (const number of [1, 2]) {
      const { structuredContent } = await user.call('identify');
      expect(structuredContent).toMatchObject({ species: 'kestrel', sighting: number });
      await user.hears('notifications/resources/updated', number);
    }
    const [contents] = (await user.client.readResource({ uri })).contents as Message[];
    expect(JSON.parse(contents.text)).toMatchObject([
      { number: 1, species: 'kestrel', place: 'the old quarry' },
      { number: 2, species: 'kestrel', place: 'the old quarry' },
    ]);

    const { messages } = (await user.client.getPrompt({ name: 'field-note' })) as Message;
    expect(messages.map(({ role, content }: Message) => [role, content.text])).toEqual([
      ['user', expect.stringContaining('- bill hooked\n- not after dark\n- hovering')],
      ['assistant', 'By the guide that is a kestrel.'],
      ['user', expect.stringContaining('three sentences')],
    ]);
    const ref = { type: 'ref/prompt' as const, name: 'field-note' };
    const { completion } = await user.client.complete({ ref, argument: { name: 'sighting', value: '' } });
    expect(completion.values).toEqual(['1', '2']);
  });

  test('asks no question without elicitation, and lists the arguments that it needs', async () => {
    const { call, textOf } = await connect(guide, { revision });
    expect(await call('identify')).toMatchObject({ isError: true });
    expect(await textOf('identify', { bill: 'hooked' })).toMatch(
      /Was it out after dark\? \(afterDark\)\n.*elicitation.*\n.*\{"bill":"hooked"\}/,
    );
    const all = { bill: 'thin or short', size: 'like a sparrow', breast: 'orange' };
    expect((await call('identify', all)).structuredContent).toMatchObject({ species: 'robin' });
  });

  test('compares two birds, by a function that is documented and no more', async () => {
    const { call, tool } = await connect(guide, { revision });
    expect(await tool('compare')).toMatchObject({
      title: 'Compare Birds',
      inputSchema: { required: ['one', 'other'] },
      annotations: { readOnlyHint: true },
    });
    const { structuredContent } = await call('compare', { other: 'blackbird', one: 'song thrush' });
    expect(structuredContent).toEqual({ one: ['breast spotted'], other: ['breast dark'] });
  });

  test('has a page on each bird', async () => {
    const { client } = await connect(guide, { revision });
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({ uri: 'birds://species/great%20tit', name: 'great tit' }),
    );
    const [page] = (await client.readResource({ uri: 'birds://species/great%20tit' })).contents as Message[];
    expect(page.text).toContain('# great tit');
    expect(page.text).toContain('breast: yellow');
    const ref = { type: 'ref/resource' as const, uri: 'birds://species/{name}' };
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'g' } });
    expect(completion.values).toEqual([
      'grey heron',
      'green woodpecker',
      'great spotted woodpecker',
      'great tit',
    ]);
  });
});
