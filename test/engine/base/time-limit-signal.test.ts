import { describe, expect, test, vi } from 'vitest';
import { withTimeLimit } from '../../../src/engine/base/time-limit-signal.js';

describe('a signal with a time limit', () => {
  test('aborts after its time, also if only its listener is in memory', async () => {
    const aborted = vi.fn();
    withTimeLimit(new AbortController().signal, 20).addEventListener('abort', aborted);
    await vi.waitUntil(() => aborted.mock.calls.length > 0, 10_000);
    const signal = withTimeLimit(undefined, 1);
    await vi.waitUntil(() => signal.aborted, 10_000);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  test('aborts with the other signal, for the same reason', () => {
    const controller = new AbortController();
    const signal = withTimeLimit(controller.signal, 60_000);
    expect(signal.aborted).toBe(false);
    controller.abort('enough');
    expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
    expect(withTimeLimit(controller.signal, 60_000)).toMatchObject({ aborted: true, reason: 'enough' });
  });
});
