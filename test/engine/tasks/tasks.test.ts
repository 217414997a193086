import { describe, expect, test, vi } from 'vitest';
import { findParamsFault } from '../../../src/engine/protocol/params.js';
import { tasksExtension } from '../../../src/engine/protocol/protocol-extensions.js';
import type { RequestContext } from '../../../src/engine/protocol/request.js';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ProtocolError, ToolError } from '../../../src/engine/runtime/result-builders.js';
import { serverTasks } from '../../../src/engine/tasks/tasks.js';
import { type Composed, composeLive, openSession, type Session } from '../../support/session.js';
import { pending } from '../support/rounds.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;
type Handler = (args: Record<string, unknown>, ctx: Context) => unknown;

const knowing = { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } };
const unknowing = { elicitation: { form: {} } };

async function composeTool(handler: Handler, more: object = { task: 'optional' }): Promise<Composed> {
  return await composeLive({ tools: { t: { handler, ...more } } });
}

async function open(composed: Composed, capabilities: object = knowing): Promise<Session> {
  return await openSession(composed, { era: 'modern', capabilities });
}

const call = async (session: Session): Promise<Message> => await session.request('tools/call', { name: 't' });
const look = async (session: Session, taskId: string): Promise<Message> =>
  await session.request('tasks/get', { taskId });

/** Looks until a task is no longer at work. */
async function settled(session: Session, taskId: string): Promise<Message> {
  return await vi.waitFor(async () => {
    const task = await look(session, taskId);
    expect(task.status).not.toBe('working');
    return task;
  }, 10_000);
}

const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } }) as const;
const accept = (content: object) => ({ action: 'accept', content });

describe('a client that knows tasks', () => {
  test('is handed one, looks at it, and finds the result', async () => {
    const { promise, resolve } = pending<string>();
    const session = await open(await composeTool(() => promise));
    const handle = await call(session);
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1000 });
    expect(handle.ttlMs).toBe(2 * 3_600_000);
    expect(handle).not.toHaveProperty('content');
    const { taskId } = handle;
    expect(await look(session, taskId)).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    resolve('ready');
    expect(await settled(session, taskId)).toMatchObject({
      status: 'completed',
      result: { resultType: 'complete', content: [{ type: 'text', text: 'ready' }] },
    });
  });

  test('finds it by another connection', async () => {
    const { promise, resolve } = pending<string>();
    const composed = await composeTool(() => promise);
    const { taskId } = await call(await open(composed));
    resolve('ready');
    expect(await settled(await open(composed), taskId)).toMatchObject({ status: 'completed' });
  });

  test('reads how far it is', async () => {
    const { promise, resolve } = pending<string>();
    const told = pending<void>();
    const session = await open(
      await composeTool(async (_args, ctx) => {
        ctx.progress(1, { message: 'half of it' });
        told.resolve();
        return await promise;
      }),
    );
    const { taskId } = await call(session);
    await told.promise;
    expect(await look(session, taskId)).toMatchObject({ status: 'working', statusMessage: 'half of it' });
    resolve('ready');
    await settled(session, taskId);
    expect(session.notifications).toEqual([]);
  });

  test('gets the failure of a tool as its result', async () => {
    const fail = async () => {
      throw new ToolError('no luck');
    };
    const session = await open(await composeTool(fail));
    expect(await settled(session, (await call(session)).taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ text: 'no luck' }] },
    });
  });

  test('gets an error of the protocol as the failure of the task', async () => {
    const fail = async () => {
      throw new ProtocolError(-32000, 'broken', { part: 'all' });
    };
    const session = await open(await composeTool(fail));
    const task = await settled(session, (await call(session)).taskId);
    expect(task).toMatchObject({
      status: 'failed',
      statusMessage: 'broken',
      error: { code: -32000, message: 'broken', data: { part: 'all' } },
    });
    expect(task).not.toHaveProperty('result');
  });

  test('calls it off, as often as it likes', async () => {
    const aborted = pending<void>();
    const session = await open(
      await composeTool(async (_args, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted.resolve();
        return 'too late';
      }),
    );
    const { taskId } = await call(session);
    const { _meta, ...ack } = await session.request('tasks/cancel', { taskId });
    expect(ack).toEqual({ resultType: 'complete' });
    await aborted.promise;
    expect(await settled(session, taskId)).toMatchObject({ status: 'cancelled' });
    await session.request('tasks/cancel', { taskId });
    expect(await look(session, taskId)).not.toHaveProperty('result');
  });

  test.each(['tasks/get', 'tasks/cancel', 'tasks/update'])('%s of a missing task: -32602', async (method) => {
    const session = await open(await composeTool(() => 'x'));
    const params = { taskId: 'none', inputResponses: {} };
    await expect(session.request(method, params)).rejects.toMatchObject({ code: -32602 });
    await expect(session.request(method, { inputResponses: {} })).rejects.toMatchObject({ code: -32602 });
  });

  test.each(['tasks/list', 'tasks/result'])('%s is not known', async (method) => {
    const session = await open(await composeTool(() => 'x'));
    await expect(session.request(method, { taskId: 'x' })).rejects.toMatchObject({ code: -32601 });
  });
});

