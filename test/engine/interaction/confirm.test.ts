import { describe, expect, test } from 'vitest';
import { composeLive, openSession } from '../../support/session.js';

const accepted = { action: 'accept', content: {} };
const key = 'user-confirmation';

/** A server whose tool deletes after a confirmation, and the calls that ran. */
async function open(server: object = { tools: '*' }, confirm: object = { confirm: 'user' }) {
  const runs: unknown[] = [];
  const handler = (args: unknown) => {
    runs.push(args);
    return 'deleted';
  };
  const input = { name: 'string' };
  const composed = await composeLive({ tools: { remove: { ...confirm, input, handler } }, server });
  return { composed, runs };
}

async function modern(server?: object, confirm?: object, capabilities: object = { elicitation: {} }) {
  const { composed, runs } = await open(server, confirm);
  const session = await openSession(composed, { era: 'modern', capabilities });
  const call = async (more: object = {}, args: object = { name: 'a' }) =>
    await session.request('tools/call', { name: 'remove', arguments: args, ...more });
  return { call, runs };
}

describe('a tool with confirm: "user"', () => {
  test('runs after its user has accepted the question that the server sent', async () => {
    const { call, runs } = await modern();
    const asked = await call();
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        [key]: { params: { message: 'Allow the call of the tool "remove" with {"name":"a"}?' } },
      },
    });
    expect(runs).toEqual([]);
    const done = await call({ inputResponses: { [key]: accepted }, requestState: asked.requestState });
    expect(done.content[0].text).toBe('deleted');
    expect(runs).toEqual([{ name: 'a' }]);
  });

  test('takes no answer without the state of a question, and no state of other arguments', async () => {
    const { call, runs } = await modern();
    const invented = await call({ inputResponses: { [key]: accepted } });
    expect(invented.resultType).toBe('input_required');
    const { requestState } = await call();
    const other = call({ inputResponses: { [key]: accepted }, requestState }, { name: 'b' });
    await expect(other).rejects.toMatchObject({ code: -32602 });
    expect(runs).toEqual([]);
  });

  test.each([
    ['decline', 'The user declined the call of tool "remove".'],
    ['cancel', 'The user did not confirm the call of tool "remove".'],
  ])('does not run if the user chooses to %s', async (action, text) => {
    const { call, runs } = await modern();
    const { requestState } = await call();
    const result = await call({ inputResponses: { [key]: { action } }, requestState });
    expect(result).toMatchObject({ isError: true, content: [{ text }] });
    expect(runs).toEqual([]);
  });

  test('asks a client of 2025-11-25 while the call waits', async () => {
    const { composed, runs } = await open();
    const session = await openSession(composed, {
      era: 'legacy',
      capabilities: { elicitation: {} },
      answer: () => accepted,
    });
    const result = await session.request('tools/call', { name: 'remove', arguments: { name: 'a' } });
    expect(result.content[0].text).toBe('deleted');
    expect(runs).toHaveLength(1);
  });

  test('fails for a client that cannot ask', async () => {
    const { call, runs } = await modern(undefined, undefined, {});
    await expect(call()).rejects.toThrow('needs the client capability "elicitation"');
    expect(runs).toEqual([]);
  });

  test('runs its initialize hook after the user has accepted, and fails as without a question', async () => {
    const begun: string[] = [];
    const initialize = async () => {
      begun.push('initialize');
      throw new Error('no database');
    };
    const { call } = await modern(undefined, { confirm: 'user', initialize });
    const { requestState } = await call();
    expect(begun).toEqual([]);
    const result = await call({ inputResponses: { [key]: accepted }, requestState });
    expect(result.isError).toBe(true);
    expect(begun).toEqual(['initialize']);
  });

  test('leaves suggested requirements suggested', async () => {
    const requires = { env: ['UNSET_HERE'], client: ['sampling'], level: 'suggested' };
    const { call } = await modern(undefined, { confirm: 'user', requires });
    expect((await call()).resultType).toBe('input_required');
  });

  test('is demanded by the entry of a server, too', async () => {
    const { call, runs } = await modern({ tools: [{ use: 'remove', confirm: 'user' }] }, {});
    expect((await call()).resultType).toBe('input_required');
    expect(runs).toEqual([]);
  });

  test('shows at most 2000 characters of the arguments', async () => {
    const { call } = await modern();
    const { inputRequests } = await call({}, { name: 'x'.repeat(3000) });
    const { message } = inputRequests[key].params;
    expect(message.length).toBeLessThan(2200);
    expect(message).toContain('… (3011 characters)?');
  });
});
