import { describe, expect, onTestFinished, test } from 'vitest';
import type { UpstreamProgram } from '../../../src/engine/runtime/upstream.js';
import { createHandler } from '../../../src/engine/serve/http/create-handler.js';
import { modernRequest } from '../../support/http-client.js';
import {
  type Bench,
  type Era,
  eras,
  eventually,
  type Message,
  openBench,
  pairs,
  scripted,
  taken,
} from './support.js';

const asking = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

type Answer = (request: Message) => unknown;

/** Calls a tool in the era of the client, and answers what is asked on the way. */
async function converse(bench: Bench, era: Era, name: string, answer: Answer): Promise<Message> {
  if (era === 'modern') return await byRounds(bench, name, answer);
  let isOver = false;
  const result = bench.call(name).finally(() => {
    isOver = true;
  });
  for (;;) {
    const next = await asked(bench, () => isOver);
    if (!next) return await result;
    bench.pipe.send({ jsonrpc: '2.0', id: next.id, result: answer(next) });
  }
}

const answered = new WeakSet<object>();

async function asked({ pipe }: Bench, isOver: () => boolean): Promise<Message | undefined> {
  while (!isOver()) {
    const found = pipe.received.find(
      (one) => one.id !== undefined && one.method !== undefined && !answered.has(one) && !taken.has(one),
    );
    if (found) {
      answered.add(found);
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return undefined;
}

async function byRounds(bench: Bench, name: string, answer: Answer): Promise<Message> {
  let params: object = { name, arguments: {} };
  for (;;) {
    const result = await bench.request('tools/call', params);
    if (result.resultType !== 'input_required') return result;
    const responses = Object.entries(result.inputRequests as Record<string, Message>).map(
      ([key, request]) => [key, answer(request)],
    );
    const { requestState } = result;
    params = { name, arguments: {}, inputResponses: Object.fromEntries(responses), requestState };
  }
}

const textOf = (result: Message): string => result.content?.[0]?.text ?? JSON.stringify(result);

describe.each(pairs)('$downstream downstream, $upstream upstream', ({ downstream, upstream }) => {
  const open = async (tools: readonly string[], options = {}) => {
    const far = scripted({ era: upstream, tools });
    const rename = Object.fromEntries(tools.map((name) => [name, name.replace(' ', '_')]));
    const bench = await openBench([{ place: far.place, choice: { rename } }], {
      era: downstream,
      capabilities: asking,
      ...options,
    });
    return { ...bench, far };
  };

  test('a question goes to the client, and its answer goes up', async () => {
    const bench = await open(['ask']);
    const seen: Message[] = [];
    const result = await converse(bench, downstream, 'ask', (request) => {
      seen.push(request.params);
      return { action: 'accept', content: { name: 'Ada' } };
    });
    expect(textOf(result)).toBe('accept Ada');
    expect(seen).toMatchObject([
      {
        mode: 'form',
        message: 'Your name?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    ]);
  });

  test('forwards the action of the user unchanged', async () => {
    const bench = await open(['ask']);
    expect(textOf(await converse(bench, downstream, 'ask', () => ({ action: 'decline' })))).toBe('decline');
    expect(textOf(await converse(bench, downstream, 'ask', () => ({ action: 'cancel' })))).toBe('cancel');
  });

  test('one question after the other is asked once, while the call goes on', async () => {
    const bench = await open(['ask twice']);
    const messages: string[] = [];
    const result = await converse(bench, downstream, 'ask_twice', ({ params }) => {
      messages.push(params.message);
      return { action: 'accept', content: { name: params.message } };
    });
    expect(textOf(result)).toBe('First? Second?');
    expect(messages).toEqual(['First?', 'Second?']);
    // What the upstream server of 2026-07-28 is asked again is its own affair.
    if (upstream === 'legacy') expect(bench.far.noted().filter((line) => line === 'asks')).toHaveLength(1);
  });

  test('passes on URL elicitations, sampling and roots', async () => {
    const bench = await open(['ask url', 'sample', 'roots']);
    const answers: Record<string, unknown> = {
      'elicitation/create': { action: 'accept' },
      'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
      'roots/list': { roots: [{ uri: 'file:///work' }] },
    };
    const answer: Answer = ({ method }) => answers[method];
    expect(textOf(await converse(bench, downstream, 'ask_url', answer))).toBe('accept');
    expect(textOf(await converse(bench, downstream, 'sample', answer))).toBe('model says hi');
    expect(textOf(await converse(bench, downstream, 'roots', answer))).toBe('file:///work');
  });

  test('a client that cannot be asked is no reason for a call to fail where the protocol has an answer', async () => {
    const bench = await open(['ask', 'roots', 'sample'], { capabilities: {} });
    expect(textOf(await bench.call('ask'))).toBe('cancel');
    const sampled = await bench.call('sample');
    // The older server answers with the error that it received.
    const said = ({ content, message }: Message) => content?.[0].text ?? message;
    expect(said(sampled)).toContain('needs the client capability "sampling"');
    expect(sampled.isError).toBe(upstream === 'modern' ? true : undefined);
    const roots = await bench.call('roots');
    expect(said(roots)).toMatch(upstream === 'modern' ? /^none$/ : /needs the client capability "roots"/);
  });

  test('passes on progress to clients with a token, and log messages of the only running call', async () => {
    const bench = await open(['progress', 'log']);
    expect(textOf(await bench.call('progress'))).toBe('nobody asked');
    expect(textOf(await bench.call('progress', {}, { progressToken: 'p' }))).toBe('done');
    const progress = bench.pipe.received.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 2, message: 'step 1' },
      { progressToken: 'p', progress: 2, total: 2, message: 'step 2' },
    ]);
    await bench.call('log', {}, { 'io.modelcontextprotocol/logLevel': 'info' });
    const { params } = await bench.hears('notifications/message');
    expect(params).toEqual({ level: 'warning', data: 'careful' });
  });
});

describe.each(eras)('a call that waits for a client of 2026-07-28 (%s upstream)', (upstream) => {
  const open = async (keeping: { keepMs: number; most: number }) => {
    const far = scripted({ era: upstream, tools: ['ask'] });
    const bench = await openBench([{ place: far.place }], {
      era: 'modern',
      capabilities: asking,
      keeping,
    });
    const { requestState } = await bench.call('ask');
    expect(requestState).toEqual(expect.any(String));
    return { bench, far, requestState };
  };
  const inputResponses = { upstream1: { action: 'accept', content: { name: 'Ada' } } };

  test('ends if the client does not return, and rejects a late retry', async () => {
    const { bench, requestState } = await open({ keepMs: 20, most: 10 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const late = await bench.request('tools/call', {
      name: 'ask',
      arguments: {},
      inputResponses,
      requestState,
    });
    expect(late.isError).toBe(true);
    expect(textOf(late)).toMatch(/no longer waits for these answers: .* Call again\.$/);
  });

  test('is one of a bounded number', async () => {
    const { bench, requestState } = await open({ keepMs: 60_000, most: 1 });
    expect(textOf(await bench.call('ask'))).toBe(
      '1 calls wait for answers of their users, which are the most. Try again later.',
    );
    const params = { name: 'ask', arguments: {}, inputResponses, requestState };
    expect(textOf(await bench.request('tools/call', params))).toBe('accept Ada');
  });
});

test('a question while calls of one client are under way is put in the latest of them', async () => {
  const far = scripted({ era: 'legacy', tools: ['hang', 'ask'] });
  const bench = await openBench([{ place: far.place }], { capabilities: asking });
  await bench.names();
  void bench.call('hang');
  await eventually(() => far.noted().includes('call hang'));
  const answer: Answer = () => ({ action: 'accept', content: { name: 'Ada' } });
  expect(textOf(await converse(bench, 'legacy', 'ask', answer))).toBe('accept Ada');
});

test('gives each user a connection to an older server, so that the right user is asked', async () => {
  const far = scripted({ era: 'legacy', tools: ['hang', 'ask'] });
  const bench = await openBench([{ place: far.place }], { era: 'modern', capabilities: asking });
  await bench.names();
  void bench.call('hang');
  await eventually(() => far.noted().includes('call hang'));
  const other = await bench.another({ isRemote: true });
  const answer: Answer = () => ({ action: 'accept', content: { name: 'Ada' } });
  expect(textOf(await converse(other, 'modern', 'ask', answer))).toBe('accept Ada');
  expect(textOf(await converse(other, 'modern', 'ask', answer))).toBe('accept Ada');
  expect(far.noted().filter((line) => line === 'start')).toHaveLength(2);
  expect(bench.pipe.received.filter(({ result }) => result?.inputRequests)).toEqual([]);
});

test('opens at most 16 connections to an older server, and later calls wait', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const far = scripted({ era: 'legacy', tools: ['slow', 'echo'] });
  const bench = await openBench([{ place: far.place }], { era: 'modern' });
  await bench.names();
  const others = await Promise.all(Array.from({ length: 16 }, () => bench.another({ isRemote: true })));
  void bench.call('slow', { ms: 60_000 });
  const slow = others.slice(0, 15).map(async (one) => await one.call('slow', { ms: 1500 }));
  await eventually(() => far.noted().filter((line) => line === 'call slow').length === 16);
  const late = await others[15]!.call('echo');
  expect(textOf(late)).toBe('scripted echoes {}');
  await Promise.all(slow);
  // The connection of the user who was replaced is closed, and another one is opened for the late user.
  expect(far.noted().filter((line) => line === 'start')).toHaveLength(17);
  expect(warnings).toEqual([]);
});

test('separates the users of one shared token', async () => {
  const { place, noted } = scripted({ era: 'legacy', tools: ['hang', 'ask'] });
  const token = 'a-token-of-everybody';
  const { command, args } = place as UpstreamProgram;
  const handler = createHandler({ tools: [{ upstream: { command, args } }] }, { token });
  await handler.ready();
  const call = async (name: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await handler(modernRequest('http://localhost/mcp', 'tools/call', { name }, headers));
    return await response.text();
  };
  void call('hang');
  await eventually(() => noted().includes('call hang'));
  expect(await call('ask')).toContain('cancel');
  expect(noted().filter((line) => line === 'start')).toHaveLength(2);
  await handler.close();
});
