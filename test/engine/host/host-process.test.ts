import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeFolder } from '../../support/packages.js';
import { isAlive } from '../../support/program.js';
import { frontProgram, hostProgram, startHost } from './support/hosts.js';

const posix = process.platform !== 'win32';

const echo = hostProgram('return { echo: message };');

/** A host that runs the code of its messages. */
const acts = hostProgram("return await eval('(async () => { ' + message.code + ' })()');");

/** Blocks the host until all of it is read. */
const printMuch = "childProcess.spawnSync('head', ['-c', '500000', '/dev/zero'], { stdio: 'inherit' })";

async function expectEnded(...pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
}

describe('a host', () => {
  test('reports when it is ready, then answers', async () => {
    const { host, ready, messages } = startHost(echo);
    expect(host.isReady).toBe(false);
    host.send({ id: 1 });
    host.sendText('{"id":2}');
    expect(await ready).toEqual({ ready: true, pid: host.pid });
    expect(host.isReady).toBe(true);
    await expect.poll(() => messages).toEqual([{ echo: { id: 1 } }, { echo: { id: 2 } }]);
  });

  test('exchanges more than fits into a pipe', async () => {
    const { host, messages } = startHost(echo);
    const text = 'é'.repeat(500_000);
    for (let id = 0; id < 10; id++) host.send({ id, text });
    await host.drained();
    await expect.poll(() => messages.length).toBe(10);
    expect(messages.at(-1)).toEqual({ echo: { id: 9, text } });
  });

  test('runs with the given environment, and without `__proto__`', async () => {
    const { host, messages } = startHost(acts, { env: { PATH: process.env.PATH, COLOUR: 'red' } });
    host.send({
      code: 'return { colour: process.env.COLOUR, proto: String({}.__proto__), home: process.env.HOME ?? null }',
    });
    await expect.poll(() => messages).toEqual([{ colour: 'red', proto: 'undefined', home: null }]);
  });

  test('prints to stderr of the front, its children included', async () => {
    const { host, printed } = startHost(acts);
    const code = `console.log('out'); console.error('err'); fs.writeSync(1, 'raw ');
      childProcess.spawn('echo', ['child'], { stdio: 'inherit' })`;
    host.send({ code });
    for (const text of ['out\n', 'err\n', 'raw ', 'child\n']) await expect.poll(printed).toContain(text);
  });

  test('goes on when stderr of the front is gone', async () => {
    const stderr = new PassThrough();
    const { host, messages } = startHost(acts, { stderr });
    stderr.destroy();
    host.send({ code: `${printMuch}; return { id: 1 }` });
    await expect.poll(() => messages).toEqual([{ id: 1 }]);
  });

  test('ends when it is closed', async () => {
    const { host, ready, death } = startHost(echo);
    await ready;
    await host.close(5000);
    expect(host.isReady).toBe(false);
    expect(await death).toEqual({ kind: 'killed', reason: 'was ended' });
    await expectEnded(host.pid!);
    host.send({ id: 1 });
    await host.drained();
    await host.kill();
  });

  test('ends when it is closed while it blocks', async () => {
    const { host, ready } = startHost(acts);
    await ready;
    host.send({ code: 'for (;;);' });
    await host.close(50);
    await expectEnded(host.pid!);
  });
});

/** Code that ends a host, and the words for it. */
const deaths: Readonly<Record<string, readonly [code: string, kind: string, reason: string]>> = {
  'an exit': ['process.exit(7)', 'exit', 'exited with code 7'],
  'an exit with 0': ['process.exit(0)', 'exit', 'exited with code 0'],
  'an uncaught error': ["setTimeout(() => { throw new Error('stray') })", 'exit', 'exited with code 1'],
  'an abort': ['process.abort()', 'signal', 'was ended by SIGABRT'],
  'a signal': ["process.kill(process.pid, 'SIGSEGV')", 'signal', 'was ended by SIGSEGV'],
  'a kill': ["process.kill(process.pid, 'SIGKILL')", 'signal', 'was ended by SIGKILL'],
  'a message on its channel': [
    `fs.writeSync(4, '{"id":1}\\n')`,
    'fault',
    'sent a message without its key: other code has written to its channel',
  ],
  'a message that is too long': [
    "fs.writeSync(4, 'x'.repeat(2000))",
    'fault',
    'sent a message longer than 1000 bytes',
  ],
  'the end of its channel': ['fs.closeSync(4); setInterval(() => {}, 1000)', 'fault', 'closed its channel'],
};

