import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { InstallMissing } from '../../../src/engine/extension/installer.js';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ProtocolError } from '../../../src/engine/runtime/result-builders.js';
import { type CallOnce, callOnce } from '../../../src/engine/serve/call-once.js';
import { addFiles, openWorkspace, packageJson, writeFolder, writePackage } from '../../support/packages.js';

type Tools = Readonly<Record<string, object>>;

/** Calls a tool of a package with these tools; gives the result and the lines for stderr. */
async function call(tools: Tools, tool: string, more: Partial<CallOnce> = {}, server?: object) {
  const directory = writePackage(
    { tools: Object.keys(tools), servers: server ? ['main'] : [] },
    { 'agenttools/tools.js': '', 'agenttools/servers.js': '' },
  );
  const loadCode = async (_: string, relative: string) =>
    relative.includes('tools.js') ? { live: tools } : { live: { main: server } };
  const workspace = openWorkspace({ loadCode });
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const report = (line: string) => void lines.push(line);
  const found = await workspace.findServer(directory);
  const result = await callOnce(found, workspace, { tool, args: {}, env: {}, report, signal, ...more });
  return { result, lines };
}

const textOf = async (...args: Parameters<typeof call>) => (await call(...args)).result.content[0]?.text;

describe('a tool is found', () => {
  const tools = {
    item: { name: 'wire', handler: () => 'item' },
    wire2: { name: 'item', handler: () => 'other' },
  };

  test.each([
    ['wire', 'item'],
    ['item', 'other'],
    ['wire2', 'other'],
    ['@acme/kit/item', 'item'],
  ])('by its wire name, or else its item name: %s', async (name, text) => {
    expect(await textOf(tools, name)).toBe(text);
  });

  test.each([
    ['wirr', /@acme\/kit\/kit has no tool "wirr"\. Did you mean "wire"\?/],
    ['banana', /Its tools: wire, item\./],
  ])('lists the tools if the name is unknown: %s', async (name, message) => {
    await expect(call(tools, name)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(message),
    });
  });

  test('fails with the reason if the tool is skipped', async () => {
    await expect(call({ bad: {} }, 'bad')).rejects.toThrow('Tool "bad" has no "handler"');
  });
});

test('gives the context of a call without a client', async () => {
  const facts = (_: unknown, ctx: Context) => ({
    client: ctx.client,
    can: ctx.can('elicitation'),
    version: ctx.protocolVersion,
    server: ctx.server,
    tool: ctx.tool,
    options: ctx.options,
  });
  const env = { MCP_TOOL_OPTIONS: '{"t":{"a":2}}' };
  const { result } = await call({ t: { handler: facts, options: { a: 1, b: 1 } } }, 't', { env });
  expect(result.structuredContent).toEqual({
    client: { capabilities: {} },
    can: false,
    version: 'none',
    server: { name: '@acme/kit/kit', version: '1.2.3' },
    tool: { name: 't' },
    options: { a: 2, b: 1 },
  });
});

test('prints progress and log messages as lines, with any data', async () => {
  const handler = (_: unknown, { progress, log }: Context) => {
    progress(1, { total: 2, message: 'half' });
    progress(2);
    log.debug('quiet');
    log.info('text');
    log.warning({ a: 1 });
    log.error(1n);
    log.notice(new Error('boom'));
  };
  expect((await call({ t: { handler } }, 't')).lines).toEqual([
    'progress: 1 of 2 half',
    'progress: 2',
    'info: text',
    'warning: {"a":1}',
    'error: "1n"',
    'notice: "boom"',
  ]);
});

test('returns the result of a tool, even if it failed', async () => {
  const { result, lines } = await call({ t: { handler: () => Promise.reject(new Error('secret')) } }, 't');
  expect(result).toEqual({ content: [{ type: 'text', text: 'Tool execution failed' }], isError: true });
  expect(lines[0]).toContain('secret');
});

