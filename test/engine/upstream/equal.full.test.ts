import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../support/program.js';
import { type Message, openBench, withoutTasks } from './support.js';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-equal-')));
writeFileSync(path.join(folder, 'note.txt'), 'remember');
const direct: Client[] = [];

afterAll(async () => {
  for (const client of direct) await client.close();
});

const anything = {
  '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) },
};
const methods = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

/** The same requests to a server from npm directly, and through AgentTools. */
async function open(name: string, args: readonly string[]) {
  const env = { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl'), PATH: process.env.PATH ?? '' };
  const program = path.join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  const place = { command: process.execPath, args: [program, ...args], env, cwd: folder };
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
  const client = new Client(
    { name: 'direct', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  );
  client.setRequestHandler('roots/list', async () => ({ roots: [] }));
  await client.connect(new StdioClientTransport({ ...place, stderr: 'ignore' }));
  direct.push(client);
  const bench = await openBench([{ place }]);
  return async (method: string, params: object = {}): Promise<readonly [Message, Message]> => {
    const ask = client.request({ method, params } as never, anything);
    const theirs = await ask.catch(({ code, message, data }) => ({ code, message, ...(data && { data }) }));
    return [theirs, await bench.request(method, params)];
  };
}

const requests: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  everything: [
    ['tools/call', { name: 'echo', arguments: { message: 'hi' } }],
    [
      'tools/call',
      { name: 'get-annotated-message', arguments: { messageType: 'error', includeImage: true } },
    ],
    ['tools/call', { name: 'get-structured-content', arguments: { location: 'Chicago' } }],
    ['tools/call', { name: 'get-resource-links', arguments: { count: 2 } }],
    ['tools/call', { name: 'echo', arguments: {} }],
    ['prompts/get', { name: 'simple-prompt' }],
    ['prompts/get', { name: 'args-prompt', arguments: { city: 'Rome', state: 'x' } }],
    ['prompts/get', { name: 'args-prompt' }],
    ['resources/read', { uri: 'demo://resource/static/document/features.md' }],
    [
      'completion/complete',
      completion({ type: 'ref/prompt', name: 'completable-prompt' }, 'department', 'E'),
    ],
    [
      'completion/complete',
      completion(
        { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
        'resourceId',
        '1',
      ),
    ],
  ],
  filesystem: [
    ['tools/call', { name: 'read_text_file', arguments: { path: path.join(folder, 'note.txt') } }],
    ['tools/call', { name: 'read_text_file', arguments: { path: '/etc/hostname' } }],
  ],
  memory: [['tools/call', { name: 'read_graph', arguments: {} }]],
};

function completion(ref: object, name: string, value: string): object {
  return { ref, argument: { name, value } };
}

describe.each([
  ['everything', []],
  ['filesystem', [folder]],
  ['memory', []],
] as const)('the server %s from npm', (name, args) => {
  test('has the same lists and answers through AgentTools', async () => {
    const both = await open(name, args);
    for (const [method, key] of Object.entries(methods)) {
      const [theirs, ours] = await both(method);
      // A server without a kind answers with an error, AgentTools with an empty list.
      expect([method, ours[key]]).toEqual([method, withoutTasks(theirs[key])]);
    }
    for (const [method, params] of requests[name]!) {
      const [theirs, ours] = await both(method, params);
      expect([params, ours]).toEqual([params, theirs]);
    }
  });
});

test('everything: a tool that requires tasks runs', async () => {
  const both = await open('everything', []);
  await both('tools/list');
  const [, ours] = await both('tools/call', {
    name: 'simulate-research-query',
    arguments: { topic: 'sea', ambiguous: false },
  });
  expect(ours.content[0].text).toContain('sea');
}, 60_000);