describe.runIf(posix)('a host that dies', () => {
  test.each(Object.entries(deaths))('by %s reports the reason', async (_, [code, kind, reason]) => {
    const { host, death } = startHost(acts, { maxBytes: 1000 });
    host.send({ code });
    expect(await death).toEqual({ kind, reason });
    expect(host.isDead).toBe(true);
    await expectEnded(host.pid!);
  });

  test('reports a lack of memory', async () => {
    const { host, death } = startHost(acts, { nodeFlags: ['--max-old-space-size=10'] });
    host.send({ code: 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));' });
    expect(await death).toEqual({ kind: 'memory', reason: 'ran out of memory' });
  });

  test('has delivered all that it sent before', async () => {
    const { host, death, messages } = startHost(acts);
    const code = 'for (let id = 0; id < 20_000; id++) channel.send({ id }); channel.flush(); process.exit(3)';
    host.send({ code });
    await death;
    expect(messages).toHaveLength(20_000);
  });

  test('leaves no child behind', async () => {
    const { host, death, messages } = startHost(acts);
    host.send({
      code: `const start = (options) => childProcess.spawn('sleep', ['1000'], { stdio: 'ignore', ...options });
        const pids = [start({}), start({ detached: true })].map((child) => child.pid);
        setTimeout(() => process.exit(1), 20);
        return { pids };`,
    });
    await death;
    await expectEnded(
      ...(messages[0] as { pids: number[] }).pids.slice(0, process.platform === 'linux' ? 2 : 1),
    );
  });

  test('does not keep its front running for a process that outlives it', async () => {
    const entry = hostProgram(
      '',
      `childProcess.spawn('/bin/sh', ['-c', 'sleep 30 &'], { env: {}, detached: true, stdio: 'inherit' })
        .on('exit', () => process.exit(1));`,
    );
    const program = frontProgram(entry, '', 'new PassThrough().resume()');
    const front = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void front.kill('SIGKILL'));
    const started = performance.now();
    const [[chunk]] = await Promise.all([once(front.stderr, 'data'), once(front, 'exit')]);
    expect(`${chunk}`).toBe('exited with code 1\n');
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('reports a module that cannot be loaded', async () => {
    const { death, printed } = startHost(path.join(import.meta.dirname, 'missing.mjs'));
    expect(await death).toEqual({ kind: 'exit', reason: 'exited with code 1' });
    expect(printed()).toContain('Cannot find module');
  });
});

describe('the front', () => {
  test('reports a host that cannot be started', async () => {
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = '/missing/node';
    const { host, death } = startHost(echo);
    expect(host.send({ id: 1 })).toBe(true);
    await expect(death).resolves.toEqual({
      kind: 'unstartable',
      reason: 'could not be started: spawn /missing/node ENOENT',
    });
    await host.kill();
  });

  test('kills a host that blocks its thread, and its children', async () => {
    const { host, death, messages } = startHost(acts);
    host.send({
      code: `const { pid } = childProcess.spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
        channel.send({ pid });
        channel.flush();
        for (;;);`,
    });
    await expect.poll(() => messages.length).toBe(1);
    const started = performance.now();
    await host.kill('did not answer within 5 s');
    expect(performance.now() - started).toBeLessThan(900);
    expect(await death).toEqual({ kind: 'killed', reason: 'did not answer within 5 s' });
    await expectEnded(host.pid!, (messages[0] as { pid: number }).pid);
  });

  test('drops messages of a host that it has killed', async () => {
    const { host, ready, messages } = startHost(
      hostProgram('', 'setInterval(() => channel.send({ id: 1 }), 1)'),
    );
    await ready;
    await expect.poll(() => messages.length).toBeGreaterThan(0);
    const killing = host.kill();
    const { length } = messages;
    await killing;
    expect(messages).toHaveLength(length);
  });

  test('kills a host that does not get ready', async () => {
    const { death } = startHost(hostProgram('', 'for (;;);'), { startTimeoutMs: 50 });
    expect(await death).toEqual({ kind: 'killed', reason: 'did not start within 0.05 s' });
  });

  test('is not blocked by a host that prints to a full stderr', async () => {
    const stderr = new Writable({ highWaterMark: 1, write() {} });
    const { host, death } = startHost(acts, { stderr });
    host.send({ code: printMuch });
    await host.kill();
    await death;
  });
});

describe.runIf(posix)('a host ends with its front', () => {
  async function startFront(code: string, body = ''): Promise<{ front: ChildProcess; pid: number }> {
    const entry = hostProgram('', code);
    const front = spawn(process.execPath, [frontProgram(entry, body)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void front.kill('SIGKILL'));
    const [chunk] = await once(front.stdout as NodeJS.ReadableStream, 'data');
    const pid = Number(chunk);
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    return { front, pid };
  }

  test('exits after the front exits', async () => {
    const { front, pid } = await startFront(
      'setInterval(() => {}, 1000)',
      "process.on('SIGTERM', () => process.exit())",
    );
    front.kill();
    await expectEnded(pid);
  });

  test('exits after the front is killed', async () => {
    const { front, pid } = await startFront('setInterval(() => {}, 1000)');
    front.kill('SIGKILL');
    await expectEnded(pid);
  });

  test.runIf(process.platform === 'linux')('ends with its children after the front is killed', async () => {
    const pidFile = path.join(writeFolder(), 'pid');
    const { front, pid } = await startFront(
      `setTimeout(() => {
         const child = childProcess.spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
         fs.writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
         for (;;);
       });`,
    );
    await expect.poll(() => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '')).toMatch(/^\d+$/);
    const child = Number(readFileSync(pidFile, 'utf8'));
    front.kill('SIGKILL');
    await expectEnded(pid, child);
  });

  test('exits after the front is killed, even if its thread is blocked', async () => {
    const { front, pid } = await startFront('setTimeout(() => { for (;;); })');
    front.kill('SIGKILL');
    await expectEnded(pid);
  });
});
