import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { readCases } from '../../../src/engine/testing/case-files.js';
import { CaseSnapshots } from '../../../src/engine/testing/case-snapshots.js';
import { runCases } from '../../../src/engine/testing/run-cases.js';
import type { TestCase } from '../../../src/engine/testing/test-case.js';
import { extensionServers, type OpenServers } from '../../../src/engine/testing/test-servers.js';
import { writePackage } from '../../support/packages.js';

const tools = `
const ask = async (args, ctx) => {
  const answer = await ctx.elicit('Which city?', { city: 'string' });
  return answer.action === 'accept' ? 'You are in ' + answer.content.city : answer.action;
};
export default {
  ask: { description: 'Asks.', handler: ask },
  count: { description: 'Counts.', handler: () => 3, output: { type: 'integer' } },
  point: { description: 'A point.', handler: () => ({ x: 1, list: [1, 2, 3] }) },
  fail: { description: 'Fails.', handler: () => { throw Object.assign(new Error('no'), {}); } },
  work: { description: 'Works.', handler: (args, ctx) => {
    ctx.progress(1, { total: 2, message: 'half' });
    ctx.log.warning({ slow: true });
    ctx.notifyChanged('tools');
    return 'done';
  } },
  model: { description: 'Asks the model.', handler: async (args, ctx) =>
    (await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Sum up' } }], maxTokens: 9 })).content.text },
  folders: { description: 'Lists folders.', handler: async (args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join() },
  env: { description: 'A variable.', options: { unit: 'm' }, handler: (args, ctx) => [process.env.PLACE, ctx.options.unit, process.pid].join(' ') },
  hang: { description: 'Hangs.', handler: () => new Promise(() => {}) },
  who: { description: 'The client.', handler: (args, ctx) => ctx.client.name + ' ' + ctx.protocolVersion },
};
`;

const names = ['ask', 'count', 'point', 'fail', 'work', 'model', 'folders', 'env', 'hang', 'who'];

const files = {
  'agenttools/tools.js': tools,
  'agenttools/prompts/topic.json': {
    arguments: [{ name: 'topic', complete: ['cats', 'dogs'] }],
    content: { template: 'About {{topic}}' },
  },
  'agenttools/servers/kit.js': `export default {
    tools: ${JSON.stringify(names)}, prompts: ['topic'], resources: ['note'],
    list: { tools: (ctx, registry) => registry.list() },
  };`,
  'agenttools/resources/note.json': { uri: 'note://a', text: 'A note' },
};

let servers: OpenServers | undefined;

afterEach(async () => {
  await servers?.close();
  servers = undefined;
});

async function open(): Promise<string> {
  const directory = writePackage(
    { tools: names, prompts: ['topic'], resources: ['note'], servers: ['kit'] },
    files as never,
  );
  const { PATH, HOME } = process.env;
  const host = {
    cwd: directory,
    env: { PATH, HOME, AGENTTOOLS_HOME: directory },
    home: directory,
    platform: process.platform,
    stderr: new PassThrough().resume(),
  };
  servers = await extensionServers(directory, { host, report: () => {} });
  return directory;
}

async function run(cases: readonly TestCase[], { update = false, directory = '' } = {}) {
  const folder = directory || (await open());
  const loaded = cases.map((one, index) => ({
    name: `case ${index}`,
    ...one,
    place: { file: 'a.case.json', line: 1, column: 1 },
  }));
  const snapshots = new CaseSnapshots(folder);
  const results = await runCases(loaded, servers!, {
    snapshots,
    update,
    signal: new AbortController().signal,
  });
  return { results, snapshots, loaded, directory: folder };
}

