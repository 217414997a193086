import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { writeFolder, writePackage } from '../support/packages.js';
import { eventually, isAlive, type Message, type Program, root, startProgram } from '../support/program.js';

const script = path.join(root, 'test/support/scripted-upstream.mjs');
const upstream = { command: process.execPath, args: [script, JSON.stringify({ tools: ['echo', 'ask'] })] };

const directory = writePackage(
  { servers: ['main'], tools: ['work', 'quick', 'pid', 'kill', 'tamper'] },
  {
    'agenttools/servers/main.json': {
      tools: ['work', 'quick', 'pid', 'kill', 'tamper', { upstream, prefix: 'far_' }],
    },
    'agenttools/tools.js': `
      import { existsSync } from 'node:fs';
      import { setTimeout as wait } from 'node:timers/promises';
      export default {
        work: {
          description: 'Works until a file exists.',
          task: 'required',
          input: { tool: { type: 'string', default: 'far_echo' }, go: { type: 'string', required: true } },
          handler: async ({ tool, go }, ctx) => {
            while (!existsSync(go)) await wait(10, undefined, { signal: ctx.signal });
            return (await ctx.callTool(tool, {})).content[0].text;
          },
        },
        quick: { description: 'Ends at once.', task: 'required', handler: () => 'done' },
        pid: { description: 'Names its process.', handler: () => process.pid },
        kill: { description: 'Ends its process.', handler: () => new Promise(() => process.kill(process.pid, 'SIGKILL')) },
        tamper: { description: 'Changes a built-in.', handler: () => { Array.prototype.extra = 1; return 'done'; } },
      };`,
  },
);

const stamp = 'io.modelcontextprotocol';
const capabilities = { elicitation: { form: {} }, extensions: { [`${stamp}/tasks`]: {} } };
const meta = {
  [`${stamp}/protocolVersion`]: '2026-07-28',
  [`${stamp}/clientInfo`]: { name: 'test', version: '1' },
  [`${stamp}/clientCapabilities`]: capabilities,
};

/** A server with a task that runs. */
async function begun(args: object = {}) {
  const go = path.join(writeFolder(), 'go');
  const finish = () => writeFileSync(go, '');
  const program: Program = startProgram(path.join(directory, 'main'));
  const request = async (method: string, params: object = {}): Promise<Message> => {
    const id = program.freshId();
    const answer = await program.ask({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
    return answer.result ?? answer.error;
  };
  const call = async (name: string, given: object = {}) =>
    await request('tools/call', { name, arguments: given });
  await request('tools/list');
  const { taskId } = await call('work', { go, ...args });
  const task = async (): Promise<Message> => await request('tasks/get', { taskId });
  const until = async (status: string): Promise<Message> => {
    for (;;) {
      const now = await task();
      if (now.status === status) return now;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { program, request, call, finish, taskId, task, until };
}

describe.concurrent('a task in an extension host', () => {
  it('fails with the cause when the host dies', async () => {
    const { program, call, task, request, taskId } = await begun();
    expect((await task()).status).toBe('working');
    await call('kill');
    const message = 'Tool "work" ended with the extension host, which was ended by SIGKILL.';
    expect(await task()).toMatchObject({ status: 'failed', statusMessage: message, error: { message } });
    expect(await request('tasks/cancel', { taskId })).not.toHaveProperty('code');
    expect((await task()).status).toBe('failed');
    await program.end();
    expect(program.stderr).toContain('Calls that ended with it: Tool "kill", Tool "work".');
  });

  it('keeps its result when the host dies after it', async () => {
    const { program, call, until, task, finish } = await begun();
    finish();
    const { result } = await until('completed');
    expect(result.content[0].text).toContain('scripted echoes {}');
    await call('kill');
    expect(await task()).toMatchObject({ status: 'completed', result });
    await program.end();
  });

  it('goes on in a host that is replaced, and the host ends after it', async () => {
    const { program, call, until, task, finish } = await begun();
    const pid = Number((await call('pid')).content[0].text);
    await call('tamper');
    await program.said('A new host takes the next call.');
    const next = Number((await call('pid')).content[0].text);
    expect(next).not.toBe(pid);
    expect((await task()).status).toBe('working');
    finish();
    expect((await until('completed')).result.content[0].text).toContain('scripted echoes {}');
    await eventually(() => !isAlive(pid), 'the replaced host is gone');
    expect(isAlive(next)).toBe(true);
    await program.end();
  });

  it('can be called off in a host that is replaced', async () => {
    const { program, call, request, taskId, until } = await begun();
    await call('tamper');
    await program.said('A new host takes the next call.');
    await request('tasks/cancel', { taskId });
    expect(await until('cancelled')).not.toHaveProperty('result');
    await program.end();
  });

  it('asks the client for an upstream server', async () => {
    const { program, request, taskId, until, finish } = await begun({ tool: 'far_ask' });
    finish();
    const { inputRequests } = await until('input_required');
    const [key] = Object.keys(inputRequests);
    const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } };
    await request('tasks/update', { taskId, inputResponses });
    expect((await until('completed')).result.content[0].text).toBe('accept Ada');
    await program.end();
  });

  it('keeps its result if it ends at once', async () => {
    const { program, call, request } = await begun();
    const { taskId } = await call('quick');
    let status = 'working';
    while (status === 'working') ({ status } = await request('tasks/get', { taskId }));
    expect(status).toBe('completed');
    await program.end();
  });

  it('belongs to clients that know tasks', async () => {
    const { program, taskId, until, finish } = await begun();
    finish();
    await until('completed');
    const params = { taskId, _meta: { ...meta, [`${stamp}/clientCapabilities`]: {} } };
    const { error } = await program.ask({ jsonrpc: '2.0', id: 'x', method: 'tasks/get', params });
    expect(error.code).toBe(-32021);
    await program.end();
  });
});
