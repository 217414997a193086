import { describe, expect, test } from 'vitest';
import { importDefault } from '../../../src/engine/extension/extension.js';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { type Files, writePackage } from '../../support/packages.js';
import { root } from '../../support/program.js';
import { compose, openSession } from '../../support/session.js';
import { optionsFor } from '../validate/support/validating.js';

/** Modules with objects of the same shape as those of the libraries. */
const zod = `import { z } from '${root}/node_modules/zod/index.js';`;
const zod3 = `import { z } from '${root}/node_modules/zod/v3/index.js';`;
const aiMark = `[Symbol.for('vercel.ai.schema')]: true`;

/** A package with one tool in code. `version` is the version of the package `ai` that it has. */
function toolFiles(source: string, version?: string): Files {
  const library = { name: 'ai', version, main: 'index.js' };
  return {
    'agenttools/tools/x.js': source,
    ...(version !== undefined && {
      'node_modules/ai/package.json': library,
      'node_modules/ai/index.js': '',
    }),
  };
}

async function serve(manifest: object, files: Files) {
  const composed = await compose(manifest, files, { loadCode: importDefault });
  const session = await openSession(composed);
  const { tools } = await session.request('tools/list');
  const call = async (name: string, args: object = {}) =>
    await session.request('tools/call', { name, arguments: args });
  return { ...composed, tools, call };
}

const serveTool = (source: string, version?: string) => serve({ tools: ['x'] }, toolFiles(source, version));

/** Errors of a tool as `validate` and as a server report them. */
async function faultsOf(source: string, more: Files = {}): Promise<readonly string[]> {
  const files = { ...toolFiles(source), ...more };
  const { spec } = await compose({ tools: ['x'] }, files, { loadCode: importDefault });
  const { diagnostics } = await validateExtension(
    writePackage({ tools: ['x'] }, files, { private: true }),
    optionsFor(),
  );
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const served = spec.leftOut.map(({ code, message }) => `${code} ${message}`);
  const reported = errors.map(({ code, message }) => `${code} ${message}`);
  expect(reported.map((one) => one.replace(/\.$/, ''))).toEqual(served.map((one) => one.replace(/\.$/, '')));
  return reported;
}

