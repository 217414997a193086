import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, test, vi } from 'vitest';

import { readRun, runGuarded, startGuarded } from './support/guarded.js';

/** A zombie that nobody has collected yet has ended. */
const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout);
};

async function readPids(child: ChildProcess): Promise<number[]> {
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return String(chunk).trim().split(/\s+/).map(Number);
}

describe.skipIf(process.platform === 'win32')('a session ends', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('on %s', async (signal) => {
    const child = await startGuarded(
      "watchExit({ onEnd: (reason) => { say(reason); guard.exit(0); } }); say('0'); setInterval(() => {}, 1000);",
    );
    await readPids(child);
    child.kill(signal);
    expect(await readRun(child)).toMatchObject({ stdout: `${signal}\n`, code: 0 });
  });

  test('when its parent is gone, though the pipe is open', async () => {
    const program =
      "watchExit({ intervalMs: 20, onEnd: (reason) => { say(reason); guard.exit(0); } }); process.kill(process.ppid, 'SIGKILL'); setInterval(() => {}, 1000);";
    const file = await startGuarded(program).then((child) => {
      child.kill('SIGKILL');
      return child.spawnargs[1] as string;
    });
    const parent = spawn('sh', ['-c', `"$1" "$2" & wait`, 'sh', process.execPath, file], { stdio: 'pipe' });
    expect((await readRun(parent)).stdout).toBe('parent-gone\n');
  });

  test('is not kept alive by the watch', async () => {
    const child = await startGuarded('watchExit({ onEnd: () => {} })();');
    expect((await readRun(child)).code).toBe(0);
  });
});

/** How an extension can leave a process behind; each is expected to print the pids of what it left. */
const leftovers: Record<string, string> = {
  'a child': "const { pid } = cp.spawn('sleep', ['1000']); say(pid)",
  'a child and its child':
    "const child = cp.spawn('sh', ['-c', 'sleep 1000 & echo $!; wait']); child.stdout.on('data', (pid) => say(child.pid + ' ' + pid))",
  'a detached child':
    "const child = cp.spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }); child.unref(); say(child.pid)",
  'a child that does not listen to SIGTERM':
    "const child = cp.spawn('sh', ['-c', \"trap '' TERM; echo $$; while true; do sleep 0.05; done\"]); child.stdout.once('data', say)",
  'the orphan of a detached child':
    "const child = cp.spawn('sh', ['-c', 'sleep 1000 > /dev/null 2>&1 & echo $!'], { detached: true }); child.stdout.on('data', (pid) => child.once('close', () => say(pid)))",
};

/** Orphans in our own group can be told only by their environment. */
const orphans: Record<string, string> = {
  'an orphan':
    "const child = cp.spawn('sh', ['-c', 'sleep 1000 > /dev/null 2>&1 & echo $!']); child.stdout.on('data', (pid) => child.once('close', () => say(pid)))",
  'an orphan of execSync': "say(cp.execSync('sleep 1000 > /dev/null 2>&1 & echo $!'))",
  'an orphan in a session of its own':
    "const child = cp.spawn('sh', ['-c', 'setsid sleep 1000 > /dev/null 2>&1 & echo $!']); child.stdout.on('data', (pid) => child.once('close', () => say(pid)))",
};

describe.skipIf(process.platform === 'win32').concurrent('child processes at the end of a session', () => {
  const cases = { ...leftovers, ...(process.platform === 'linux' && orphans) };
  test.each(Object.entries(cases))('%s', async (_, code) => {
    const child = await startGuarded(
      `const { default: cp } = await import('node:child_process');
       process.stdin;
       setInterval(() => {}, 1000);
       watchExit({ onEnd: async () => { await killTree({ spawned: guard.spawned }); guard.exit(0); } });
       ${code}`,
    );
    const pids = await readPids(child);
    expect(pids.map(isAlive)).toEqual(pids.map(() => true));
    child.kill('SIGTERM');
    expect((await readRun(child)).code).toBe(0);
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual(pids.map(() => false)), 10_000);
  });

  test('ends no other process', async () => {
    const bystander = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const run = await runGuarded(
      `const { execSync } = await import('node:child_process');
       execSync('true');
       await killTree({ spawned: guard.spawned });`,
    );
    expect(run.code).toBe(0);
    expect(isAlive(bystander.pid as number)).toBe(true);
    bystander.kill();
  });

  test('at next to no cost when nothing was started', async () => {
    // The best of several, for this machine may be busy.
    const run = await runGuarded(
      `const times = [];
       for (let n = 0; n < 10; n += 1) {
         const start = performance.now();
         await killTree({ spawned: guard.spawned });
         times.push(performance.now() - start);
       }
       say(Math.min(...times));`,
    );
    expect(Number(run.stdout)).toBeLessThan(20);
  });
});
