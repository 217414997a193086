import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeFolder, writePackage } from '../support/packages.js';
import {
  eventually,
  fixture,
  isAlive,
  openProgram,
  type Program,
  programFile,
  startProgram,
} from '../support/program.js';
import { openHere } from '../support/serving-here.js';
import { calls, timed, tools } from './support/ending.js';
import { call, modern } from './support/messages.js';

const workshop = fixture('stdio-workshop');
const clean = { code: 0, signal: null };

/** The official client waits this long after each of its steps before it takes a stronger one. */
const patienceOfClientsMs = 2000;

/** A machine that starts many programs at once may take longer than the client waits. */
const onBusyMachines = { retry: 2 };

/** Lets time pass in this process only as far as a test says. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

async function endedBy(program: Program, signal: NodeJS.Signals) {
  return await timed(async () => {
    program.child.kill(signal);
    return await program.ended();
  });
}

describe('when the client closes its end', onBusyMachines, () => {
  test('an idle server is gone before the client gets impatient', async () => {
    const program = await openProgram(workshop);
    await program.call('echo');
    const [exit, ms] = await timed(() => program.end());
    expect(exit).toEqual(clean);
    expect(ms).toBeLessThan(patienceOfClientsMs);
  });

  test('exits although a tool left handles open', async () => {
    const program = await openProgram(
      tools(
        {
          open: `setInterval(() => {}, 100); createServer().listen(0); new Worker('setInterval(() => {}, 50)', { eval: true }); watch('.'); return 'open';`,
        },
        `import { createServer } from 'node:http'; import { Worker } from 'node:worker_threads'; import { watch } from 'node:fs';`,
      ),
    );
    expect(await program.textOf('open')).toBe('open');
    const [exit, ms] = await timed(() => program.end());
    expect(exit).toEqual(clean);
    expect(ms).toBeLessThan(patienceOfClientsMs);
  });

  test.concurrent('an exit listener that never returns does not keep it', async () => {
    const loop = "process.on('exit', () => { for (;;); }); return 'open';";
    const program = await openProgram(tools({ open: loop }), { flags: ['--in-process'] });
    expect(await program.textOf('open')).toBe('open');
    expect(await program.end()).toEqual(clean);
  });

  test.concurrent('a server that was never asked anything is gone too', async () => {
    expect(await startProgram(workshop).end()).toEqual(clean);
  });

  test.concurrent('a call under way is answered first', async () => {
    const program = await openProgram(calls);
    program.send(call(1, 'brief'), modern(2, 'tools/call', { name: 'brief' }));
    await program.said(/<begun>.*<begun>/s);
    expect(await program.end()).toEqual(clean);
    for (const id of [1, 2]) expect((await program.next(id)).result.content[0].text).toBe('in time');
  });

  test.concurrent('an open subscription gets its result', async () => {
    const program = startProgram(workshop);
    program.send(modern('sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await program.take(
      ({ method }) => method === 'notifications/subscriptions/acknowledged',
      'the acknowledgement',
    );
    expect(await program.end()).toEqual(clean);
    expect((await program.next('sub')).result).toMatchObject({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' },
    });
  });

  test.concurrent('everything that was answered arrives, however much it is', async () => {
    const program = await openProgram(workshop);
    for (const id of [1, 2, 3]) program.send(call(id, 'text', { length: 3_000_000 }));
    await program.end();
    for (const id of [1, 2, 3])
      expect((await program.next(id)).result.content[0].text).toHaveLength(3_000_000);
  });

  test.concurrent('delivers all output on stderr', async () => {
    const program = await openProgram(
      tools({
        shout: `for (let n = 0; n < 500; n += 1) console.log('x'.repeat(1000)); console.log('<last>');`,
      }),
    );
    await program.call('shout');
    expect(await program.end()).toEqual(clean);
    expect(program.stderr.slice(-7)).toBe('<last>\n');
  });
});

test('a call that does not end is aborted five seconds after the client has closed its end', async () => {
  stopClock();
  const program = await openHere(calls);
  program.send(call(1, 'endless'));
  await program.said('<begun>');
  const ended = program.end();
  await vi.advanceTimersByTimeAsync(4900);
  expect(program.stderr).not.toContain('<aborted>');
  await vi.advanceTimersByTimeAsync(200);
  await program.said('<aborted>');
  // What is left to close has as long as the call had.
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ended).toEqual(clean);
});

describe.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('at a %s', onBusyMachines, (signal) => {
  test('an idle server exits with 0 before the client gets impatient', async ({ expect }) => {
    const program = await openProgram(workshop);
    const [exit, ms] = await endedBy(program, signal);
    expect(exit).toEqual(clean);
    expect(ms).toBeLessThan(patienceOfClientsMs);
    expect(program.stderr).toBe('');
  });

  test('a call that ends soon is answered, and one that does not is aborted', async ({ expect }) => {
    const program = await openProgram(calls);
    program.send(call(1, 'brief'), call(2, 'endless'));
    await program.said(/<begun>.*<begun>/s);
    const [exit, ms] = await endedBy(program, signal);
    expect(exit).toEqual(clean);
    expect((await program.next(1)).result.content[0].text).toBe('in time');
    expect(program.stderr).toContain('<aborted>');
    expect(ms).toBeLessThan(patienceOfClientsMs);
  });
});

describe('a signal', onBusyMachines, () => {
  test('waits no longer than the calls take', async () => {
    const program = await openHere(calls);
    stopClock();
    program.send(call(1, 'brief'));
    await program.said('<begun>');
    const ended = endedBy(program, 'SIGTERM');
    // The call waits on the usual clock; the time of the drain does not pass.
    expect((await ended)[0]).toEqual(clean);
    expect((await program.next(1)).result.content[0].text).toBe('in time');
  });

  test('cuts the wait that the end of the input began', async () => {
    const program = await openProgram(calls);
    program.send(call(1, 'endless'));
    await program.said('<begun>');
    program.child.stdin.end();
    const [exit, ms] = await endedBy(program, 'SIGTERM');
    expect(exit).toEqual(clean);
    expect(ms).toBeLessThan(patienceOfClientsMs);
  });

  test('may come again and again', async () => {
    const program = await openProgram(calls);
    program.send(call(1, 'endless'));
    await program.said('<begun>');
    for (let count = 0; count < 5; count += 1) program.child.kill('SIGTERM');
    expect((await endedBy(program, 'SIGINT'))[0]).toEqual(clean);
  });

  test('ends a server before its first message', async () => {
    const program = startProgram(workshop);
    program.send(modern(1, 'tools/list'));
    await program.next(1);
    expect((await endedBy(program, 'SIGTERM'))[0]).toEqual(clean);
  });
});

describe('a server that is not ready yet', onBusyMachines, () => {
  const slow = (before: string) =>
    writePackage(
      { tools: ['slow'] },
      {
        'agenttools/tools/slow.js': `import { spawn } from 'node:child_process';
          const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
          process.stderr.write('<child ' + child.pid + '>');
          ${before}
          export default { description: 'Slow.', handler: () => 'slow' };`,
      },
    );
  const childOf = async (program: Program) =>
    Number(/<child (\d+)>/.exec(await program.said(/<child \d+>/))?.[1]);

  test.each([
    ['stdio', []],
    ['HTTP', ['--http', '--port', '0']],
  ])('over %s ends at a signal, and takes what its definitions started along', async (_, flags) => {
    const never = slow('await new Promise((resolve) => setTimeout(resolve, 60_000));');
    const program = startProgram(never, { flags });
    const child = await childOf(program);
    const [exit, ms] = await endedBy(program, 'SIGTERM');
    expect(exit).toEqual(clean);
    expect(ms).toBeLessThan(patienceOfClientsMs);
    await eventually(() => !isAlive(child), 'the child is gone');
  });

  test('answers what was sent before the client closed its end', async () => {
    const program = startProgram(slow('await new Promise((resolve) => setTimeout(resolve, 200));'));
    program.send(modern(1, 'tools/call', { name: 'slow' }));
    expect(await program.end()).toEqual(clean);
    expect((await program.next(1)).result.content[0].text).toBe('slow');
    expect(isAlive(await childOf(program))).toBe(false);
  });

  test('leaves nothing behind when it cannot start', async () => {
    const program = startProgram(slow('throw new Error("no");'), { flags: ['--strict'] });
    expect(await program.ended()).toEqual({ code: 1, signal: null });
    expect(isAlive(Number(/<child (\d+)>/.exec(program.stderr)?.[1]))).toBe(false);
  });
});

const spawners = tools(
  {
    child: `return spawn('sleep', ['1000'], { stdio: 'inherit' }).pid;`,
    detached: `const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true }); child.unref(); return child.pid;`,
    stubborn: `const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data'); return child.pid;`,
    grandchild: `return Number(await firstLine(spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'], piped)));`,
    orphan: `return Number(await firstLine(spawn('sh', ['-c', 'sleep 1000 > /dev/null 2>&1 & echo $!'], piped)));`,
    daemon: `const code = "const { spawn } = require('child_process'); const c = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }); c.unref(); console.log(c.pid)";
      return Number(await firstLine(spawn(process.execPath, ['-e', code], { ...piped, detached: true })));`,
    sync: `return Number(execSync('sleep 1000 > /dev/null 2>&1 & echo $!', { encoding: 'utf8' }));`,
  },
  `import { execSync, spawn } from 'node:child_process';
   import { once } from 'node:events';
   const piped = { stdio: ['ignore', 'pipe', 'inherit'] };
   const firstLine = async (child) => String((await once(child.stdout, 'data'))[0]).split('\\n')[0];`,
);
const kinds = ['child', 'detached', 'stubborn', 'grandchild', 'orphan', 'daemon', 'sync'] as const;

describe('the processes that tools started are gone', onBusyMachines, () => {
  test.each(['the end of the input', 'SIGTERM'] as const)(
    'after %s, for every kind of process',
    async (how) => {
      const program = await openProgram(spawners);
      const pids = new Map<number, string>();
      for (const kind of kinds) pids.set(Number(await program.textOf(kind)), kind);
      expect([...pids.keys()].filter(isAlive)).toHaveLength(kinds.length);
      const [exit, ms] = how === 'SIGTERM' ? await endedBy(program, how) : await timed(() => program.end());
      expect(exit).toEqual(clean);
      expect(ms).toBeLessThan(patienceOfClientsMs);
      const left = () => [...pids].filter(([pid]) => isAlive(pid)).map(([, kind]) => kind);
      await eventually(() => left().length === 0, 'all children are gone').catch(() =>
        expect(left()).toEqual([]),
      );
    },
  );
});

describe('a server is not left behind', () => {
  test('when its parent is killed while another process holds the pipe', async () => {
    const fifo = path.join(writeFolder(), 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', fifo]);
    const held = openSync(fifo, 'r+');
    const code = `const { spawn } = require('node:child_process');
      const stdin = require('node:fs').openSync(process.argv[1], 'r');
      const child = spawn(process.execPath, process.argv.slice(2), { stdio: [stdin, 'inherit', 'inherit'] });
      process.stderr.write('<server ' + child.pid + '>');`;
    const command = [process.execPath, '-e', code, fifo, programFile, 'start', workshop] as const;
    const parent = startProgram(undefined, { command });
    const pid = Number(/<server (\d+)>/.exec(await parent.said('<server '))?.[1]);
    writeSync(held, `${JSON.stringify(modern(1, 'tools/list'))}\n`);
    expect((await parent.next(1)).result).toBeDefined();
    const [, ms] = await timed(async () => {
      parent.child.kill('SIGKILL');
      await eventually(() => !isAlive(pid), 'the server is gone');
    });
    closeSync(held);
    expect(ms).toBeLessThan(8000);
  });

  test('when stdout is closed', async () => {
    const program = await openProgram(workshop);
    program.child.stdout.destroy();
    program.send(call(1, 'echo'));
    expect(await program.ended()).toEqual(clean);
    expect(program.stderr).toBe('');
  });

  test('when stdout is closed during calls', async () => {
    const program = await openProgram(calls);
    program.send(call(1, 'endless'));
    await program.said('<begun>');
    program.child.stdout.destroy();
    program.send(call(2, 'nope'));
    expect(await program.ended()).toEqual(clean);
  });

  const askMuch = async (program: Program) => {
    program.child.stdout.pause();
    program.send(call(1, 'text', { length: 20_000_000 }), call(2, 'hold', { key: 'a' }));
    await program.said('<hold a>');
  };

  test('when its client reads nothing and asks it to end', async () => {
    const program = await openProgram(workshop);
    await askMuch(program);
    program.child.kill('SIGTERM');
    await eventually(() => program.child.exitCode !== null, 'the server is gone');
    expect(program.child.exitCode).toBe(0);
    program.kill();
  });

  test('when its client reads nothing, before that gets impatient', async () => {
    // The clock of a host would not stop.
    const program = await openHere(workshop, { flags: ['--in-process'] });
    await askMuch(program);
    stopClock();
    program.child.kill('SIGTERM');
    await vi.advanceTimersByTimeAsync(patienceOfClientsMs);
    expect(program.child.exitCode).toBe(0);
    program.kill();
  });
});

test('keeps the server running if stderr is closed', async () => {
  const program = await openProgram(fixture('stdio-noisy'));
  program.child.stderr.destroy();
  for (const way of ['console.log', 'writeSync', 'spawn, inherit', 'console.log']) {
    const answer = await program.call('print', { way, mark: 'nobody hears this' });
    expect(answer.content, way).toBeDefined();
  }
  expect(await program.request('ping')).toEqual({});
  expect(await program.end()).toEqual(clean);
});
