import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { connect, revisions } from '../../support/official-client.js';
import { writeFolder } from '../../support/packages.js';
import { eventually, type Message, runProgram, startProgram } from '../../support/program.js';
import { serveHere } from '../../support/serving-here.js';
import { wireFaults } from '../../support/wire-schema.js';

const authoring = installFixture('authoring');

describe.each(revisions)('a server (%s)', (revision) => {
  const open = async (server: string) => await connect(`${authoring}/${server}`, { revision });
  /** Over a pipe. */
  const start = async (server: string) =>
    await connect(`${authoring}/${server}`, { revision, ownProcess: true });

  test('is started by name, and has its title, version and instructions [L-90, L-91]', async () => {
    const { client } = await open('everything');
    expect(client.getServerVersion()).toMatchObject({
      name: '@acme/authoring/everything',
      title: 'Everything',
      version: '9.8.7',
    });
    expect(client.getInstructions()).toBe('Begin with a greeting.\n\nBe brief.');
    const other = await open('results');
    expect(other.client.getServerVersion()).toMatchObject({ version: '3.1.4' });
  });

  test('has tools, prompts and resources of one extension, in its order, by their wire names [L-01, L-05]', async () => {
    const { client, call, toolNames } = await open('everything');
    expect(await toolNames()).toEqual(['say.hello', 'chatty', 'fragile']);
    expect((await call('say.hello', { name: 'Ada' })).content).toEqual([
      { type: 'text', text: 'Hello, Ada!' },
    ]);
    await expect(call('greet', { name: 'Ada' })).rejects.toMatchObject({ code: -32602 });
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'hello' }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'kit://about' }]);
  });

  test('offers what it has, and no more [L-02, L-03, N-60]', async () => {
    const everything = (await open('everything')).client.getServerCapabilities();
    expect(everything).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    for (const absent of ['elicitation', 'sampling', 'roots', 'completions']) {
      expect(everything).not.toHaveProperty(absent);
    }
    const prompts = (await open('prompts')).client.getServerCapabilities();
    expect(prompts).toMatchObject({ prompts: {}, completions: {} });
    expect(prompts).not.toHaveProperty('tools');
  });

  test('answers every list, be there nothing to list [L-01, L-03, L-06]', async () => {
    // The official client does not ask for what was not offered.
    const program = serveHere(`${authoring}/empty`);
    await program.initialize();
    for (const [method, key] of Object.entries({
      'tools/list': 'tools',
      'prompts/list': 'prompts',
      'resources/list': 'resources',
      'resources/templates/list': 'resourceTemplates',
    })) {
      const ask = { jsonrpc: '2.0', id: method, method, params: modern(revision) };
      expect((await program.ask(ask)).result[key]).toEqual([]);
    }
  });

  test('keeps stdout to the protocol if code prints [L-93]', async () => {
    // A line that is no JSON would end the connection.
    const { textOf, stderr, close } = await start('everything');
    expect(await textOf('chatty')).toBe('said');
    for (const how of ['console', 'the stream', 'descriptor']) {
      await eventually(() => stderr().includes(`printed by ${how}`), `stderr has what was printed by ${how}`);
    }
    await close();
  });

  test('runs the one handler of a tool once, be it that it fails [L-34]', async () => {
    const { call, stderr } = await connect(`${installFixture('authoring')}/everything`, { revision });
    expect(await call('fragile')).toMatchObject({ isError: true });
    expect(await call('fragile')).toMatchObject({ isError: true });
    await eventually(() => stderr().includes('call 2'), 'the second call has failed');
    expect(stderr()).not.toContain('call 3');
  });

  test('is written into the settings of a client, which can start it by them [L-94]', async () => {
    const file = path.join(writeFolder({ 'settings.json': '{}' }), 'settings.json');
    const words = ['install', '--config', file, '--client', 'claude-desktop', `${authoring}/everything`];
    expect(await runProgram([...words, '--no-verify'])).toMatchObject({ code: 0 });
    const [entry] = Object.values(JSON.parse(readFileSync(file, 'utf8')).mcpServers) as Message[];
    const { client, toolNames } = await connect('', { revision, command: entry });
    expect(client.getServerVersion()?.name).toBe('@acme/authoring/everything');
    expect(await toolNames()).toContain('say.hello');
  });

  test('refuses unknown methods and tools, and ignores unknown notifications [L-96, L-47, N-48]', async () => {
    const program = serveHere(`${authoring}/everything`);
    await program.initialize();
    const ask = async (method: string, params: object = {}) =>
      await program.ask({ jsonrpc: '2.0', id: method, method, params: { ...params, ...modern(revision) } });
    expect((await ask('no/such')).error.code).toBe(-32601);
    program.send({ jsonrpc: '2.0', method: 'notifications/no-such', params: {} });
    expect((await ask('tools/call', { name: 'nope', arguments: {} })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('nope'),
    });
    expect((await ask('tools/list')).result.tools).toHaveLength(3);
  });

  test('has all methods, and ends with its input [L-96]', async () => {
    const program = startProgram(`${authoring}/everything`);
    await program.initialize();
    const calls: [string, object][] = [
      ['tools/list', {}],
      ['tools/call', { name: 'say.hello', arguments: { name: 'Ada' } }],
      ['prompts/list', {}],
      ['prompts/get', { name: 'hello' }],
      ['resources/list', {}],
      ['resources/read', { uri: 'kit://about' }],
      ['resources/templates/list', {}],
      ...(revision === '2025-11-25'
        ? [['ping', {}] as [string, object]]
        : [['server/discover', {}] as [string, object]]),
    ];
    for (const [method, params] of calls) {
      const answer = await program.ask({
        jsonrpc: '2.0',
        id: method,
        method,
        params: { ...params, ...modern(revision) },
      });
      expect(answer).toHaveProperty('result');
    }
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

/** What each request says of itself on 2026-07-28. */
function modern(revision: string): object {
  if (revision === '2025-11-25') return {};
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
}

describe('the revision', () => {
  const asked = {
    '2024-11-05': '2024-11-05',
    '2025-03-26': '2025-03-26',
    '2025-06-18': '2025-06-18',
    '2025-11-25': '2025-11-25',
    '2025-07-01': '2025-11-25',
    '2026-07-28': '2025-11-25',
    tomorrow: '2025-11-25',
  };

  test.each(Object.entries(asked))('asked for as %s is %s [L-95]', async (wanted, agreed) => {
    const program = serveHere(`${authoring}/everything`);
    expect((await program.initialize(wanted)).protocolVersion).toBe(agreed);
  });

  const older = ['2024-11-05', '2025-03-26', '2025-06-18'];

  test.each(older)('%s gets nothing that its schema does not know [L-95]', async (revision) => {
    for (const [server, calls] of Object.entries(shown)) {
      const program = serveHere(`${authoring}/${server}`);
      await program.initialize(revision);
      const requests = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
      const answers = [];
      for (const request of requests) answers.push(await program.ask(request));
      const spoken = [
        ...requests.map((message) => ({ by: 'client' as const, message })),
        ...answers.map((message) => ({ by: 'server' as const, message })),
      ];
      expect(wireFaults(revision, spoken)).toEqual([]);
    }
  });
});

const tool = (name: string): [string, object] => ['tools/call', { name, arguments: {} }];

/** What is asked of each server by a client of an older revision: everything that has more than one form. */
const shown: Readonly<Record<string, readonly [method: string, params: object][]>> = {
  results: [
    ['tools/list', {}],
    ...[
      'text',
      'results',
      'structured',
      'list',
      'number',
      'blocks',
      'numbers',
      'error',
      'thrown',
      'mismatch',
    ].map(tool),
  ],
  schemas: [['tools/list', {}]],
  prompts: [
    ['prompts/list', {}],
    ['prompts/get', { name: 'with-media' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'tone', value: '' } },
    ],
  ],
  resources: [
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'kit://log' }],
    ['resources/read', { uri: 'kit://nowhere' }],
  ],
};
