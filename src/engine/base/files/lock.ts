import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { FileAccessError, systemErrorCode, writingRefusal } from './file-error.js';
import { type Holder, isDead, thisProcess } from './lock-holder.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { removeStaleTemporaries, temporaryFile } from './temporary.js';

/** Limits of the wait for a lock. */
export interface LockOptions {
  /** Longest wait for other holders, in milliseconds. Default: 30,000. */
  readonly waitMs?: number;
  /** Ends the wait; running work continues. */
  readonly signal?: AbortSignal | undefined;
}

interface LockWait {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs work exclusively, among all processes and within this one. Takes over the lock of a dead process at
 * once; waits for a live process, or one of another machine. Not reentrant.
 *
 * Libraries judge a lock by its age, which makes all processes wait after a crash; this lock checks the
 * holder itself.
 * @throws FileAccessError with the holder of the lock, if it is not released in time; or the reason of
 *   `signal`.
 */
export async function withLock<T>(
  lockFile: string,
  work: () => Promise<T>,
  { waitMs = 30_000, signal }: LockOptions = {},
): Promise<T> {
  const waiting = { deadline: performance.now() + waitMs, signal };
  return await inTurn(lockFile, waiting, () => exclusively(lockFile, waiting, work));
}

/** Tail of the queue for each lock within this process. */
const lines = new Map<string, Promise<void>>();

async function inTurn<T>(lockFile: string, waiting: LockWait, work: () => Promise<T>): Promise<T> {
  const before = lines.get(lockFile) ?? Promise.resolve();
  let leave!: () => void;
  const turn = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const end = before.then(() => turn);
  lines.set(lockFile, end);
  void end.then(() => {
    if (lines.get(lockFile) === end) lines.delete(lockFile);
  });
  try {
    if (!(await comesBefore(waiting, before))) throw lockTimeoutError(lockFile, thisProcess());
    return await work();
  } finally {
    leave();
  }
}

async function comesBefore({ deadline, signal }: LockWait, event: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  const either = signal ? AbortSignal.any([timer.signal, signal]) : timer.signal;
  const late = delay(Math.max(0, deadline - performance.now()), false, { signal: either });
  try {
    return await Promise.race([event.then(() => true), late]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

async function exclusively<T>(lockFile: string, waiting: LockWait, work: () => Promise<T>): Promise<T> {
  const claim = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  await acquire(lockFile, claim, waiting);
  try {
    return await work();
  } finally {
    await release(lockFile, claim);
  }
}

async function acquire(lockFile: string, claim: string, waiting: LockWait): Promise<void> {
  try {
    await mkdir(path.dirname(lockFile), { recursive: true, mode: 0o700 });
    await removeStaleTemporaries(path.dirname(lockFile));
    for (;;) {
      waiting.signal?.throwIfAborted();
      if (await create(lockFile, claim)) return;
      const found = await readLock(lockFile);
      if (found !== undefined && isLeftBehind(found) && (await takeOver(lockFile, found, claim, waiting)))
        return;
      if (performance.now() >= waiting.deadline) throw lockTimeoutError(lockFile, found?.holder);
      if (found !== undefined) await delay(20 + Math.random() * 60);
    }
  } catch (error) {
    throw writingRefusal(error, lockFile);
  }
}

/** An existing lock. */
interface FoundLock {
  /** Unique for each lock. */
  readonly claim: string;
  /** Undefined if the claim is incomplete or unreadable. */
  readonly holder: Holder | undefined;
  readonly ageMs: number;
}

/**
 * Creates the lock, unless it exists. The lock appears together with its claim, so a crash never leaves a
 * lock without a holder.
 */
async function create(lockFile: string, claim: string): Promise<boolean> {
  const temporary = temporaryFile(path.dirname(lockFile));
  try {
    await writeFile(temporary, claim, { flag: 'wx', mode: 0o600 });
    return await retryWhileBusy(() => linkOrWrite(temporary, lockFile, claim));
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

async function linkOrWrite(temporary: string, lockFile: string, claim: string): Promise<boolean> {
  try {
    await link(temporary, lockFile);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
  }
  // Not every disk supports hard links.
  try {
    await writeFile(lockFile, claim, { flag: 'wx', mode: 0o600 });
    return (await readLock(lockFile))?.claim === claim;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readLock(lockFile: string): Promise<FoundLock | undefined> {
  try {
    const claim = await readFile(lockFile, 'utf8');
    const { mtimeMs } = await stat(lockFile);
    return { claim, holder: holderIn(claim), ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function holderIn(claim: string): Holder | undefined {
  try {
    const { host, namespace, pid, started } = JSON.parse(claim) as Partial<Holder>;
    if (typeof host !== 'string' || !Number.isSafeInteger(pid) || pid! <= 0) return undefined;
    return { host, pid: pid!, ...(namespace && { namespace }), ...(started && { started }) };
  } catch {
    return undefined;
  }
}

/** Longest time to write a claim that does not appear together with the lock, in milliseconds. */
const claimMs = 10_000;

function isLeftBehind({ holder, ageMs }: FoundLock): boolean {
  return holder === undefined ? ageMs > claimMs : isDead(holder);
}

/**
 * Replaces the claim of a dead process. Only one of several waiting processes may do this, so it takes a
 * second lock, which survives a crash by the same rule.
 */
async function takeOver(
  lockFile: string,
  dead: FoundLock,
  claim: string,
  waiting: LockWait,
): Promise<boolean> {
  return await exclusively(`${lockFile}.takeover`, waiting, async () => {
    if ((await readLock(lockFile))?.claim !== dead.claim) return false;
    const temporary = temporaryFile(path.dirname(lockFile));
    try {
      await writeFile(temporary, claim, { flag: 'wx', mode: 0o600 });
      await retryWhileBusy(() => rename(temporary, lockFile));
      return true;
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  });
}

async function release(lockFile: string, claim: string): Promise<void> {
  try {
    if ((await readLock(lockFile))?.claim === claim) await retryWhileBusy(() => unlink(lockFile));
  } catch {
    // The work is done, and the lock is stale as soon as this process ends.
  }
}

function lockTimeoutError(lockFile: string, holder: Holder | undefined): FileAccessError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  const message = `${who} still holds the lock ${lockFile}. Wait until it has ended; if there is no such process any more, remove that file.`;
  return new FileAccessError('locked', lockFile, message[0]!.toUpperCase() + message.slice(1));
}
