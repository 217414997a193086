import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileAccessError } from '../../../../src/engine/base/files/file-error.js';
import { withLock } from '../../../../src/engine/base/files/lock.js';
import { type Holder, thisProcess } from '../../../../src/engine/base/files/lock-holder.js';
import { addFiles, writeFolder } from '../../../support/packages.js';

const disk = vi.hoisted(() => ({ hasLinks: true }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const link: typeof original.link = async (...args) => {
    if (!disk.hasLinks) throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'link' });
    return await original.link(...args);
  };
  return { ...original, link };
});

let folder: string;
let lockFile: string;

describe('a waiting process', () => {
  it.each(['in this process', 'in another process'])('for work %s ends on an abort signal', async (where) => {
    const control = new AbortController();
    const reason = new Error('no more');
    let release = () => {};
    if (where === 'in another process') lockBy({});
    else void withLock(lockFile, () => new Promise<void>((done) => (release = done)));
    const waiting = withLock(lockFile, async () => 'done', { waitMs: 3_600_000, signal: control.signal });
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    release();
  });
});

beforeEach(() => {
  folder = writeFolder();
  lockFile = path.join(folder, 'a.lock');
});

afterEach(() => {
  disk.hasLinks = true;
});

/** The number of a process that has ended. */
const deadPid = spawnSync(process.execPath, ['-e', '']).pid;

/** Leaves a lock as another process would. */
function lockBy(holder: Partial<Holder>, name = 'a.lock'): void {
  const { host, namespace } = thisProcess();
  addFiles(folder, { [name]: { host, namespace, token: name, ...holder } });
}

/** What the lock says while it is ours. */
async function lockOnce(waitMs = 0): Promise<unknown> {
  return await withLock(lockFile, async () => JSON.parse(readFileSync(lockFile, 'utf8')), { waitMs });
}

async function refusalOf(work: Promise<unknown>): Promise<FileAccessError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileAccessError);
  return error as FileAccessError;
}

describe.each([
  ['with hard links', true],
  ['without hard links', false],
])('a lock on a disk %s', (_disk, hasLinks) => {
  beforeEach(() => {
    disk.hasLinks = hasLinks;
  });

  it('holds the owner, returns the result of the work, and is removed afterwards', async () => {
    const { pid, host } = thisProcess();
    expect(await lockOnce()).toMatchObject({ pid, host });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes its folder', async () => {
    expect(await withLock(path.join(folder, 'a/b/c.lock'), async () => 1)).toBe(1);
    expect(readdirSync(path.join(folder, 'a/b'))).toEqual([]);
  });

  it('is gone when the work fails', async () => {
    const work = async () => {
      throw new Error('no');
    };
    await expect(withLock(lockFile, work)).rejects.toThrow('no');
    expect(await lockOnce()).toBeDefined();
  });

  it('lets the work of one process in one after the other, as they came', async () => {
    const log: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map((name) =>
      withLock(lockFile, async () => {
        log.push(`${name} in`);
        await delay(1);
        log.push(`${name} out`);
      }),
    );
    await Promise.all(works);
    expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out', 'd in', 'd out']);
  });

  it('refuses work that asks for its own lock, instead of hanging', async () => {
    const { message } = await refusalOf(withLock(lockFile, () => lockOnce(20)));
    expect(message).toContain(`Process ${process.pid}`);
    expect(await lockOnce()).toBeDefined();
  });

  it('still comes to those in line behind one that gave up', async () => {
    const work = new EventEmitter();
    const begun = once(work, 'begun');
    const first = withLock(lockFile, () => {
      const done = once(work, 'done');
      work.emit('begun');
      return done;
    });
    await begun;
    const second = refusalOf(lockOnce(10));
    const third = lockOnce(10_000);
    await second;
    work.emit('done');
    await first;
    expect(await third).toMatchObject({ pid: process.pid });
  });

  it('is taken over at once from a dead process', async () => {
    lockBy({ pid: deadPid });
    expect(await lockOnce()).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over at once from a process that died taking it over', async () => {
    lockBy({ pid: deadPid });
    lockBy({ pid: deadPid }, 'a.lock.takeover');
    lockBy({ pid: deadPid }, 'a.lock.takeover.takeover');
    expect(await lockOnce()).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stays with a live process', async () => {
    lockBy({ pid: process.ppid });
    const { reason, message } = await refusalOf(lockOnce(50));
    expect(reason).toBe('locked');
    expect(message).toBe(
      `Process ${process.ppid} on ${thisProcess().host} still holds the lock ${lockFile}. Wait until it has ended; if there is no such process any more, remove that file.`,
    );
    expect(existsSync(lockFile)).toBe(true);
  });

  it('stays with a dead lock that a live process is taking over', async () => {
    lockBy({ pid: deadPid });
    lockBy({ pid: process.ppid }, 'a.lock.takeover');
    expect((await refusalOf(lockOnce())).message).toContain(`Process ${process.ppid}`);
    expect(readdirSync(folder).sort()).toEqual(['a.lock', 'a.lock.takeover']);
  });

  it.each<[string, Partial<Holder>]>([
    ['another machine', { host: 'elsewhere' }],
    ['another container of this machine', { namespace: 'pid:[1]' }],
  ])('stays with %s, whose processes cannot be asked about', async (_where, holder) => {
    lockBy({ pid: deadPid, ...holder });
    expect((await refusalOf(lockOnce(50))).reason).toBe('locked');
    expect(existsSync(lockFile)).toBe(true);
  });

  it('is waited for', async () => {
    const held = spawn('sleep', ['0.1']);
    lockBy({ pid: held.pid! });
    expect(await lockOnce(30_000)).toMatchObject({ pid: process.pid });
  });

  it.each(['', '{"host":'])('with only %j in it stays for a while', async (text) => {
    addFiles(folder, { 'a.lock': text });
    expect((await refusalOf(lockOnce())).message).toMatch(/^Another process still holds the lock /);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lockFile, longAgo, longAgo);
    expect(await lockOnce()).toMatchObject({ pid: process.pid });
  });

  it('keeps the lock of another process after its own is gone', async () => {
    await withLock(lockFile, async () => lockBy({ pid: process.ppid }));
    expect(JSON.parse(readFileSync(lockFile, 'utf8'))).toMatchObject({ pid: process.ppid });
  });
});

describe.runIf(process.platform === 'linux')('a process on Linux', () => {
  it('is not the one that had its number before', async () => {
    lockBy({ pid: process.ppid, started: '1' });
    expect(await lockOnce()).toMatchObject({ pid: process.pid });
  });

  it('is dead although its parent did not take note', async () => {
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [pid] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    // A shell reaps its children, `sleep` does not.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    parent.stdin.end();
    const state = () => readFileSync(`/proc/${Number(pid)}/stat`, 'utf8').split(') ')[1]![0];
    await expect.poll(state, { timeout: 10_000 }).toBe('Z');
    lockBy({ pid: Number(pid) });
    expect(await lockOnce()).toMatchObject({ pid: process.pid });
  });
});

it('explains why it cannot make a lock', async () => {
  addFiles(folder, { file: '' });
  const { reason, message } = await refusalOf(withLock(path.join(folder, 'file/a.lock'), async () => 1));
  expect(reason).toBe('parent-not-folder');
  expect(message).toContain(path.join(folder, 'file/a.lock'));
});
