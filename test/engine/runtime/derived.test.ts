import { renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Extension } from '../../../src/engine/extension/extension.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { callOnce } from '../../../src/engine/serve/call-once.js';
import { type Files, openWorkspace, writeFolder, writePackage } from '../../support/packages.js';

const library = `
export const order = (b, a = 'none', ctx) => [a, b, ctx.tool.name];
export const whole = (args) => args;
export const rest = (first, ...others) => ({ first, others });
export const dates = (when) => ({ year: when.getUTCFullYear(), when, tags: new Set(['a']), bytes: new Uint8Array([104]), at: new URL('https://a.example/') });
export const nothing = () => undefined;
export const text = () => 'Hello';
export const number = () => 3;
export const failing = () => { throw new Error('broken'); };
`;

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
});
const any = { type: 'object', properties: {} };

const functions = {
  './lib.js#order': {
    title: 'Order',
    description: 'In order.',
    category: 'Derived',
    annotations: { readOnlyHint: true, idempotentHint: true },
    inputSchema: object({ b: { type: 'string' }, a: { type: 'string' } }, ['b']),
    outputSchema: { type: 'array', items: { type: 'string' } },
    parameters: [{ name: 'b' }, { name: 'a' }, { context: true }],
  },
  './lib.js#whole': { inputSchema: object({ x: {} }), outputSchema: any, parameters: [{ whole: true }] },
  './lib.js#rest': {
    inputSchema: object({ first: {}, others: { type: 'array' } }),
    outputSchema: any,
    parameters: [{ name: 'first' }, { name: 'others', rest: true }],
  },
  './lib.js#dates': {
    inputSchema: object({ when: { type: 'string', format: 'date-time' } }, ['when']),
    outputSchema: object({
      year: { type: 'number' },
      when: { type: 'string', format: 'date-time' },
      tags: { type: 'array', items: { type: 'string' } },
      bytes: { type: 'string', contentEncoding: 'base64' },
      at: { type: 'string', format: 'uri' },
    }),
    casts: { '/properties/when': 'Date' },
    parameters: [{ name: 'when' }],
  },
  './lib.js#nothing': { title: 'nothing', inputSchema: any, parameters: [] },
  './lib.js#maybe': {
    inputSchema: any,
    outputSchema: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    parameters: [],
  },
  './lib.js#text': { inputSchema: any, outputSchema: { type: 'string' }, parameters: [] },
  './lib.js#number': { hidden: true, inputSchema: any, outputSchema: { type: 'number' }, parameters: [] },
  './lib.js#failing': { inputSchema: any, parameters: [] },
};

const names = ['order', 'whole', 'rest', 'dates', 'nothing', 'text', 'failing'];

function kit(manifest: object, files: Files = {}, tools: object = {}): string {
  const definitions = names.map((name) => [`agenttools/tools/${name}.json`, { handler: `./lib.js#${name}` }]);
  return writePackage(manifest, {
    'lib.js': `${library}\nexport const maybe = () => undefined;`,
    'agenttools/derived.json': { version: 1, files: {}, functions, tools },
    ...Object.fromEntries(definitions),
    ...files,
  });
}

async function call(directory: string, tool: string, args: Readonly<Record<string, unknown>>) {
  const workspace = openWorkspace();
  const { signal } = new AbortController();
  const options = { tool, args, env: {}, report: () => {}, signal };
  return await callOnce(await workspace.findServer(directory), workspace, options);
}

async function compose(directory: string) {
  const workspace = openWorkspace();
  return await composeServer(await workspace.findServer(directory), workspace);
}

