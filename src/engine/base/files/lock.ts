import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { FileAccessError, systemErrorCode, writingRefusal } from './file-error.js';
import { type Holder, isDead, thisProcess } from './lock-holder.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { removeStaleTemporaries, temporaryFile } from './temporary.js';

/** How to wait for a lock. */
export interface LockOptions {
  /** How long others may keep it before we give up. */
  readonly waitMs?: number;
  /** Ends the waiting; work that has begun goes on. */
  readonly signal?: AbortSignal | undefined;
}

interface LockWait {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Does work that only one at a time may do, among all processes and within this one. What a dead process left locked is
 * taken over at once; a live process, or one of another machine, is waited for. Work must not ask for its own lock.
 *
 * Libraries judge a lock by its age, which makes everybody wait after a crash; here the process itself is asked about.
 * @throws FileRefusal naming who holds the lock, if it does not come free in time; or what `signal` says.
 */
export async function withLock<T>(
  lockFile: string,
  work: () => Promise<T>,
  { waitMs = 30_000, signal }: LockOptions = {},
): Promise<T> {
  const waiting = { deadline: performance.now() + waitMs, signal };
  return await inTurn(lockFile, waiting, () => exclusively(lockFile, waiting, work));
}

/** The end of the line before each lock within this process. */
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

/** A lock that is there. */
interface FoundLock {
  /** Differs from that of every other lock. */
  readonly claim: string;
  /** Undefined: the claim cannot be read, for it is not all there. */
  readonly holder: Holder | undefined;
  readonly ageMs: number;
}

/**
 * Makes the lock, unless there is one. It appears with its claim in it, so that whoever dies at any moment leaves nothing
 * that cannot be judged.
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
  // Not every disk has hard links.
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

/** How long a claim may take to be written where it does not come with the lock. */
const claimMs = 10_000;

function isLeftBehind({ holder, ageMs }: FoundLock): boolean {
  return holder === undefined ? ageMs > claimMs : isDead(holder);
}

/**
 * Puts our claim in the place of a dead one. Of several who judged the same lock only one may, so this is itself done
 * under a lock, which outlives a crash by the same rule.
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
    // The work is done, and the lock is a dead process's soon.
  }
}

function lockTimeoutError(lockFile: string, holder: Holder | undefined): FileAccessError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  const message = `${who} still holds the lock ${lockFile}. Wait until it has ended; if there is no such process any more, remove that file.`;
  return new FileAccessError('locked', lockFile, message[0]!.toUpperCase() + message.slice(1));
}