describe('tasks of one server', () => {
  /** Has a tool called for a user, as a request with a token of theirs would. */
  const userOfTool = (composed: Composed) => {
    const tasks = serverTasks(composed.served.live.calls);
    return (sub: string | undefined, abort = () => {}) =>
      tasks.begin({ auth: { clientId: 'app', extra: { sub } } } as unknown as RequestContext, {
        timeoutMs: 1000,
        abort,
      });
  };

  test('are a hundred of one user, of which one that is over makes room', async () => {
    const begin = userOfTool(await composeTool(() => 'ready'));
    const tasks = Array.from({ length: 100 }, () => begin('eve'));
    expect(() => begin('eve')).toThrow('100 tasks are running, the limit of one user.');
    expect(begin('ada').isOver).toBe(false);
    tasks[7]!.finish({ result: {} });
    expect(begin('eve').isOver).toBe(false);
    expect(() => begin('eve')).toThrow('100 tasks are running');
  });

  test('are a thousand, of which the one that has been over longest makes room', async () => {
    const composed = await composeTool(() => 'ready');
    const begin = userOfTool(composed);
    const [first, second] = Array.from({ length: 1000 }, (_, index) => begin(`user ${index}`));
    expect(() => begin('one more')).toThrow('1000 tasks are running, the limit of this server');
    for (const task of [first!, second!]) task.finish({ result: {} });
    begin('one more');
    const find = (id: string, sub: string) =>
      serverTasks(composed.served.live.calls).find(id, {
        auth: { clientId: 'app', extra: { sub } },
      } as unknown as RequestContext);
    expect(find(first!.id, 'user 0')).toBeUndefined();
    expect(find(second!.id, 'user 1')).toBe(second);
  });

  test('are called off when the server ends, which waits for their handlers', async () => {
    const seen: string[] = [];
    const composed = await composeTool(async (_args, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.resolve();
      seen.push('cleaned up');
    });
    const session = await open(composed);
    await call(session);
    await serverTasks(composed.served.live.calls).end(60_000);
    expect(seen).toEqual(['cleaned up']);
    await expect(call(session)).rejects.toThrow('This server is ending.');
  });

  test('are left behind by a server that has no time to wait', async () => {
    const { promise, resolve } = pending<string>();
    const composed = await composeTool(() => promise);
    await call(await open(composed));
    await expect(serverTasks(composed.served.live.calls).end(0)).resolves.toBeUndefined();
    resolve('late');
  });
});

describe('a question of a task', () => {
  const asking: Handler = async (_args, ctx) => {
    const [one, two] = await Promise.all([ctx.elicit('One?', form('one')), ctx.elicit('Two?', form('two'))]);
    return JSON.stringify([one, two]);
  };

  test('is asked by it, and answered one by one', async () => {
    const session = await open(await composeTool(asking));
    const { taskId } = await call(session);
    const both = await settled(session, taskId);
    expect(both).toMatchObject({ status: 'input_required' });
    expect(both).not.toHaveProperty('requestState');
    expect(both.inputRequests).toMatchObject({
      e1: { method: 'elicitation/create', params: { mode: 'form', message: 'One?' } },
      e2: { params: { message: 'Two?' } },
    });
    await session.request('tasks/update', { taskId, inputResponses: { e1: accept({ one: '1' }), e9: {} } });
    const other = await look(session, taskId);
    expect(other.status).toBe('input_required');
    expect(Object.keys(other.inputRequests)).toEqual(['e2']);
    await session.request('tasks/update', { taskId, inputResponses: { e2: { action: 'decline' } } });
    const { result } = await settled(session, taskId);
    expect(JSON.parse(result.content[0].text)).toEqual([accept({ one: '1' }), { action: 'decline' }]);
  });

  test('is another one when the answer did not fit', async () => {
    const handler: Handler = async (_args, ctx) => {
      const schema = { ...form('one'), required: ['one'] };
      return JSON.stringify(await ctx.elicit('One?', schema));
    };
    const session = await open(await composeTool(handler));
    const { taskId } = await call(session);
    expect(Object.keys((await settled(session, taskId)).inputRequests)).toEqual(['e1']);
    await session.request('tasks/update', { taskId, inputResponses: { e1: accept({}) } });
    expect(Object.keys((await settled(session, taskId)).inputRequests)).toEqual(['e1.2']);
    await session.request('tasks/update', { taskId, inputResponses: { 'e1.2': accept({ one: '1' }) } });
    expect(await settled(session, taskId)).toMatchObject({ status: 'completed' });
  });

  test('ends with the task', async () => {
    const over = pending<unknown>();
    const handler: Handler = async (_args, ctx) => {
      await ctx.elicit('One?', form('one')).catch(over.resolve);
    };
    const session = await open(await composeTool(handler));
    const { taskId } = await call(session);
    await settled(session, taskId);
    await session.request('tasks/cancel', { taskId });
    expect(await over.promise).toBeInstanceOf(Error);
    expect(await look(session, taskId)).not.toHaveProperty('inputRequests');
  });
});

