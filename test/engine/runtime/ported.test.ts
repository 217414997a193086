import { expect, test } from 'vitest';
import { compose, openSession } from '../../support/session.js';

/** One extension as a port of another system's package writes it, and as we would: a client cannot tell them apart. */
const ported = {
  manifest: {
    Root: 'defs',
    MCPServers: [{ Name: 'main', Tools: ['weather', 'now'], MCPPrompts: ['greet'] }],
    Tools: [['weather', 'Weather of a city'], { Name: 'now', Parameters: [] }],
    MCPPrompts: [{ Name: 'greet', Arguments: ['name'] }, 'plain'],
  },
  files: {
    'defs/servers/main.json': {
      Name: 'Main',
      MCPServerName: 'key',
      ServerVersion: '3.1.4',
      Transport: 'StandardInputOutput',
      Initialization: './code.js#setUp',
      LLMEvaluator: {
        Tools: ['weather', 'now'],
        MCPPrompts: ['greet', 'plain'],
        Prompts: ['Be brief.', 'Be kind.'],
        Temperature: 0.1,
      },
    },
    'defs/tools.json': {
      weather: {
        Name: 'Weather',
        DisplayName: 'The Weather',
        Description: 'Tells the weather.',
        Function: './code.js#weather',
        Initialization: './code.js#setUp',
        Parameters: [
          ['city', { Interpreter: 'String', Help: 'Which city' }],
          ['days', { Interpreter: ['Restricted', 'Integer', [1, 7]], Required: false }],
          ['unit', { Interpreter: ['Restricted', 'String', ['C', 'F']], Required: false }],
          ['exact', 'Boolean'],
        ],
        Options: { Method: 'fast' },
      },
      now: { Name: 'Now', Function: './code.js#now', Parameters: [] },
    },
    'defs/prompts/greet.json': {
      Name: 'Greet',
      Description: 'Greets somebody.',
      Arguments: [{ Name: 'name', Description: 'Whom', Required: true }, { Name: 'mood' }],
      Type: 'Function',
      Content: './code.js#greet',
    },
    'defs/prompts/plain.json': { Name: 'Plain', Type: 'Automatic', Content: 'Hello, {{name}}.' },
  },
};

const ours = {
  manifest: {
    root: 'defs',
    servers: [{ name: 'main', tools: ['weather', 'now'], prompts: ['greet'] }],
    tools: [['weather', 'Weather of a city'], { name: 'now', parameters: [] }],
    prompts: [{ name: 'greet', arguments: ['name'] }, 'plain'],
  },
  files: {
    'defs/servers/main.json': {
      name: 'Main',
      configKey: 'key',
      version: '3.1.4',
      transport: 'stdio',
      initialize: './code.js#setUp',
      tools: ['weather', 'now'],
      prompts: ['greet', 'plain'],
      instructions: ['Be brief.', 'Be kind.'],
    },
    'defs/tools.json': {
      weather: {
        name: 'Weather',
        title: 'The Weather',
        description: 'Tells the weather.',
        handler: './code.js#weather',
        initialize: './code.js#setUp',
        input: [
          ['city', { type: 'string', required: true, description: 'Which city' }],
          ['days', { type: 'integer', min: 1, max: 7 }],
          ['unit', { type: 'enum', values: ['C', 'F'] }],
          ['exact', { type: 'boolean', required: true }],
        ],
        options: { Method: 'fast' },
      },
      now: { name: 'Now', handler: './code.js#now' },
    },
    'defs/prompts/greet.json': {
      name: 'Greet',
      description: 'Greets somebody.',
      arguments: [{ name: 'name', description: 'Whom', required: true }, { name: 'mood' }],
      type: 'function',
      content: './code.js#greet',
    },
    'defs/prompts/plain.json': { name: 'Plain', type: 'auto', content: 'Hello, {{name}}.' },
  },
};

const code = `
  let ready = 0;
  export const setUp = () => { ready++; };
  export const weather = (args, ctx) => ({ args, ready: ready > 0, options: ctx.options });
  export const now = () => 'noon';
  export const greet = ({ name, mood = 'fine' }) => \`Hello, \${name}, \${mood}!\`;
`;

/** Everything a client can see of an extension. */
async function seen({ manifest, files }: typeof ported | typeof ours) {
  const served = await compose(manifest, { ...files, 'code.js': code });
  const views = [];
  for (const era of ['legacy', 'modern'] as const) {
    const { request } = await openSession(served, { era });
    views.push({
      tools: await request('tools/list'),
      prompts: await request('prompts/list'),
      resources: await request('resources/list'),
      weather: await request('tools/call', { name: 'Weather', arguments: { city: 'Ostwick', exact: true } }),
      wrong: await request('tools/call', { name: 'Weather', arguments: { days: 9 } }),
      now: await request('tools/call', { name: 'Now' }),
      greet: await request('prompts/get', { name: 'Greet', arguments: { name: 'Ada' } }),
      plain: await request('prompts/get', { name: 'Plain' }),
      discover: era === 'modern' && (await request('server/discover')),
    });
  }
  const { info, instructions, configKey, leftOut } = served.spec;
  return { views, server: { info, instructions, configKey }, leftOut, reports: served.reports };
}

test('ported spelling and our own serve the same', async () => {
  const [theirs, own] = [await seen(ported), await seen(ours)];
  expect(theirs).toEqual(own);
  expect([own.leftOut, own.reports]).toEqual([[], []]);
});

test('serves the ported items as intended', async () => {
  const { views, server } = await seen(ported);
  expect(server).toEqual({
    info: { name: 'Main', version: '3.1.4' },
    instructions: 'Be brief.\n\nBe kind.',
    configKey: 'key',
  });
  const { tools, prompts, weather, wrong, greet, plain } = views[0]!;
  expect(tools.tools.map(({ name, title }: Record<string, unknown>) => [name, title])).toEqual([
    ['Weather', 'The Weather'],
    ['Now', 'now'],
  ]);
  expect(tools.tools[0].inputSchema.required).toEqual(['city', 'exact']);
  expect(tools.tools[1].inputSchema).toEqual({ type: 'object', properties: {} });
  expect(prompts.prompts).toEqual([
    {
      name: 'Greet',
      title: 'greet',
      description: 'Greets somebody.',
      arguments: [
        { name: 'name', description: 'Whom', required: true },
        { name: 'mood', required: false },
      ],
    },
    { name: 'Plain', title: 'plain', arguments: [] },
  ]);
  expect(weather.structuredContent).toEqual({
    args: { city: 'Ostwick', exact: true },
    ready: true,
    options: { Method: 'fast' },
  });
  expect(wrong.isError).toBe(true);
  expect(greet.messages[0].content.text).toBe('Hello, Ada, fine!');
  expect(plain.messages[0].content.text).toBe('Hello, {{name}}.');
});
