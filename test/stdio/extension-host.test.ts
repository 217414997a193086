import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import { eventually, isAlive, openProgram, programFile, startProgram } from '../support/program.js';
import { call } from './support/messages.js';

const directory = writePackage(
  {
    tools: ['kill', 'wait', 'count', 'pid', 'touch', 'block', 'leave', 'change'],
    resources: ['clock'],
  },
  {
    'agenttools/tools.json': {
      kill: { description: 'Ends its process.', handler: './code.js#kill' },
      wait: { description: 'Never answers.', handler: './code.js#wait' },
      count: { description: 'Counts its calls.', handler: './code.js#count' },
      pid: { description: 'Names its process.', handler: './code.js#pid' },
      touch: { description: 'Updates the clock.', handler: './code.js#touch' },
      block: { description: 'Blocks.', handler: './code.js#block', timeoutMs: 500 },
      change: { description: 'Changes what all code shares.', handler: './code.js#change' },
      leave: { description: 'Leaves code behind.', handler: './code.js#leave' },
    },
    'agenttools/resources/clock.json': { uri: 'acme://clock', text: 'noon', subscribable: true },
    'code.js': `
      let calls = 0;
      export const kill = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));
      export const wait = (_, { progress }) => { progress(1); return new Promise(() => {}); };
      export const count = (_, { session }) => {
        calls += 1;
        session.set('calls', (session.get('calls') ?? 0) + 1);
        return { calls, session: session.get('calls') };
      };
      export const pid = () => process.pid;
      export const touch = (_, { notifyResourceUpdated }) => (notifyResourceUpdated('acme://clock'), 'touched');
      export const block = () => { for (;;); };
      export const change = ({ body }) => { new Function(body)(); return 'changed'; };
      export const leave = ({ body }) => { setTimeout(new Function(body)); return 'left'; };`,
  },
);

