import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deadlines } from '../../../src/engine/runtime/deadlines.js';
import {
  type CallDeadline,
  pauseDeadlines,
  TimeoutError,
  withTimeLimit,
} from '../../../src/engine/runtime/time-limit.js';

const signal = new AbortController().signal;

/** Waits until a limit of this many milliseconds has passed. */
async function passed(timeoutMs: number): Promise<void> {
  await withTimeLimit(() => new Promise(() => {}), { timeoutMs, signal }).catch(() => {});
}

describe('a time limit', () => {
  test('does not run while it is paused, from the first moment on, and runs on after', async () => {
    const seen: boolean[] = [];
    const work = async (limit: CallDeadline) => {
      const [one, other] = [limit.pause(), limit.pause()];
      await passed(40);
      one();
      one();
      await passed(40);
      seen.push(limit.isOver);
      other();
      await new Promise(() => {});
    };
    await expect(withTimeLimit(work, { timeoutMs: 20, signal })).rejects.toBeInstanceOf(TimeoutError);
    expect(seen).toEqual([false]);
  });

  test('stays over after a pause', async () => {
    const limits: CallDeadline[] = [];
    const work = async (limit: CallDeadline) => {
      limits.push(limit);
      await new Promise(() => {});
    };
    await withTimeLimit(work, { timeoutMs: 1, signal }).catch(() => {});
    limits[0]!.pause()();
    expect(limits[0]!.signal.reason).toBeInstanceOf(TimeoutError);
  });

  test('can be ended before it is waited for, and while', async () => {
    const reason = new Error('asked first');
    for (const early of [true, false]) {
      const seen: unknown[] = [];
      const work = async (limit: CallDeadline) => {
        limit.signal.addEventListener('abort', () => seen.push(limit.signal.reason));
        if (!early) await Promise.resolve();
        limit.end(reason);
        limit.end(new Error('too late'));
        await new Promise(() => {});
      };
      await expect(withTimeLimit(work, { timeoutMs: 10_000, signal })).rejects.toBe(reason);
      expect(seen).toEqual([reason]);
    }
  });

  test('cannot be ended once there is an outcome', async () => {
    const limits: CallDeadline[] = [];
    const outcome = await withTimeLimit(
      async (limit) => {
        limits.push(limit);
        return 'done';
      },
      { timeoutMs: 10_000, signal },
    );
    limits[0]!.end(new Error('too late'));
    expect(outcome).toBe('done');
    expect(limits[0]!.isOver).toBe(false);
  });

  test('pauses during other work, even if that fails', async () => {
    const work = async (limit: CallDeadline) => {
      await pauseDeadlines([limit], () => passed(40));
      await pauseDeadlines([limit], () => Promise.reject(new Error('no'))).catch(() => {});
      return 'in time';
    };
    expect(await withTimeLimit(work, { timeoutMs: 20, signal })).toBe('in time');
  });

  test('reads the signal of its caller only for work that reads its own', async () => {
    let reads = 0;
    const outer = {
      isOver: false,
      get signal() {
        reads += 1;
        return signal;
      },
    };
    expect(await withTimeLimit(async ({ isOver }) => isOver, { timeoutMs: 1000, signal: outer })).toBe(false);
    expect(reads).toBe(0);
    await withTimeLimit(async (limit) => limit.signal.aborted, { timeoutMs: 1000, signal: outer });
    expect(reads).toBeGreaterThan(0);
  });
});

test('the shared timer keeps the process alive only during a wait', () => {
  const clock = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => clock.mockRestore());
  const fresh = Reflect.construct(deadlines.constructor, []) as typeof deadlines;
  const wait = fresh.add(60_000, () => {});
  const timer = clock.mock.results[0]!.value as NodeJS.Timeout;
  onTestFinished(() => clearTimeout(timer));
  expect(timer.hasRef()).toBe(true);
  fresh.remove(wait);
  expect(timer.hasRef()).toBe(false);
});