test('fails with a protocol error of the tool', async () => {
  const handler = () => Promise.reject(new ProtocolError(-32050, 'Own', { why: 1 }));
  await expect(call({ t: { handler } }, 't')).rejects.toMatchObject({
    code: 'failed',
    message: 'Own (JSON-RPC error -32050)',
    cause: { code: -32050, data: { why: 1 } },
  });
});

describe('a tool that a client could not use fails here too', () => {
  const person = { answer: async () => ({ action: 'accept', content: {} }) };
  const env = { AGENTTOOLS_EXPOSE_ERRORS: '1' };
  const rows: readonly [string, (ctx: Context) => unknown, string][] = [
    [
      'two questions of one key',
      async (ctx) => [await ctx.elicit('A?', {}, { key: 'k' }), await ctx.elicit('B?', {}, { key: 'k' })],
      'Two questions of one call have the key "k".',
    ],
    [
      'two steps of one key',
      async (ctx) => [await ctx.step('k', () => 1), await ctx.step('k', () => 2)],
      'Two steps of one call have the key "k".',
    ],
    [
      'a question within a step',
      (ctx) => ctx.step('k', () => ctx.elicit('A?', {})),
      'Tool "t" asks the client within a step. Ask before it, and take the answer along.',
    ],
  ];

  test.each(rows)('%s', async (_, run, text) => {
    const handler = (_: unknown, ctx: Context) => run(ctx);
    expect((await call({ t: { handler } }, 't', { person, env })).result).toMatchObject({
      content: [{ text }],
      isError: true,
    });
  });

  test('returns step results as JSON, with or without a user', async () => {
    const handler = (_: unknown, ctx: Context) => ctx.step('k', () => new Date(0)).then((at) => typeof at);
    expect(await textOf({ t: { handler } }, 't', { person })).toBe('string');
    expect(await textOf({ t: { handler } }, 't')).toBe('string');
  });

  test('keeps step keys separate from those in a nested call', async () => {
    const inner = (_: unknown, ctx: Context) => ctx.step('k', () => 'inner');
    const handler = async (_: unknown, ctx: Context) =>
      `${await ctx.step('k', () => 'outer')} ${(await ctx.callTool('inner')).content[0]?.text}`;
    expect(await textOf({ t: { handler }, inner: { handler: inner } }, 't')).toBe('outer inner');
  });
});

test('fails for an unavailable server', async () => {
  await expect(call({ t: { handler: () => 'x' } }, 't', {}, { tools: 5 })).rejects.toMatchObject({
    code: 'invalid-definition',
  });
});

