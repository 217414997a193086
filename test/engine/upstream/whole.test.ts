import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bench, eventually, openBench, pairs, scripted } from './support.js';

const dataFolder = mkdtempSync(path.join(tmpdir(), 'agenttools-records-'));

const inputSchema = { type: 'object' };
const asTask = (name: string, taskSupport: string) => ({ name, inputSchema, execution: { taskSupport } });
const capabilities = { elicitation: { form: {}, url: {} } };
const named = (bench: Bench) => bench.names();

describe('tools that run as tasks', () => {
  const tools = [asTask('long', 'required'), asTask('long ask', 'required'), asTask('echo', 'optional')];
  const choice = { rename: { 'long ask': 'ask' } };

  test('run as tasks of the upstream server, and are listed and called like others', async () => {
    const far = scripted({ era: 'legacy', tools, tasks: true });
    const { request, call } = await openBench([{ place: far.place, choice }]);
    expect((await request('tools/list')).tools).toEqual([
      { name: 'long', inputSchema },
      { name: 'ask', inputSchema },
      { name: 'echo', inputSchema },
    ]);
    expect(await call('long')).toEqual({ content: [{ type: 'text', text: 'task done' }] });
    expect(far.noted()).toEqual(expect.arrayContaining(['poll 1', 'poll 2']));
    expect((await call('echo')).content[0].text).toBe('scripted echoes {}');
  });

  test('ask the client while they run', async () => {
    const far = scripted({ era: 'legacy', tools, tasks: true });
    const bench = await openBench([{ place: far.place, choice }], { capabilities });
    const called = bench.call('ask');
    const { id } = await bench.hears('elicitation/create');
    bench.pipe.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Ada' } } });
    expect((await called).content[0].text).toBe('task for Ada');
  });

  test('are cancelled with their call', async () => {
    const far = scripted({ era: 'legacy', tools, tasks: true });
    const bench = await openBench([{ place: far.place, choice }]);
    await bench.names();
    void bench.call('long');
    await eventually(() => far.noted().includes('poll 1'));
    // The list was the first request, the call the second.
    bench.pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await eventually(() => far.noted().includes('cancel task-0'));
  });

  test('are left out if their server does not declare tasks', async () => {
    const far = scripted({ era: 'legacy', tools });
    const bench = await openBench([{ place: far.place, choice }]);
    expect(await named(bench)).toEqual(['echo']);
    expect(bench.reported).toContain(
      'The upstream server "far" lists the tool "long", which is left out: it runs only as a task, and its server does not declare tasks of tools.',
    );
  });
});

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  const far = (told: object = {}) => scripted({ era: upstream, ...told });
  const instructionsOf = async (bench: Bench): Promise<string | undefined> =>
    downstream === 'modern'
      ? (await bench.request('server/discover')).instructions
      : (await bench.another()).pipe.received.find(({ result }) => result?.serverInfo)?.result.instructions;

  test('sends the instructions of an upstream server, and joins several under their titles', async () => {
    const one = far({ title: 'One', instructions: 'Use one.' });
    const bench = await openBench([{ place: one.place }], { era: downstream });
    if (downstream === 'legacy') await bench.names();
    expect(await instructionsOf(bench)).toBe('Use one.');
    const other = far({ name: 'other', instructions: 'Use the other.' });
    const both = await openBench(
      [
        { place: one.place, name: 'one' },
        { place: other.place, name: 'other' },
      ],
      { era: downstream, instructions: 'Mine.' },
    );
    if (downstream === 'legacy') await both.names();
    expect(await instructionsOf(both)).toBe(
      '## kit\n\nMine.\n\n## One\n\nUse one.\n\n## other\n\nUse the other.',
    );
  });

  test('passes long errors of an upstream server whole', async () => {
    const message = `${'long '.repeat(1000)}end`;
    const bench = await openBench([{ place: far({ tools: ['error'], message }).place }], { era: downstream });
    expect(await bench.call('error')).toEqual({ code: -32_050, message, data: { reason: 'kept' } });
  });
});

test('forwards the end of an elicitation by URL with its id', async () => {
  const far = scripted({ era: 'legacy', tools: ['ask url', 'complete url'] });
  const choice = { rename: { 'ask url': 'ask', 'complete url': 'complete' } };
  const bench = await openBench([{ place: far.place, choice }], { capabilities });
  const called = bench.call('ask');
  const { id, params } = await bench.hears('elicitation/create');
  expect(params.elicitationId).toBe('e1');
  bench.pipe.send({ jsonrpc: '2.0', id, result: { action: 'accept' } });
  await called;
  await bench.call('complete');
  expect((await bench.hears('notifications/elicitation/complete')).params).toEqual({ elicitationId: 'e1' });
});

test('sends the instructions of the last start before an upstream server starts', async () => {
  const instructions = 'Use it.';
  const open = async () => {
    const far = scripted({ instructions, prompts: [{ name: 'p' }], resources: [{ uri: 'a:1', name: 'a' }] });
    return { far, bench: await openBench([{ place: far.place }], { dataFolder }) };
  };
  const firstOf = ({ pipe }: Bench) => pipe.received.find(({ result }) => result?.serverInfo)?.result;
  const first = await open();
  expect(firstOf(first.bench)).not.toHaveProperty('instructions');
  await first.bench.request('prompts/list');
  await first.bench.request('resources/list');
  const folder = path.join(dataFolder, 'upstreams');
  const files = () => {
    try {
      return readdirSync(folder).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  };
  await eventually(() => files().length === 1);
  expect(JSON.parse(readFileSync(path.join(folder, files()[0]!), 'utf8'))).toEqual({
    version: 1,
    title: 'scripted',
    info: { name: 'scripted', version: '1.0.0' },
    instructions,
    names: { tools: ['echo'], prompts: ['p'], resources: ['a', 'a:1'] },
  });
  const second = await open();
  expect(firstOf(second.bench).instructions).toBe(instructions);
  expect(second.far.noted()).toEqual([]);
});
