import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import type { Message } from '../../support/program.js';

const names = (section: Message) => section.map(({ name }: Message) => name);

const authoring = installFixture('authoring');

describe.each(revisions)('the catalog tool (%s)', (revision) => {
  let server: Connected;
  const catalog = async (args: object = {}) => (await server.call('catalog', { ...args })).structuredContent;

  beforeAll(async () => {
    server = await connect(`${authoring}/visibility`, { revision });
  });

  test('lists everything, hidden things and itself too, by section [N-32, N-33, N-36, N-37]', async () => {
    const all = await catalog();
    expect(Object.keys(all)).toEqual(['tools', 'prompts', 'resources', 'resource_templates']);
    expect(names(all.tools)).toEqual([
      'shown',
      'hidden',
      'invisible',
      'contradictory',
      'categorized',
      'greet-hidden',
      'greet-visible',
      'catalog',
    ]);
    expect(names(all.prompts)).toEqual(['whisper', 'shout']);
    expect(names(all.resources)).toEqual(['shown', 'hidden']);
    expect(names(all.resource_templates)).toEqual(['room']);
    expect(await server.toolNames()).not.toContain('catalog');
  });

  test('returns each entry in full, with hidden and category [N-20, N-36, N-38]', async () => {
    const { tools } = await catalog({ type: 'tools' });
    const listed = await server.tool('greet-visible');
    expect(tools.find(({ name }: Message) => name === 'greet-visible')).toEqual({
      ...listed,
      hidden: false,
      category: 'attic',
    });
    expect(tools.find(({ name }: Message) => name === 'hidden')).toMatchObject({
      inputSchema: { type: 'object' },
      hidden: true,
      category: 'Cellar',
    });
    expect(tools.find(({ name }: Message) => name === 'shown')).not.toHaveProperty('category');
  });

  test.each(['tools', 'prompts', 'resources', 'resource_templates'])(
    'has only the section asked for (%s) [N-33, N-36]',
    async (type) => {
      expect(Object.keys(await catalog({ type }))).toEqual([type]);
    },
  );

  test('searches names, descriptions and URIs, ignoring case [N-34]', async () => {
    const found = await catalog({ query: 'SHOWN' });
    expect([names(found.tools), names(found.prompts), names(found.resources)]).toEqual([
      ['shown'],
      [],
      ['shown'],
    ]);
    expect(names((await catalog({ query: 'another GREET' })).tools)).toEqual(['greet-visible']);
    expect(names((await catalog({ query: 'KIT://hid' })).resources)).toEqual(['hidden']);
    expect(names((await catalog({ query: '{room}' })).resource_templates)).toEqual(['room']);
  });

  test('filters by category, ignoring case, and omits entries without one [N-35]', async () => {
    const attic = await catalog({ category: 'ATTIC' });
    expect(names(attic.tools)).toEqual(['categorized', 'greet-visible']);
    expect(names(attic.prompts)).toEqual(['shout']);
    expect(attic.resources).toEqual([]);
    expect((await catalog({ category: 'att' })).tools).toEqual([]);
  });

  test('omits hidden items with include_hidden: false [N-33]', async () => {
    const visible = await catalog({ include_hidden: false });
    expect(names(visible.tools)).toEqual(await server.toolNames());
    expect(names(visible.prompts)).toEqual(['shout']);
  });

  test('refuses other arguments [N-33, N-40]', async () => {
    expect(await server.call('catalog', { type: 'servers' })).toMatchObject({ isError: true });
  });
});

describe.each(revisions)('a server that lists three tools for all (%s)', (revision) => {
  test('has the others found, looked at and called [N-32, N-37, N-43]', async () => {
    const server = await connect(`${authoring}/many-tools`, { revision });
    expect(await server.toolNames()).toEqual(['find_tools', 'inspect_tool', 'call_tool']);
    const found = (await server.call('find_tools', { query: 'greet somebody' })).structuredContent;
    expect(names(found.tools)).toEqual(['say.hello']);
    const { tools } = (await server.call('inspect_tool', { names: ['say.hello'] })).structuredContent;
    expect(tools).toMatchObject([{ name: 'say.hello', inputSchema: { required: ['name'] } }]);
    const answer = await server.call('call_tool', { name: 'say.hello', arguments: { name: 'Ada' } });
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    // Hidden, not forbidden.
    expect(await server.textOf('say.hello', { name: 'Ada' })).toBe('Hello, Ada!');
  });

  test('fails as the tool would [N-40]', async () => {
    const server = await connect(`${authoring}/many-tools`, { revision });
    for (const call of [{ name: 'say.hello' }, { name: 'nothing' }, { name: 'fragile' }]) {
      expect(await server.call('call_tool', call)).toMatchObject({ isError: true });
    }
  });

  test('is what a user may make of any server, questions and all [L-60, N-37]', async () => {
    const server = await connect(`${authoring}/elicitation`, {
      revision,
      env: { AGENTTOOLS_TOOL_LIST: 'catalog' },
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }) },
    });
    expect(await server.toolNames()).toEqual(['find_tools', 'inspect_tool', 'call_tool']);
    expect(await server.textOf('call_tool', { name: 'ask_name' })).toBe('Hello, Ada!');
  });
});
