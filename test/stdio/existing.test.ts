// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExistingRecords } from '../../src/engine/existing-servers/existing-records.js';
import { writeFolder } from '../support/packages.js';
import { openProgram, type Program, startProgram } from '../support/program.js';
import { recordedServers, serveRecordings } from '../support/recorded-servers.js';
import { ticketsServer } from '../support/tickets-server.js';

let recordings: Awaited<ReturnType<typeof serveRecordings>>;
beforeAll(async () => {
  recordings = await serveRecordings();
});
afterAll(async () => await recordings.close());

const { initialize, exchanges } = recordedServers.everything!;
const recordedTools = exchanges.find(({ method }) => method === 'tools/list')!.result!.tools as readonly {
  readonly name: string;
}[];

/** A server with one tool, which has a long result. */
const longServer = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'log', version: '1.0.0' } },
    'tools/list': { tools: [{ name: 'log', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'One line of many.\\n'.repeat(5000) }] },
  };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n');
});
`;

async function toolNames(program: Program): Promise<readonly string[]> {
  const { tools } = await program.request('tools/list');
  return tools.map(({ name }: { name: string }) => name);
}

describe.concurrent('start of an existing server', () => {
  // The first handshake waits at most two seconds for the name. Later ones have it from the record of the first start.
  test('serves a remote server over stdio with its name, version and instructions', async () => {
    const env = { AGENTTOOLS_HOME: writeFolder() };
    const names = recordedTools.map(({ name }) => name);
    const first = await openProgram(recordings.urlOf('everything'), { env });
    expect(await toolNames(first)).toEqual(names);
    // The record is written when all lists are known.
    for (const list of ['prompts/list', 'resources/list', 'resources/templates/list'])
      await first.request(list);
    expect(await first.end()).toEqual({ code: 0, signal: null });

    const program = startProgram(recordings.urlOf('everything'), { env });
    const { serverInfo, instructions } = await program.initialize();
    expect(serverInfo).toEqual(initialize.serverInfo);
    expect(instructions).toBe(initialize.instructions);
    expect(await toolNames(program)).toEqual(names);
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });

  test('chooses, prefixes and renames its tools', async () => {
    const flags = ['--only', 'echo,get-sum', '--prefix', 'ev_', '--rename', 'get-sum=sum'];
    const program = await openProgram(recordings.urlOf('everything'), { flags });
    expect(await toolNames(program)).toEqual(['ev_echo', 'sum']);
    await program.end();
  });

  test('lists a catalog in place of its tools', async () => {
    const program = await openProgram(recordings.urlOf('mongodb'), { flags: ['--catalog'] });
    expect(await toolNames(program)).toEqual(['find_tools', 'inspect_tool', 'call_tool']);
    await program.end();
  });

  test('runs a command after "--" with the environment of the client, without the variables of AgentTools', async () => {
    const folder = writeFolder({ 'server.mjs': ticketsServer });
    const flags = ['--', process.execPath, path.join(folder, 'server.mjs')];
    const program = await openProgram(undefined, { flags, env: { TOKEN: 'open', MCP_SERVER_NAME: 'x' } });
    expect(await toolNames(program)).toEqual(['toolopen']);
    await program.end();
  });

  test('cuts long results to the limit of a client, and has their rest as resources', async () => {
    const folder = writeFolder({ 'server.mjs': longServer });
    const flags = ['--adapt', '--', process.execPath, path.join(folder, 'server.mjs')];
    const program = startProgram(undefined, { flags });
    const { capabilities } = await program.initialize('2025-06-18', {}, 'codex-mcp-client');
    expect(capabilities.resources).toBeDefined();
    expect(await toolNames(program)).toEqual(['log']);
    const { content } = await program.call('log');
    expect(content[0].text).toMatch(/For the rest, read the resource agenttools:\S+\/2 of this server\.\]$/);
    const uri = content[1].uri;
    const { contents } = await program.request('resources/read', { uri });
    expect(contents).toEqual([{ uri, mimeType: 'text/plain', text: 'One line of many.\n'.repeat(5000) }]);
    await program.end();
  });

  test('starts a recorded server without the network, and follows its update', async () => {
    const home = writeFolder({ 'server.mjs': ticketsServer });
    const reference = 'io.github.acme/tickets@1.0.0';
    const records = new ExistingRecords(path.join(home, 'data'));
    const record = async (version: string, ...words: readonly string[]) =>
      await records.write(`io.github.acme/tickets@${version}`, {
        source: 'registry',
        reference: `io.github.acme/tickets@${version}`,
        name: 'tickets',
        version,
        inputs: [],
        template: {
          kind: 'program',
          runner: { by: 'command', command: process.execPath },
          args: [{ words: [[path.join(home, 'server.mjs')]] }, ...words.map((word) => ({ words: [[word]] }))],
          env: {},
        },
        notes: [],
      });
    await record('1.0.0');
    const env = { AGENTTOOLS_HOME: path.join(home, 'data'), AGENTTOOLS_MCP_REGISTRY: 'none' };
    const program = await openProgram(reference, { env });
    expect(await toolNames(program)).toEqual(['tool']);
    await record('2.0.0', 'new');
    await records.supersede(reference, 'io.github.acme/tickets@2.0.0');
    await program.take(({ method }) => method === 'notifications/tools/list_changed', 'a changed list');
    expect(await toolNames(program)).toEqual(['toolnew_']);
    await program.end();
    const unknown = startProgram('io.github.acme/other@1.0.0', { env });
    expect(await unknown.exit).toEqual({ code: 1, signal: null });
    expect(unknown.stderr).toContain('The MCP Registry is turned off');
  });

  test('takes inputs from variables', async () => {
    const folder = writeFolder({ 'server.mjs': ticketsServer });
    const command = ['--', process.execPath, path.join(folder, 'server.mjs')];
    const flags = ['--arg-env', 'first=WORD', ...command];
    const program = await openProgram(undefined, { flags, env: { WORD: 'one' } });
    expect(await toolNames(program)).toEqual(['toolfirst-one_']);
    await program.end();
    const failed = startProgram(undefined, { flags });
    expect((await failed.exit).code).toBe(2);
    expect(failed.stderr).toContain('The variable WORD is not set, and first needs its value.');
  });

  test.each([
    [
      ['--only', 'a', '--header-env', 'X=Y'],
      '@acme/none',
      '--header-env and --only are for existing MCP servers, and start gets "@acme/none". Leave them out',
    ],
    [['--rename', 'a'], 'https://example.test/mcp', '"a" renames no tool'],
    [
      ['--header', 'X-Key: ${NO_SUCH_KEY}'],
      'https://example.test/mcp',
      'The variable NO_SUCH_KEY is not set',
    ],
  ])('refuses %j', async (flags, server, message) => {
    const program = startProgram(server, { flags });
    expect((await program.exit).code).not.toBe(0);
    expect(program.stderr).toContain(message);
  });
});
