import { describe, expect, test } from 'vitest';
import { type ConnectOptions, connect, type Revision, revisions } from '../support/official-client.js';
import { writePackage } from '../support/packages.js';

const names = Array.from({ length: 200 }, (_, index) => `tool_${index}`);

const directory = writePackage(
  { tools: [...names, 'ask', 'table'], servers: ['plain', 'catalog'] },
  {
    'agenttools/servers/plain.json': { tools: '*' },
    'agenttools/servers/catalog.json': { tools: '*', toolList: 'catalog', instructions: 'Be kind.' },
    'agenttools/tools.js': `
      const numbered = ${JSON.stringify(names)}.map((name, index) => [
        name,
        { description: 'Gives the number ' + index + '.', output: { n: 'integer' }, handler: () => ({ n: index }) },
      ]);
      const ask = async (_args, ctx) => {
        const { action, content } = await ctx.elicit('Who?', { name: { type: 'string', required: true } });
        return action === 'accept' ? 'Hello, ' + content.name + '!' : action;
      };
      const table = { description: 'Gives a table.', outputSchema: { type: 'array' }, handler: () => [[1], [2]] };
      export default { ...Object.fromEntries(numbered), ask: { description: 'Asks.', handler: ask }, table };`,
  },
);

const fronts = ['find_tools', 'inspect_tool', 'call_tool'];

async function open(server: string, revision: Revision, more: Partial<ConnectOptions> = {}) {
  return await connect(`${directory}/${server}`, { revision, ...more });
}

describe.each(revisions)('a server with very many tools (%s)', (revision) => {
  test('lists three tools, by which the others are found, inspected and called', async () => {
    const { client, toolNames, call } = await open('catalog', revision);
    expect(await toolNames()).toEqual(fronts);
    expect(client.getInstructions()).toMatch(
      /^Be kind\.\n\nThe tools of this server .* find them with find_tools,/,
    );
    const found = await call('find_tools', { query: 'number 77' });
    expect(found.structuredContent.tools[0]).toEqual({
      name: 'tool_77',
      description: 'Gives the number 77.',
    });
    const inspected = await call('inspect_tool', { names: ['tool_77'] });
    expect(inspected.structuredContent.tools[0].outputSchema.properties).toEqual({ n: { type: 'integer' } });
    expect(await call('call_tool', { name: 'tool_77' })).toEqual(await call('tool_77'));
    expect(await call('call_tool', { name: 'table', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: '[[1],[2]]' }],
      structuredContent: revision === '2026-07-28' ? [[1], [2]] : { result: [[1], [2]] },
    });
  });

  test('asks the user through call_tool as it would without', async () => {
    const { call } = await open('catalog', revision, {
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }) },
    });
    expect((await call('call_tool', { name: 'ask' })).content[0].text).toBe('Hello, Ada!');
  });

  test.each([
    ['plain', 'catalog', fronts],
    ['catalog', 'all', [...names, 'ask', 'table']],
    ['plain', '', [...names, 'ask', 'table']],
  ])('lists what the user wants: %s, AGENTTOOLS_TOOL_LIST=%s', async (server, wanted, expected) => {
    const { toolNames, stderr } = await open(server, revision, { env: { AGENTTOOLS_TOOL_LIST: wanted } });
    expect(await toolNames()).toEqual(expected);
    expect(stderr()).toBe('');
  });

  test('reports an invalid setting of the user', async () => {
    const { toolNames, stderr } = await open('plain', revision, { env: { AGENTTOOLS_TOOL_LIST: 'none' } });
    expect(await toolNames()).toHaveLength(202);
    expect(stderr()).toContain('AGENTTOOLS_TOOL_LIST is "none" and is ignored. Expected "all" or "catalog".');
  });
});
