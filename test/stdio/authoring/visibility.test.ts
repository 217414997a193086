import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';

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
  test('are added to _meta and replace a category there [N-05, N-09, N-20, N-22]', async () => {
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

describe.each(revisions)('lists that a server decides on (%s)', (revision) => {
  const open = async () => await connect(`${authoring}/doors`, { revision });
  const always = ['public', 'unlock', 'count', 'change', 'touch'];

  test('go by the session where there are sessions, and by nothing of the connection else [N-50, N-51, N-52]', async () => {
    const { toolNames, textOf, hears } = await open();
    expect(await toolNames()).toEqual(always);
    if (revision === '2025-11-25') {
      expect(await textOf('unlock')).toBe('unlocked');
      await hears('notifications/tools/list_changed');
      expect(await toolNames()).toEqual(['public', 'power', 'unlock', 'count', 'change', 'touch']);
      return;
    }
    expect(await textOf('unlock')).toBe('there is no session');
    expect(await toolNames()).toEqual(always);
  });

  test('do not restrict calls [N-29, N-50]', async () => {
    const { textOf } = await open();
    expect(await textOf('power')).toBe('for those who know');
  });

  test('are of one session, whose values stay; values of a call do not [N-51]', async () => {
    const { call, textOf } = await open();
    const first = (await call('count')).structuredContent;
    const second = (await call('count')).structuredContent;
    const counts = revision === '2025-11-25' ? [1, 2] : [1, 1];
    expect([first, second]).toEqual(counts.map((count) => ({ count, local: 1 })));
    await textOf('unlock');
    expect(await (await open()).toolNames()).toEqual(always);
  });
});

describe.each(revisions)('clients that want to know of changes (%s)', (revision) => {
  const kinds = ['tools', 'prompts', 'resources'] as const;

  test('are notified of each changed list [N-52, L-101]', async () => {
    const { client, call, hears, heard } = await connect(`${authoring}/doors`, { revision });
    for (const kind of kinds) {
      expect(client.getServerCapabilities()?.[kind]).toMatchObject({ listChanged: true });
    }
    if (revision === '2026-07-28') {
      const subscription = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
      });
      expect(subscription.honoredFilter).toMatchObject({ toolsListChanged: true });
    }
    for (const kind of kinds) {
      await call('change', { kind });
      await hears(`notifications/${kind}/list_changed`);
    }
    expect(kinds.map((kind) => heard(`notifications/${kind}/list_changed`).length)).toEqual([1, 1, 1]);
  });

  test('are notified of a subscribed resource until they unsubscribe [N-61]', async () => {
    const { client, call, hears, heard } = await connect(`${authoring}/doors`, { revision });
    const uri = 'kit://watched';
    const end =
      revision === '2025-11-25'
        ? await client
            .subscribeResource({ uri })
            .then(() => async () => void (await client.unsubscribeResource({ uri })))
        : await client.listen({ resourceSubscriptions: [uri] }).then((one) => async () => await one.close());
    await call('touch', { uri });
    await call('touch', { uri: 'kit://still' });
    expect(await hears('notifications/resources/updated')).toMatchObject([{ params: { uri } }]);
    await end();
    await call('touch', { uri });
    // What is sent before an answer comes before it.
    await call('public');
    expect(heard('notifications/resources/updated')).toHaveLength(1);
  });

  test('does not notify clients without a subscription [N-61]', async () => {
    const { call, heard } = await connect(`${authoring}/doors`, { revision });
    await call('touch', { uri: 'kit://watched' });
    await call('public');
    expect(heard('notifications/resources/updated')).toEqual([]);
  });
});