describe('a case', () => {
  const passing: readonly TestCase[] = [
    {
      name: 'accepts a question',
      tool: 'ask',
      elicit: [{ question: 'city', accept: { city: 'Rome' } }],
      expect: { text: 'You are in Rome' },
    },
    { name: 'declines a question', tool: 'ask', elicit: [{ decline: true }], expect: { text: 'decline' } },
    { name: 'cancels a question', tool: 'ask', elicit: [{ cancel: true }], expect: { text: 'cancel' } },
    { name: 'has a client that cannot ask', tool: 'ask', era: 'legacy', expect: { error: 'elicitation' } },
    { name: 'has a client that must ask', tool: 'ask', era: 'modern', expect: { error: { code: -32021 } } },
    {
      name: 'expects a value of both eras',
      tool: 'count',
      expect: { value: 3, schema: { type: 'integer' } },
    },
    { name: 'expects a part', tool: 'point', expect: { contains: { list: [1, 3] } } },
    { name: 'expects a failed tool', tool: 'fail', expect: { error: true } },
    { name: 'expects a protocol error', tool: 'nope', expect: { error: { code: -32602, pattern: 'nope' } } },
    {
      name: 'expects notifications in order',
      tool: 'work',
      expect: {
        notifications: [
          { progress: { progress: 1, message: 'half' } },
          { log: { level: 'warning', data: { slow: true } } },
        ],
      },
    },
    { name: 'expects a change of a list', tool: 'work', expect: { notifications: [{ changed: 'tools' }] } },
    {
      name: 'answers as the model',
      tool: 'model',
      sample: [{ question: '^Sum', answer: 'Short' }],
      expect: { text: 'Short' },
    },
    {
      name: 'has folders',
      tool: 'folders',
      roots: ['file:///a', { uri: 'file:///b' }],
      expect: { text: 'file:///a,file:///b' },
    },
    { name: 'has another variable', tool: 'env', env: { PLACE: 'here' }, expect: { pattern: '^here m ' } },
    { name: 'has other options', tool: 'env', options: { unit: 'km' }, expect: { pattern: '^ km ' } },
    {
      name: 'has another client',
      tool: 'who',
      client: 'cursor',
      era: 'legacy',
      expect: { text: 'cursor-vscode 2025-11-25' },
    },
    { name: 'gets a prompt', prompt: 'topic', arguments: { topic: 'cats' }, expect: { text: 'About cats' } },
    {
      name: 'reads a resource',
      resource: 'note://a',
      expect: { contains: [{ uri: 'note://a' }], text: 'A note' },
    },
    {
      name: 'completes an argument',
      complete: { prompt: 'topic', argument: 'topic', value: 'c' },
      expect: { value: ['cats'] },
    },
    { name: 'lists tools', list: 'tools', expect: { contains: [{ name: 'count' }, { name: 'who' }] } },
  ];

  test('passes for what the server does, in both eras, on one server for equal settings', async () => {
    const { results } = await run(passing);
    const failed = results.filter(({ failures }) => failures.length > 0);
    expect(failed.map(({ case: one, era, failures }) => [one.name, era, failures])).toEqual([]);
    expect(results).toHaveLength(passing.length * 2 - 3);
  });

  test.each<[string, TestCase, string]>([
    ['another text', { tool: 'who', expect: { text: 'x' } }, 'The text differs.'],
    ['another value', { tool: 'point', expect: { value: { x: 2 } } }, 'The value differs.'],
    [
      'a missing part',
      { tool: 'point', expect: { contains: { y: 1 } } },
      'The value lacks an expected part.',
    ],
    [
      'a value that does not fit',
      { tool: 'count', expect: { schema: { type: 'string' } } },
      'The value does not fit the schema',
    ],
    ['an unexpected failure', { tool: 'fail' }, 'The tool failed'],
    [
      'an unexpected success',
      { tool: 'point', expect: { error: true } },
      'Expected an error, and the call succeeded.',
    ],
    [
      'another protocol error',
      { tool: 'nope', expect: { error: { code: -1 } } },
      'Expected the error -1, and got -32602',
    ],
    [
      'an unexpected question',
      { tool: 'ask', elicit: [] },
      'The server asked "Which city?", and there is no answer for it.',
    ],
    [
      'another question',
      { tool: 'ask', elicit: [{ question: 'age', decline: true }] },
      'Expected a question like /age/',
    ],
    [
      'a question that is not asked',
      { tool: 'who', elicit: [{ question: 'age', decline: true }] },
      'did not ask the expected question /age/',
    ],
    [
      'a missing notification',
      { tool: 'who', expect: { notifications: [{ log: { pattern: 'x' } }] } },
      'did not come',
    ],
    [
      'an unknown server',
      { server: 'other', tool: 'who' },
      'There is no server "other". Servers: @acme/kit/kit.',
    ],
    ['no answer in time', { tool: 'hang', timeoutMs: 100 }, 'The server gave no answer within 0.1 s.'],
    ['no snapshot', { tool: 'point', expect: { snapshot: true } }, 'agenttools test --update'],
  ])('fails for %s', async (_name, one, message) => {
    const { results } = await run([{ era: 'legacy', ...one }]);
    expect(results).toHaveLength(1);
    expect(results[0]?.failures.map((failure) => failure.message).join('\n')).toContain(message);
  });

  test('compares with its snapshot, of any era', async () => {
    const one: TestCase = { name: 'n', tool: 'count', expect: { snapshot: true } };
    const first = await run([one], { update: true });
    expect(await first.snapshots.write(first.loaded)).toEqual(['a.case.snapshot.json']);
    const { directory } = first;
    expect((await run([one], { directory })).results.map(({ failures }) => failures)).toEqual([[], []]);
    const { results } = await run([{ ...one, tool: 'point' }], { directory });
    expect(results.map(({ failures }) => failures[0]?.message)).toEqual([
      'The result differs from its snapshot.',
      'The result differs from its snapshot.',
    ]);
    const { cases } = await readCases(directory);
    expect(cases).toEqual([]);
  });
});
