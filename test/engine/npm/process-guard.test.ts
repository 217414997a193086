import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDead, thisProcess } from '../../../src/engine/base/files/lock-holder.js';
import { guardedEnv, type NpmProcessLimits } from '../../../src/engine/npm/process-guard.js';

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const anHour = 'setTimeout(() => {}, 3_600_000);';

/** A program in bounds, the first of a group as npm is. */
function inBounds(program: string, bounds: Partial<NpmProcessLimits>): ChildProcess {
  const child = spawn(process.execPath, ['-e', program], {
    env: guardedEnv(
      { PATH: process.env.PATH },
      { starter: process.pid, bytes: Number.MAX_SAFE_INTEGER, ...bounds },
    ),
    detached: true,
  });
  started.push(child);
  return child;
}

function isRunning(pid: number): boolean {
  const { host, namespace } = thisProcess();
  return !isDead({ host, pid, ...(namespace && { namespace }) });
}

describe('npm, and what it started,', () => {
  it('ends when who it works for is killed', async () => {
    const starter = spawn(process.execPath, ['-e', anHour]);
    started.push(starter);
    const program = `
      const { spawn } = require('node:child_process');
      const { pid } = spawn(process.execPath, ['-e', '${anHour}'], { env: {} });
      require('node:fs').writeSync(1, String(pid));
      for (;;);`;
    const npm = inBounds(program, { starter: starter.pid! });
    const [pid] = (await once(npm.stdout!, 'data')).map(Number);
    expect([npm.pid!, pid!].map(isRunning)).toEqual([true, true]);
    const ended = once(npm, 'exit');
    starter.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(isRunning(pid!)).toBe(false), 20_000);
  }, 60_000);

  it('ends above its memory limit and reports this', async () => {
    const bytes = 256 * 1024 ** 2;
    const npm = inBounds(`const held = Buffer.alloc(${2 * bytes}, 1); for (;;) held[0]++;`, { bytes });
    const said = await text(npm.stderr!);
    expect(said).toMatch(/^npm error code EMEMORY\nnpm error It took more than 256 MB of memory: /);
  }, 60_000);

  it('ends by itself in its bounds', async () => {
    const npm = inBounds('console.log("done")', {});
    expect(await text(npm.stdout!)).toBe('done\n');
    expect(npm.exitCode ?? (await once(npm, 'exit'))[0]).toBe(0);
  }, 60_000);
});