describe('a package that is not installed', () => {
  const missing = '@acme/other/forecast';

  const putOther = (packagesFolder: string) =>
    addFiles(path.join(packagesFolder, '@acme/other'), {
      'package.json': packageJson({ tools: ['forecast'] }, { name: '@acme/other' }),
      'agenttools/tools.js': 'export default { forecast: { handler: () => "sunny" } };',
    });

  /** A server that refers to `@acme/other`, which obtaining puts into our folder. */
  function referring() {
    const packagesFolder = writeFolder();
    const directory = writePackage(
      { servers: ['main'], tools: ['own'] },
      { 'agenttools/servers/main.json': { tools: ['own', missing] }, 'agenttools/tools.js': tools },
    );
    const obtain: InstallMissing = vi.fn(async (_, { onSettled }) => {
      putOther(packagesFolder);
      onSettled?.({ name: '@acme/other', version: '1.2.3' });
      return new Map();
    });
    return { workspace: openWorkspace({ packagesFolder }), directory, obtain };
  }

  const tools = 'export default { own: { handler: () => "own" } };';
  const common = { args: {}, env: {}, report: () => {}, signal: new AbortController().signal };

  test.each([
    ['own', 'own', 0],
    ['forecast', 'sunny', 1],
  ])('is installed if it has the tool: %s', async (tool, text, times) => {
    const { workspace, directory, obtain } = referring();
    const found = await workspace.findServer(directory);
    const report = vi.fn();
    const result = await callOnce(found, workspace, { ...common, tool, obtain, report });
    expect(result.content[0]?.text).toBe(text);
    const added = `Added @acme/other 1.2.3, needed by the server @acme/kit/main for the tool ${missing}.`;
    expect(report.mock.calls).toEqual(times === 0 ? [] : [[added]]);
    expect(obtain).toHaveBeenCalledTimes(times);
  });

  /** A server that refers to packages of which only one can be had. */
  function referringToSeveral() {
    const packagesFolder = writeFolder();
    const entries = ['@no/such/a', missing, { use: '@no/other/b', name: 'renamed' }];
    const directory = writePackage(
      { servers: ['main'] },
      { 'agenttools/servers/main.json': { tools: entries } },
    );
    const obtain: InstallMissing = async (names) => {
      putOther(packagesFolder);
      const lost = names.filter((name) => name.startsWith('@no/'));
      return new Map(lost.map((name) => [name, `the registry has no ${name}`]));
    };
    return { workspace: openWorkspace({ packagesFolder }), directory, obtain };
  }

  test('does not keep a tool of another one from being called', async () => {
    const { workspace, directory, obtain } = referringToSeveral();
    const found = await workspace.findServer(directory);
    const result = await callOnce(found, workspace, { ...common, tool: 'forecast', obtain });
    expect(result.content[0]?.text).toBe('sunny');
  });

  test.each([
    ['a', ['@no/such']],
    ['@no/other/b', ['@no/other']],
    ['renamed', ['@no/such', '@no/other']],
  ])('is reported if it has or may have the tool: %s', async (tool, packages) => {
    const { workspace, directory, obtain } = referringToSeveral();
    const found = await workspace.findServer(directory);
    const error = await callOnce(found, workspace, { ...common, tool, obtain }).catch(
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'failed' });
    const { message } = error as Error;
    expect(message).toContain(`has no tool "${tool}"`);
    const told = ['@no/such', '@no/other'].filter((name) =>
      message.includes(`The package ${name} could not be installed: the registry has no ${name}. Needed by`),
    );
    expect(told).toEqual(packages);
  });

  test('is reported if auto-install is off', async () => {
    const { workspace, directory } = referring();
    const found = await workspace.findServer(directory);
    const calling = callOnce(found, workspace, { ...common, tool: missing });
    await expect(calling).rejects.toThrow('agenttools add @acme/other');
  });
});

describe('tools of existing servers', () => {
  const builtinFolder = path.join(import.meta.dirname, '../../../src/builtin');
  const script = path.join(import.meta.dirname, '../../support/scripted-upstream.mjs');
  const far = { upstream: { command: process.execPath, args: [script, '{"tools":["echo"]}'] } };

  test('are available to a handler that calls them without a list request', async () => {
    const tools = {
      ask: { handler: async (_: unknown, ctx: Context) => await ctx.callTool('echo', { a: 1 }) },
    };
    expect(await textOf(tools, 'ask', {}, { tools: ['ask', far] })).toBe('scripted echoes {"a":1}');
  });

  test('reports a missing server once, in the result', async () => {
    const gone = { upstream: { command: 'no-such-program-here', tool: 'echo' } };
    const { result, lines } = await call({ gone }, 'gone');
    expect(result).toMatchObject({
      isError: true,
      // Nothing is tried again, since all ends with the call.
      content: [
        { text: expect.stringMatching(/there is no program .* Install it, or give its absolute path\.$/) },
      ],
    });
    expect(lines).toEqual([]);
  });

  test('are found in a catalog', async () => {
    const files = { 'agenttools/servers/main.json': { tools: [far], toolList: 'catalog' } };
    const directory = writePackage({ servers: ['main'] }, files);
    const workspace = openWorkspace({ builtinFolder });
    const asked = { env: {}, report: () => {}, signal: new AbortController().signal };
    const say = async (tool: string, args: object) => {
      const found = await workspace.findServer(directory);
      const { content } = await callOnce(found, workspace, { ...asked, tool, args: { ...args } });
      return content[0]?.text;
    };
    expect(await say('find_tools', { query: 'echo' })).toContain('"name":"echo"');
    expect(await say('call_tool', { name: 'echo' })).toBe('scripted echoes {}');
  });
});