describe('a tool of the AI SDK', () => {
  test.each(['inputSchema', 'parameters'])('is a definition with its schema under %s', async (key) => {
    const { tools, call } = await serveTool(`${zod}
      export default {
        description: 'Weather of a city.',
        ${key}: z.object({ city: z.string(), days: z.number().default(2) }),
        execute: async (args, { abortSignal, toolCallId, messages }) =>
          ({ args, isSignal: abortSignal instanceof AbortSignal, toolCallId, messages }),
      };`);
    expect(tools).toMatchObject([
      {
        name: 'x',
        description: 'Weather of a city.',
        inputSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]);
    expect((await call('x', { city: 'Ostwick' })).structuredContent).toEqual({
      args: { city: 'Ostwick', days: 2 },
      isSignal: true,
      toolCallId: expect.stringMatching(/./),
      messages: [],
    });
    expect(await call('x', { city: 3 })).toMatchObject({ isError: true });
  });

  test('keeps further keys of a definition, and drops keys without meaning here', async () => {
    const source = `${zod}
      export default { inputSchema: z.object({}), execute: () => 1, strict: true, providerOptions: {},
        annotations: { readOnlyHint: true } };`;
    const { tools } = await serveTool(source);
    expect(tools[0].annotations).toEqual({ readOnlyHint: true });
    const { diagnostics } = await validateExtension(
      writePackage({ tools: ['x'] }, toolFiles(source)),
      optionsFor(),
    );
    expect(diagnostics.map(({ code }) => code)).not.toContain('unknown-definition-key');
  });

  const jsonSchema = `{ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }`;

  test.each([
    ['jsonSchema()', `{ ${aiMark}, jsonSchema: ${jsonSchema} }`],
    ['a promise of a schema', `{ ${aiMark}, get jsonSchema() { return Promise.resolve(${jsonSchema}); } }`],
    ['a function that returns a schema', `() => ({ ${aiMark}, jsonSchema: ${jsonSchema} })`],
    ['a plain JSON Schema', jsonSchema],
  ])('can have %s', async (_, schema) => {
    const { tools, call } = await serveTool(
      `export default { inputSchema: ${schema}, execute: ({ n }) => 'n is ' + n };`,
    );
    expect(tools[0].inputSchema).toMatchObject({ properties: { n: { type: 'number' } }, required: ['n'] });
    expect(await call('x', { n: 3 })).toMatchObject({ content: [{ text: 'n is 3' }] });
    expect(await call('x', { n: 'three' })).toMatchObject({ isError: true });
  });

  test('is checked by the own check of its schema', async () => {
    const { call } = await serveTool(`
      const validate = ({ n }) => n > 0 ? { success: true, value: { n: n * 2 } }
        : { success: false, error: Object.assign(new Error('x'), { issues: [{ message: 'too small', path: ['n'] }] }) };
      export default { inputSchema: { ${aiMark}, validate, jsonSchema: ${jsonSchema} }, execute: ({ n }) => n };`);
    expect(await call('x', { n: 3 })).toMatchObject({ content: [{ text: '6' }] });
    const { isError, content } = await call('x', { n: 0 });
    expect({ isError, text: content[0].text }).toMatchObject({
      isError: true,
      text: expect.stringContaining('too small'),
    });
  });

  test.each([
    ['5.0.277', '(output) => ({ type: "text", value: "told " + output })'],
    ['6.0.326', '({ output }) => ({ type: "text", value: "told " + output })'],
    [undefined, '({ output }) => ({ type: "text", value: "told " + output })'],
  ])('version %s sends the model the content of toModelOutput', async (version, toModelOutput) => {
    const { call } = await serveTool(
      `${zod} export default { inputSchema: z.object({}), execute: () => 'it', toModelOutput: ${toModelOutput} };`,
      version,
    );
    expect(await call('x')).toEqual({ content: [{ type: 'text', text: 'told it' }] });
  });

  test.each([
    [`{ type: 'json', value: { a: 1 } }`, { content: [{ type: 'text', text: '{"a":1}' }] }],
    [`{ type: 'error-text', value: 'no' }`, { content: [{ type: 'text', text: 'no' }], isError: true }],
    [`{ type: 'execution-denied' }`, { content: [{ type: 'text', text: 'Denied.' }], isError: true }],
    [
      `{ type: 'content', value: [{ type: 'text', text: 't' }, { type: 'media', data: 'AA==', mediaType: 'image/png' },
        { type: 'file-url', url: 'https://a.example/b.pdf' }] }`,
      {
        content: [
          { type: 'text', text: 't' },
          { type: 'image', data: 'AA==', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'https://a.example/b.pdf', name: 'https://a.example/b.pdf' },
        ],
      },
    ],
  ])('sends the model %s', async (told, result) => {
    const { call } = await serveTool(
      `${zod} export default { inputSchema: z.object({}), execute: () => 1, toModelOutput: () => (${told}) };`,
    );
    expect(await call('x')).toEqual(result);
  });

  test('with an output schema has a structured result beside the text for the model', async () => {
    const { call } = await serveTool(`${zod}
      export default { inputSchema: z.object({}), outputSchema: z.object({ a: z.number() }), execute: () => ({ a: 1 }),
        toModelOutput: () => ({ type: 'text', value: 'one' }) };`);
    expect(await call('x')).toEqual({
      content: [{ type: 'text', text: 'one' }],
      structuredContent: { a: 1 },
    });
  });

  test('returns the last of several results', async () => {
    const { call } = await serveTool(
      `${zod} export default { inputSchema: z.object({}), execute: async function* () { yield 'a'; yield 'b'; } };`,
    );
    expect(await call('x')).toMatchObject({ content: [{ text: 'b' }] });
  });

  test.each(['true', '() => false'])('with needsApproval %s asks the user', async (needsApproval) => {
    const { spec } = await serveTool(
      `${zod} export default { inputSchema: z.object({}), execute: () => 1, needsApproval: ${needsApproval} };`,
    );
    expect(spec.registry.list('tools').items).toMatchObject([{ isConfirmed: true }]);
  });

  const keyed = `${zod} export default {
    one: { inputSchema: z.object({}), execute: () => 'first' },
    two: { description: 'Own form.', handler: () => 'second' },
  };`;

  test.each([
    ['a combined file', { tools: ['one', 'two'] }, 'agenttools/tools.js', keyed],
    ['a toolkit by name', { tools: [{ toolkit: 'kit' }] }, 'agenttools/tools/kit.js', keyed],
    [
      'a toolkit with a list',
      { tools: [{ toolkit: 'kit' }] },
      'agenttools/tools/kit.js',
      `${zod} export default { category: 'C', tools: [
        { name: 'one', inputSchema: z.object({}), execute: () => 'first' },
        { name: 'two', handler: () => 'second' }] };`,
    ],
  ])('can be in %s', async (_, manifest, file, source) => {
    const { tools, call } = await serve(manifest, { [file]: source });
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['one', 'two']);
    expect(await call('one')).toMatchObject({ content: [{ text: 'first' }] });
    expect(await call('two')).toMatchObject({ content: [{ text: 'second' }] });
    const { diagnostics } = await validateExtension(writePackage(manifest, { [file]: source }), optionsFor());
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

test.each([
  ['a toolkit', { tools: [{ toolkit: 'kit' }] }, 'agenttools/tools/kit.js', 'Toolkit "kit": "ask"'],
  ['a combined file', { tools: ['one', 'ask'] }, 'agenttools/tools.js', 'Tool "ask": "ask"'],
])('a tool of the AI SDK without execute is named in %s', async (_, manifest, file, what) => {
  const source = `${zod} export default {
    one: { inputSchema: z.object({}), execute: () => 1 },
    ask: { description: 'Asks.', inputSchema: z.object({}) },
  };`;
  const { diagnostics } = await validateExtension(writePackage(manifest, { [file]: source }), optionsFor());
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
    `${what} is a tool of the AI SDK without "execute", so a server cannot run it. Give it an "execute", or leave it out of the export.`,
  ]);
});

test('a tool of LangChain is a definition', async () => {
  const { tools, call } = await serveTool(`${zod}
    class StructuredTool { constructor() { Object.assign(this, { name: 'weather', description: 'Weather.',
      schema: z.object({ city: z.string() }), lc_namespace: ['langchain'], self: this }); }
      async invoke(args, { signal }) { return this.name + ' of ' + args.city + ' ' + signal.aborted; } }
    export default new StructuredTool();`);
  expect(tools).toMatchObject([{ name: 'weather', inputSchema: { required: ['city'] } }]);
  expect(await call('weather', { city: 'Ostwick' })).toMatchObject({
    content: [{ text: 'weather of Ostwick false' }],
  });
});

describe('a schema of zod 3', () => {
  const source = `${zod3} export default { input: z.object({ n: z.number().default(1) }), handler: ({ n }) => n };`;

  test('names the ways to a JSON Schema', async () => {
    expect(await faultsOf(source)).toEqual([
      'invalid-input-schema Tool "x" has an unusable "input": A zod 3 schema provides no JSON Schema. Use zod 4, import "zod/v4" (zod 3.25 or later), or run: npm install zod-to-json-schema.',
    ]);
  });

  test.each([
    [
      'zod-to-json-schema',
      `exports.zodToJsonSchema = (schema, { pipeStrategy }) => convert(schema, pipeStrategy);`,
    ],
    ['ai', `exports.zodSchema = (schema) => ({ jsonSchema: Promise.resolve(convert(schema)) });`],
  ])('is converted by %s of the package', async (name, module) => {
    const { tools, call } = await serve(
      { tools: ['x'] },
      {
        ...toolFiles(source),
        [`node_modules/${name}/package.json`]: { name, version: '6.0.0' },
        [`node_modules/${name}/index.js`]: `${module}
          const convert = (schema, from) => ({ type: 'object', properties: { n: { type: 'number', title: schema._def.typeName + ' ' + from } } });`,
      },
    );
    expect(tools[0].inputSchema.properties.n.title).toBe(
      name === 'ai' ? 'ZodObject undefined' : 'ZodObject input',
    );
    expect(await call('x')).toMatchObject({ content: [{ text: '1' }] });
  });

  test('is named with its key if it is no Standard Schema', async () => {
    const old = `{ _def: { typeName: 'ZodObject' }, parse() {}, safeParse() {} }`;
    expect(await faultsOf(`export default { input: ${old}, handler() {} };`)).toEqual([
      'invalid-definition Tool "x": "input" is a schema of zod 3.23 or older. Use zod 4, or import "zod/v4" (zod 3.25 or later).',
    ]);
  });
});

test('a schema of zod 4 before 4.2 is converted by its own package', async () => {
  const { tools } = await serve(
    { tools: ['x'] },
    {
      ...toolFiles(`export default { handler: () => 1, input:
        { _zod: {}, '~standard': { version: 1, vendor: 'zod', validate: (value) => ({ value }) } } };`),
      'node_modules/zod/package.json': {
        name: 'zod',
        version: '4.0.0',
        exports: { './v4/core': './core.cjs' },
      },
      'node_modules/zod/core.cjs': `exports.toJSONSchema = (_, { io }) => ({ type: 'object', title: io });`,
    },
  );
  expect(tools[0].inputSchema).toMatchObject({ type: 'object', title: 'input' });
});

test.each(['input', 'inputSchema'])('members of an object schema under %s are named', async (key) => {
  const source = `${zod} export default { ${key}: { city: z.string() }, handler() {} };`;
  expect(await faultsOf(source)).toEqual([
    `invalid-input-schema Tool "x" has an unusable "${key}": Its members are zod schemas. Make them one schema of an object, z.object({ … }), under "input".`,
  ]);
});

describe('an MCP server in place of a definition', () => {
  const sdk = 'node_modules/@modelcontextprotocol/sdk';
  const stub: Files = {
    [`${sdk}/package.json`]: { name: '@modelcontextprotocol/sdk', type: 'module' },
    [`${sdk}/server/mcp.js`]: `export class McpServer { registerTool() {} async connect() {} }`,
    'node_modules/fastmcp/package.json': { name: 'fastmcp', type: 'module', main: 'index.js' },
    'node_modules/fastmcp/index.js': `export class FastMCP { addTool() {} async start() {} }`,
  };
  const mcp = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'; const server = new McpServer();`;

  test.each([
    ['exported', `${mcp} export default server;`, 'an object of class McpServer, not a definition', false],
    [
      'started',
      `${mcp} await server.connect({});`,
      'a module without a default export. It exports nothing',
      true,
    ],
    [
      'of FastMCP',
      `import { FastMCP } from 'fastmcp'; export default new FastMCP();`,
      'an object of class FastMCP, not a definition',
      false,
    ],
  ])('is named: %s', async (_, source, what, starts) => {
    const faults = await faultsOf(source, stub);
    const program = starts ? 'agenttools/tools/x.js' : '<the file that starts it>';
    expect(faults).toEqual([
      expect.stringContaining(
        `invalid-definition Tool "x": agenttools/tools/x.js is ${what}. This module is an MCP server. To use it as it is: "agenttools validate -- node ${program}", or in a server definition`,
      ),
    ]);
  });

  test('is named if it fails to load', async () => {
    const [fault] = await faultsOf(`${mcp} throw new Error('no key');`, stub);
    expect(fault).toMatch(/^definition-failed .*: no key\. This module is an MCP server\./);
  });
});

test.each([
  ['export const weather = {};', 'Write "export default weather"'],
  ['export const a = 1, b = 2;', 'It exports a, b'],
])('a module without default export is reported with its exports: %s', async (source, wayOut) => {
  expect(await faultsOf(source)).toEqual([
    `invalid-definition Tool "x": agenttools/tools/x.js is a module without a default export. ${wayOut}.`,
  ]);
});

describe('definitions in folders of related systems', () => {
  const manifest = { tools: ['forecast'], servers: ['weather'] };
  const tool = { description: 'F', handler: './h.js' };

  async function codesIn(files: Files): Promise<readonly string[]> {
    const folder = writePackage(manifest, { 'h.js': 'export default () => 1;', ...files });
    const { diagnostics } = await validateExtension(folder, optionsFor());
    return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  }

  test.each([
    ['Tools', 'agenttools/Tools/forecast.json', 'agenttools/Tools', 'agenttools/tools'],
    ['beside the root', 'Tools/Forecast.wl', 'Tools', 'agenttools/tools'],
    ['small letters beside the root', 'tools/forecast.json', 'tools', 'agenttools/tools'],
    ['a combined file', 'agenttools/Tools.json', 'agenttools/Tools.json', 'agenttools/tools.json'],
  ])('are named: %s', async (_, file, found, expected) => {
    const messages = await codesIn({ [file]: tool, 'agenttools/servers/weather.json': {} });
    expect(messages).toEqual([
      `Tool "forecast" has no definition. Expected agenttools/tools/forecast.json. ${found} is not read. Rename it to ${expected}.`,
    ]);
  });

  test('are named for servers', async () => {
    const messages = await codesIn({
      'agenttools/tools/forecast.json': tool,
      'agenttools/MCPServers/weather.json': {},
    });
    expect(messages).toEqual([
      'Server "weather" has no definition. Expected agenttools/servers/weather.json. agenttools/MCPServers is not read. Rename it to agenttools/servers.',
    ]);
  });

  test('are named if the root is missing', async () => {
    expect(await codesIn({ 'AgentTools/Tools/forecast.json': tool })).toEqual([
      expect.stringMatching(
        /^There is no folder "agenttools".* AgentTools\/Tools is not read\. Rename it to agenttools\/tools\.$/,
      ),
    ]);
  });

  test('are not guessed from other folders', async () => {
    const messages = await codesIn({ 'tools/build.js': '', 'agenttools/servers/weather.json': {} });
    expect(messages).toEqual(['Tool "forecast" has no definition. Expected agenttools/tools/forecast.json.']);
  });
});
