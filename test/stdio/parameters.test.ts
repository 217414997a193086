import { beforeAll, describe, expect, test } from 'vitest';
import { installPackage } from '../support/installed.js';
import { type Connected, connect, revisions } from '../support/official-client.js';

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    unit: { enum: ['c', 'f', 'k'], default: 'c' },
    days: { type: 'integer' },
  },
  required: ['place'],
};

const files = {
  'agenttools/tools/raw.json': { description: 'Raw.', inputSchema: schema, handler: './run.js' },
  'agenttools/tools/fields.json': {
    description: 'Fields.',
    input: {
      place: { type: 'string', required: true },
      unit: { type: 'enum', values: ['c', 'f', 'k'], default: 'c' },
      days: 'integer',
    },
    handler: './run.js',
  },
  'run.js': 'export default (args) => args;',
  'agenttools/servers/main.js': `
    import { defineServer, tool, use } from 'agenttools';
    const parameters = {
      place: { name: 'city', description: 'Where' },
      unit: { enum: ['c', 'f'] },
      days: { hidden: true, default: 2 },
    };
    const own = tool({ input: ${JSON.stringify(JSON.stringify(schema))} }, function own(args) { return args; });
    export default defineServer({
      tools: [
        { use: 'raw', parameters },
        { use: 'fields', parameters },
        use(own, { parameters }),
        { use: 'catalog', hidden: true, parameters: { include_hidden: { hidden: true, default: false } } },
      ],
    });
  `,
};

describe.each(revisions)('arguments that a server changes (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    const manifest = { tools: ['raw', 'fields'], servers: ['main'] };
    server = await connect(installPackage(manifest, files), { revision });
  });

  test.each(['raw', 'fields', 'own'])(
    'are listed and taken as changed, and arrive as the tool knows them: %s',
    async (name) => {
      expect((await server.tool(name)).inputSchema).toMatchObject({
        properties: {
          city: { type: 'string', description: 'Where' },
          unit: { enum: ['c', 'f'], default: 'c' },
        },
        required: ['city'],
      });
      expect(Object.keys((await server.tool(name)).inputSchema.properties ?? {})).toEqual(['city', 'unit']);
      const { structuredContent } = await server.call(name, { city: 'Bonn', unit: 'f', days: 9 });
      expect(structuredContent).toEqual({ place: 'Bonn', unit: 'f', days: 2 });
    },
  );

  test.each([
    [{ place: 'Bonn' }, '"city" is required at /city'],
    [{ city: 'Bonn', unit: 'k' }, '"unit" must be one of: c, f at /unit'],
    [{ city: 5 }, '"city" must be string at /city'],
  ])('are refused in the words that clients know: %j', async (args, told) => {
    for (const name of ['raw', 'fields', 'own']) {
      const { isError, content } = await server.call(name, args);
      expect([isError, content[0].text]).toEqual([true, `Invalid arguments for tool "${name}": ${told}`]);
    }
  });

  test('match the catalog, whose arguments are changed, too', async () => {
    const { structuredContent } = await server.call('catalog', { type: 'tools', include_hidden: true });
    const { tools } = structuredContent as { tools: { name: string; inputSchema: { properties: object } }[] };
    expect(tools.map(({ name }) => name)).toEqual(['raw', 'fields', 'own']);
    for (const { inputSchema } of tools)
      expect(Object.keys(inputSchema.properties)).toEqual(['city', 'unit']);
  });
});