/** The processes below a process, by the system's table; Linux only. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}

const countIn = ({ structuredContent }: { structuredContent: unknown }) => structuredContent;

describe.concurrent('the extension host', () => {
  test.runIf(process.platform === 'linux')('starts at the first call, not for lists of data', async () => {
    const program = await openProgram(directory);
    await program.request('tools/list');
    await program.request('resources/list');
    await program.request('resources/read', { uri: 'acme://clock' });
    expect(childrenOf(program.child.pid!)).toEqual([]);
    const pid = Number(await program.textOf('pid'));
    expect(childrenOf(program.child.pid!)).toContain(pid);
    await program.end();
  });

  test('fails the calls under way with the cause when it dies, and the next call works', async () => {
    const program = await openProgram(directory);
    program.send(call(1, 'wait', {}, { progressToken: 1 }));
    await program.take(({ method }) => method === 'notifications/progress', 'progress');
    const killed = await program.call('kill');
    expect(killed).toMatchObject({
      isError: true,
      content: [{ text: 'Tool "kill" ended with the extension host, which was ended by SIGKILL.' }],
    });
    expect((await program.next(1)).result.content[0].text).toContain(
      'Tool "wait" ended with the extension host',
    );
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 1 });
    await program.end();
    expect(program.stderr).toMatch(
      /^The extension host was ended by SIGKILL\. Calls that ended with it: Tool "wait", Tool "kill"\./m,
    );
  });

  test('keeps sessions and subscriptions when it dies', async () => {
    const program = await openProgram(directory);
    await program.request('resources/subscribe', { uri: 'acme://clock' });
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 1 });
    await program.call('kill');
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 2 });
    await program.call('touch');
    await program.take(({ method }) => method === 'notifications/resources/updated', 'the update');
    await program.end();
  });

  test('is replaced when it blocks, after the time of the call', async () => {
    const program = await openProgram(directory);
    const late = 'Tool "block" gave no answer within 0.5 s.';
    expect((await program.call('block')).content[0].text).toBe(late);
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 1 });
    expect((await program.call('block')).content[0].text).toBe(late);
    const ended = 'The extension host was ended, since tool "block" gave no answer within 0.5 s';
    await program.said(`${ended}: it, or code that an earlier call left behind, blocked the host.`);
    await program.end();
    expect(program.stderr.startsWith(`${ended}. Calls that ended with it: Tool "block".`)).toBe(true);
  });

  test('is replaced when code of an earlier call blocks it, and the calls that wait go to the new one', async () => {
    const program = await openProgram(directory);
    await program.call('leave', { body: 'for (;;);' });
    // It blocks from the next turn on.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const counts = await Promise.all([program.call('count'), program.call('count')]);
    expect(counts.map(countIn)).toEqual([
      { calls: 1, session: 1 },
      { calls: 2, session: 2 },
    ]);
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe(
      'The extension host was ended, since code that an earlier call left behind blocked it. The next call starts a new one.\n',
    );
  });

  test('is replaced within 3 s, also if definitions are code', async () => {
    const coded = writePackage(
      { tools: ['coded', 'leave'] },
      {
        'agenttools/tools/coded.js': `export default { handler: () => 'coded' };`,
        'agenttools/tools/leave.js': `export default { handler: () => { setTimeout(() => { for (;;); }, 20); return 'left'; } };`,
      },
    );
    const program = await openProgram(coded);
    await program.call('leave');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = performance.now();
    expect(await program.textOf('coded')).toBe('coded');
    expect(performance.now() - started).toBeLessThan(3000);
    await program.end();
  });

  test('is replaced once for a change that every call makes again', async () => {
    const program = await openProgram(directory);
    const body = 'Array.prototype.last ??= () => 1; JSON.stringify = () => "";';
    const pids = [];
    for (let count = 0; count < 4; count += 1) {
      await program.call('change', { body });
      pids.push(await program.textOf('pid'));
    }
    expect(new Set(pids).size).toBe(1);
    await program.end();
    expect(program.stderr.match(/change[ds] what all code shares/g)).toHaveLength(2);
  });

  test('begins each call at most once, also if it dies', async () => {
    const program = await openProgram(directory);
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 1 });
    program.send(call(1, 'kill'), call(2, 'count'));
    const killed = await program.take(({ id }) => id === 1, 'killed call');
    const counted = await program.take(({ id }) => id === 2, 'waiting call');
    expect(killed.result.isError).toBe(true);
    // The host may have begun the second call before it died. Then the next host must not begin it again.
    const isBegun = counted.result.isError === true;
    if (!isBegun) expect(countIn(counted.result)).toEqual({ calls: 1, session: 2 });
    const calls = isBegun ? 1 : 2;
    const { session, ...own } = countIn(await program.call('count')) as { calls: number; session: number };
    expect(own).toEqual({ calls });
    expect(isBegun ? [2, 3] : [3]).toContain(session);
    await program.end();
  });

  test('makes a list again if a call of another client has ended its host', async () => {
    const pages = writePackage(
      { tools: ['kill'], resources: ['page'] },
      {
        'agenttools/tools/kill.json': { handler: './code.js#kill' },
        'agenttools/resources/page.json': {
          uriTemplate: 'acme://page/{name}',
          list: './code.js#pages',
          read: './code.js#page',
        },
        'code.js': `
          export const kill = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));
          export const page = () => 'text';
          export const pages = async () => {
            await new Promise((resolve) => setTimeout(resolve, 300));
            return [{ uri: 'acme://page/one' }];
          };`,
      },
    );
    const program = await openProgram(pages);
    const list = await program.request('resources/list');
    expect(list.resources).toMatchObject([{ uri: 'acme://page/one' }]);
    program.send({ jsonrpc: '2.0', id: 1, method: 'resources/list' }, call(2, 'kill'));
    const { result } = await program.take(({ id }) => id === 1, 'list');
    expect(result).toEqual(list);
    expect(program.stderr).toContain('The extension host was ended by SIGKILL.');
    await program.end();
  });

  test('reports a repeated harmful change once', async () => {
    const program = await openProgram(directory);
    const body = 'setTimeout(() => { Array.prototype.push = () => 1; })';
    const pids = new Set();
    for (let count = 0; count < 4; count += 1) {
      await program.call('change', { body });
      await new Promise((resolve) => setTimeout(resolve, 100));
      pids.add(await program.textOf('pid'));
    }
    expect(pids.size).toBeGreaterThan(2);
    await program.end();
    expect(program.stderr.match(/change[ds] what all code shares/g)!.length).toBeLessThanOrEqual(2);
  });

  test('ends with the front, however the front ends', async () => {
    for (const isBlocked of [false, true]) {
      const program = await openProgram(directory);
      const pid = Number(await program.textOf('pid'));
      if (isBlocked) program.send(call(1, 'block'));
      program.child.kill('SIGKILL');
      await eventually(() => !isAlive(pid), 'the host is gone');
    }
  });

  test('runs in the process of the server where none can be started', async () => {
    const major = Number(process.versions.node.split('.')[0]);
    const permission = major < 23 ? '--experimental-permission' : '--permission';
    const flags = [permission, '--allow-fs-read=*', '--allow-fs-write=*', '--no-warnings'];
    const program = startProgram(undefined, {
      command: [process.execPath, ...flags, programFile, 'start', directory],
    });
    await program.initialize();
    expect(countIn(await program.call('count'))).toEqual({ calls: 1, session: 1 });
    expect(Number(await program.textOf('pid'))).toBe(program.child.pid);
    await program.end();
    expect(program.stderr).toMatch(
      /^The extension host could not be started: .*Code of the extension runs in this process\.$/m,
    );
  });
});

test('the front imports nothing that imports modules of extensions', () => {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, clause, target] of text.matchAll(/^(?:import|export)\s([^;]*?)\sfrom '(\.[^']+)'/gm)) {
      if (!clause!.startsWith('type '))
        visit(path.resolve(path.dirname(file), target!.replace(/\.js$/, '.ts')));
    }
  };
  const source = path.resolve(import.meta.dirname, '../../src');
  const loadedLater = ['engine/host/host-client.ts', 'engine/host/host-generation.ts'];
  for (const entry of ['cli/commands/start/run.ts', ...loadedLater, 'engine/host/host-process.ts']) {
    visit(path.join(source, entry));
  }
  const names = [...seen].map((file) => path.relative(source, file));
  expect(names).toContain('engine/host/json-line-channel.ts');
  for (const forbidden of ['engine/extension/import-module.ts', 'engine/host/server-runner.ts']) {
    expect(names).not.toContain(forbidden);
  }
});