describe('a tool that leaves its arguments to its function', () => {
  test('is listed with what was derived', async () => {
    const { registry } = await compose(kit({ tools: names }));
    expect(registry.resolve('tools', 'order')!.wire).toEqual({
      name: 'order',
      title: 'Order',
      description: 'In order.',
      inputSchema: functions['./lib.js#order'].inputSchema,
      outputSchema: functions['./lib.js#order'].outputSchema,
      annotations: functions['./lib.js#order'].annotations,
      _meta: { category: 'Derived' },
    });
  });

  test('keeps its own title, description and output', async () => {
    const written = {
      handler: './lib.js#order',
      title: 'Written',
      description: 'By hand.',
      category: null,
      annotations: { readOnlyHint: false },
      output: { type: 'array' },
      visible: true,
    };
    const directory = kit({ tools: ['order'] }, { 'agenttools/tools/order.json': written });
    const { registry } = await compose(directory);
    expect(registry.resolve('tools', 'order')!.wire).toEqual({
      name: 'order',
      title: 'Written',
      description: 'By hand.',
      inputSchema: functions['./lib.js#order'].inputSchema,
      outputSchema: { type: 'array' },
      annotations: { readOnlyHint: false, idempotentHint: true },
    });
  });

  test('with a separate input gets one object', async () => {
    const written = { handler: './lib.js#whole', input: { y: 'string' } };
    const directory = kit({ tools: ['whole'] }, { 'agenttools/tools/whole.json': written });
    expect((await call(directory, 'whole', { x: 1, y: 'a' })).structuredContent).toEqual({ y: 'a' });
  });

  test.each([
    ['order', { a: '1', b: '2' }, ['1', '2', 'order']],
    ['order', { b: '2' }, ['none', '2', 'order']],
    ['whole', { x: 1, y: 2 }, { x: 1, y: 2 }],
    ['rest', { first: 1, others: [2, 3] }, { first: 1, others: [2, 3] }],
    ['rest', {}, { others: [] }],
    [
      'dates',
      { when: '2001-02-03T04:05:06Z' },
      { year: 2001, when: '2001-02-03T04:05:06.000Z', tags: ['a'], bytes: 'aA==', at: 'https://a.example/' },
    ],
  ])('is given its arguments by their names: %s %o', async (tool, args, result) => {
    const { structuredContent, content, isError } = await call(kit({ tools: names }), tool, args);
    expect({ structuredContent, isError }).toEqual({ structuredContent: result, isError: undefined });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(result) }]);
  });

  test('gives nothing as success, text as text, and null where something may be missing', async () => {
    const directory = kit(
      { tools: [...names, 'maybe'] },
      { 'agenttools/tools/maybe.json': { handler: './lib.js#maybe' } },
    );
    expect(await call(directory, 'nothing', {})).toEqual({ content: [{ type: 'text', text: 'Success' }] });
    expect(await call(directory, 'text', {})).toEqual({
      content: [{ type: 'text', text: 'Hello' }],
      structuredContent: 'Hello',
    });
    expect(await call(directory, 'maybe', {})).toMatchObject({ structuredContent: null });
  });

  test('fails as handlers fail', async () => {
    expect(await call(kit({ tools: names }), 'failing', {})).toEqual({
      content: [{ type: 'text', text: 'Tool execution failed' }],
      isError: true,
    });
    const { content, isError } = await call(kit({ tools: names }), 'dates', { when: 'soon' });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('Invalid arguments for tool "dates": "when" must match format');
  });

  test('is the same by other spellings of its handler', async () => {
    const files = { 'agenttools/tools/whole.json': { Function: './x/../lib.js#whole' } };
    const { registry } = await compose(kit({ tools: ['whole'] }, files));
    expect(registry.resolve('tools', 'whole')!.wire.inputSchema).toEqual(
      functions['./lib.js#whole'].inputSchema,
    );
  });

  test('can be listed in a server, alone or in a toolkit', async () => {
    const server = {
      tools: [
        { name: 'a', handler: './lib.js#order' },
        { tools: [{ name: 'b', handler: './lib.js#order' }] },
        { use: 'order', name: 'c', arguments: { a: 'pinned' } },
      ],
    };
    const directory = kit({ tools: ['order'], servers: ['one'] }, { 'agenttools/servers/one.json': server });
    for (const [tool, result] of [
      ['a', ['none', 'x', 'a']],
      ['b', ['none', 'x', 'b']],
      ['c', ['pinned', 'x', 'c']],
    ] as const) {
      expect((await call(directory, tool, { b: 'x' })).structuredContent).toEqual(result);
    }
  });
});

describe('a function marked as a tool', () => {
  const tools = { 'in.order': './lib.js#order', number: './lib.js#number', other: './other.js#x' };
  const marked = (manifest: object) =>
    kit(manifest, {
      'agenttools/derived.json': {
        version: 1,
        files: {},
        functions: { ...functions, './other.js#x': functions['./lib.js#text'] },
        tools,
      },
    });

  test('is an item that the manifest names', async () => {
    const directory = marked({ tools: ['in.order'] });
    expect((await call(directory, 'in.order', { b: 'x' })).structuredContent).toEqual([
      'none',
      'x',
      'in.order',
    ]);
    const extension = await Extension.open(directory);
    expect(await extension.definition('tools', 'in.order')).toMatchObject({
      file: { file: 'agenttools/derived.json', language: 'data' },
      value: { handler: './lib.js#order', title: 'Order' },
    });
  });

  test('is one of a toolkit that is a module, and no other', async () => {
    const directory = marked({ tools: [{ toolkit: 'lib', module: './lib.js' }] });
    const extension = await Extension.open(directory);
    expect((await extension.declared('tools')).map(({ name }) => name)).toEqual(['in.order', 'number']);
    const { registry } = await compose(directory);
    expect(registry.all('tools').map(({ name, hidden }) => [name, hidden])).toEqual([
      ['in.order', false],
      ['number', true],
    ]);
  });

  test('is left out with its reason where nothing was derived', async () => {
    const directory = writePackage(
      { tools: [{ toolkit: 'lib', module: './lib.js' }] },
      { 'lib.js': library },
    );
    const { leftOut } = await compose(directory);
    expect(leftOut.map(({ code, message }) => [code, message])).toEqual([
      ['missing-definition', 'Toolkit "lib" has no agenttools/derived.json. Run "agenttools derive".'],
    ]);
  });
});

test('a sidecar that is a link out of the package is not read', async () => {
  const directory = kit({ tools: ['order'] });
  const target = path.join(directory, 'agenttools/derived.json');
  const outside = path.join(writeFolder(), 'derived.json');
  renameSync(target, outside);
  symlinkSync(outside, target);
  const { leftOut } = await compose(directory);
  expect(leftOut.map(({ item, code }) => [item, code])).toEqual([['order', 'path-outside-package']]);
});

test.each([
  ['{', /derived\.json: /],
  ['{ "version": 2 }', /not what this version of "agenttools derive" writes/],
  [
    JSON.stringify({
      version: 1,
      files: {},
      functions: { './lib.js#whole': { inputSchema: {} } },
      tools: {},
    }),
    /not what this/,
  ],
  [JSON.stringify({ version: 1, files: {}, functions: {}, tools: { a: './lib.js#a' } }), /not what this/],
])('reports an invalid sidecar for each tool that needs it: %s', async (text, message) => {
  const written = {
    'agenttools/derived.json': text,
    'agenttools/tools/text.json': { handler: './lib.js#text', input: {} },
  };
  const { leftOut } = await compose(kit({ tools: ['order', 'text'] }, written));
  expect(leftOut.map(({ item, code }) => [item, code])).toEqual([['order', 'invalid-definition']]);
  expect(leftOut[0]!.message).toMatch(message);
});
