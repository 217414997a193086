import { describe, expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import type { Message, Program } from '../support/program.js';
import { serveHere } from '../support/serving-here.js';
import { call, cancelled, modern } from './support/messages.js';

const server = writePackage(
  { tools: ['ask', 'insist', 'quick'] },
  {
    'agenttools/tools.js': `
      const name = { name: { type: 'string', required: true } };
      const ask = async (_args, ctx) => {
        const answer = await ctx.elicit('Name?', name).catch((error) => {
          process.stderr.write('<' + error.name + '>');
          throw error;
        });
        return JSON.stringify(answer);
      };
      const insist = async (_args, ctx) => {
        for (;;) {
          const answer = await ctx.elicit('Name?', name);
          if (answer.action === 'accept') return answer.content.name;
        }
      };
      export default Object.fromEntries(
        Object.entries({ ask, insist, quick: () => 'quick' }).map(([key, handler]) => [key, { description: key, handler }]),
      );`,
  },
);

/** A client of 2025 that can be asked. */
async function open(): Promise<Program> {
  const program = serveHere(server);
  await program.initialize('2025-11-25', { elicitation: {} });
  return program;
}

const questionOf = async (program: Program): Promise<Message> =>
  await program.take(({ method }) => method === 'elicitation/create', 'a question');

const reply = (id: unknown, result: object) => ({ jsonrpc: '2.0', id, result });

describe.concurrent('a client of 2025 that was asked', () => {
  test('may answer in its own time, while others are served', async () => {
    const program = await open();
    program.send(call('a', 'ask'), call('b', 'insist'));
    const [first, second] = [await questionOf(program), await questionOf(program)];
    expect(await program.textOf('quick')).toBe('quick');
    program.send(reply(second.id, { action: 'decline' }), reply(first.id, { action: 'cancel' }));
    const again = await questionOf(program);
    program.send(reply(again.id, { action: 'accept', content: { name: 'Ada' } }));
    const texts = [await program.next('a'), await program.next('b')].map(
      ({ result }) => result.content[0].text,
    );
    expect(texts.toSorted()).toEqual(['Ada', '{"action":"cancel"}']);
    await program.end();
  });

  test.each(['ask', 'insist'])('leaves nothing behind after it disconnects (%s)', async (name) => {
    const program = await open();
    program.send(call('a', name));
    await questionOf(program);
    program.child.stdin.end();
    const { result } = await program.next('a');
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The client has gone.' }] });
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });

  test('does not delay the end of the server', async () => {
    const program = await open();
    program.send(call('a', 'insist'));
    await questionOf(program);
    program.child.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });

  test('gets its input request cancelled if it cancels the call; its late answer is ignored', async () => {
    const program = await open();
    program.send(call('a', 'ask'));
    const { id } = await questionOf(program);
    program.send(cancelled('a'));
    await program.said('<AbortError>');
    const forgotten = await program.take(
      ({ method }) => method === 'notifications/cancelled',
      'a cancellation',
    );
    expect(forgotten.params.requestId).toBe(id);
    program.send(reply(id, { action: 'decline' }));
    expect(await program.textOf('quick')).toBe('quick');
    expect(program.messages.filter((message: Message) => message.id === 'a')).toEqual([]);
    await program.end();
  });
});

describe.concurrent('a client of 2026-07-28', () => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const asking = (id: unknown, more: object = {}) =>
    modern(id, 'tools/call', { name: 'ask', arguments: {}, _meta, ...more });

  test('may bring its answer to another process that has the secret, or to the same after others', async () => {
    const env = { AGENTTOOLS_STATE_SECRET: 'one secret for all of the processes' };
    const [one, other, stranger] = [
      serveHere(server, { env }),
      serveHere(server, { env }),
      serveHere(server),
    ];
    const { requestState } = (await one.ask(asking(1))).result;
    const retry = { requestState, inputResponses: { e1: { action: 'decline' } } };
    expect((await other.ask(asking(2, retry))).result.content[0].text).toBe('{"action":"decline"}');
    expect((await one.ask(asking(3, retry))).result.content[0].text).toBe('{"action":"decline"}');
    expect((await stranger.ask(asking(4, retry))).error.code).toBe(-32602);
    await Promise.all([one, other, stranger].map((program) => program.end()));
  });

  test.each([
    ['requestState', 5],
    ['inputResponses', null],
    ['inputResponses', []],
  ])('gets an error for an unreadable part of a retry: %s %j', async (key, value) => {
    const program = serveHere(server);
    const { error } = await program.ask(asking(1, { [key]: value }));
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining(key),
      data: { path: [key] },
    });
    await program.end();
  });

  test('keeps no process alive if it never returns', async () => {
    const program = serveHere(server);
    expect((await program.ask(asking(1))).result.resultType).toBe('input_required');
    program.child.stdin.end();
    expect(await program.exit).toEqual({ code: 0, signal: null });
  });
});