describe('a tool that sets the start of its task', () => {
  const more = { task: 'required', taskBegins: 'handler' };

  test('asks first, by rounds', async () => {
    const handler: Handler = async (_args, ctx) => {
      const answer = await ctx.elicit('One?', form('one'));
      ctx.beginTask();
      const then = await ctx.elicit('Two?', form('two'));
      return JSON.stringify([answer, then]);
    };
    const session = await open(await composeTool(handler, more));
    const first = await call(session);
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { e1: {} } });
    expect(first).not.toHaveProperty('taskId');
    const { requestState } = first;
    const inputResponses = { e1: accept({ one: '1' }) };
    const handle = await session.request('tools/call', { name: 't', inputResponses, requestState });
    expect(handle).toMatchObject({ resultType: 'task', status: 'working' });
    expect(handle).not.toHaveProperty('requestState');
    const { taskId } = handle;
    expect(Object.keys((await settled(session, taskId)).inputRequests)).toEqual(['e2']);
    await session.request('tasks/update', { taskId, inputResponses: { e2: accept({ two: '2' }) } });
    const { result } = await settled(session, taskId);
    expect(JSON.parse(result.content[0].text)).toEqual([accept({ one: '1' }), accept({ two: '2' })]);
  });

  test('answers as ever if none does', async () => {
    const session = await open(await composeTool(() => 'quick', more));
    expect(await call(session)).toMatchObject({ resultType: 'complete', content: [{ text: 'quick' }] });
  });
});

describe('a client that does not know tasks', () => {
  test('waits', async () => {
    const session = await open(await composeTool(() => 'done'), unknowing);
    expect(await call(session)).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
  });

  test('cannot call what is nothing but a task', async () => {
    const session = await open(await composeTool(() => 'done', { task: 'required' }), unknowing);
    await expect(call(session)).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  });

  test('gets an error from every method of tasks', async () => {
    const session = await open(await composeTool(() => 'done'), unknowing);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const asked = session.request(method, { taskId: 'x', inputResponses: {} });
      await expect(asked).rejects.toMatchObject({ code: -32021 });
    }
  });

  test.each([
    ['unknowing', unknowing, -32021],
    ['knowing', knowing, undefined],
  ])('checks the tasks capability of a subscription: %s', (_, capabilities, code) => {
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const params = { _meta, notifications: { taskIds: ['x'] } };
    expect(findParamsFault('modern', 'subscriptions/listen', params)?.code).toBe(code);
  });

  test.each(['2025-11-25', '2025-06-18'])('is every client of %s', async (version) => {
    const composed = await composeTool(() => 'done', { task: 'required' });
    const session = await openSession(composed, { version, capabilities: knowing });
    expect(await call(session)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(tasksExtension) }],
    });
    await expect(session.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject({ code: -32601 });
  });
});

describe('the capability', () => {
  const told = async (session: Session) => (await session.request('server/discover')).capabilities.extensions;

  test('is there with the first tool that has tasks', async () => {
    expect(await told(await open(await composeTool(() => 'x')))).toEqual({ [tasksExtension]: {} });
    expect(await told(await open(await composeTool(() => 'x', {})))).toBeUndefined();
  });
});
