import { beforeAll, describe, expect, test } from 'vitest';
import { type Connected, connect, installFixture, revisions } from '../../support/official-client.js';

const authoring = installFixture('authoring');

describe.each(revisions)('hidden things (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    server = await connect(`${authoring}/visibility`, { revision });
  });

  test('are not listed, and are called by name; hidden wins over visible [N-10, N-24, N-29]', async () => {
    expect(await server.toolNames()).toEqual(['shown', 'contradictory', 'categorized', 'greet-visible']);
    expect(await server.textOf('hidden')).toBe('hidden was called');
    expect(await server.textOf('invisible')).toBe('invisible was called');
  });

  test('are those that an entry hides, too [N-25]', async () => {
    expect(await server.textOf('greet-hidden', { name: 'Ada' })).toBe('Hello, Ada!');
    expect(await server.textOf('greet-visible', { name: 'Ada' })).toBe('Hello, Ada!');
  });

  test('are prompts, resources and templates as well [N-24]', async () => {
    const { client } = server;
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['shout']);
    expect((await client.getPrompt({ name: 'whisper' })).messages).toHaveLength(1);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['kit://shown']);
    expect((await client.readResource({ uri: 'kit://hidden' })).contents).toMatchObject([{ text: 'hidden' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  });
});

describe.each(revisions)('categories (%s)', (revision) => {
  test('are in _meta beside what else is there, over what stands there [N-05, N-09, N-20, N-22]', async () => {
    const { tool } = await connect(`${authoring}/visibility`, { revision });
    expect((await tool('categorized'))._meta).toEqual({ 'acme.example/floor': 3, category: 'Attic' });
    expect(await tool('shown')).not.toHaveProperty('_meta');
  });

  test('are given by an entry too [N-21]', async () => {
    const { tool } = await connect(`${authoring}/visibility`, { revision });
    expect((await tool('greet-visible'))._meta).toEqual({ category: 'attic' });
    expect((await tool('greet-visible')).description).toBe('Another greeting.');
  });
});
