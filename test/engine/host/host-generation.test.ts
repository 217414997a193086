import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HostTimeoutError, NeverBegunError } from '../../../src/engine/host/host-error.js';
import {
  type ForwardedRequest,
  Generation,
  type GenerationOptions,
  type HostLinkOptions,
} from '../../../src/engine/host/host-generation.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A host that has begun the calls up to `lastBegun`, never answers, and dies 50 ms after a kill. */
function openGeneration(lastBegun: number): { generation: Generation; killReasons: readonly string[] } {
  const killReasons: string[] = [];
  const link = ({ onDeath }: HostLinkOptions) => ({
    lastBegun,
    send: () => true,
    kill: async (reason = '') => {
      killReasons.push(reason);
      if (killReasons.length === 1) setTimeout(onDeath, 50, { kind: 'killed', reason });
    },
  });
  const options = { link, hosted: {}, stderr: new PassThrough(), onDeath: () => {}, usualChanges: [] };
  return { generation: new Generation(options as unknown as GenerationOptions), killReasons };
}

function callOf(what: string, timeoutMs: number): ForwardedRequest {
  return { what, timeoutMs, passedMs: 0, onAbort: () => {} } as unknown as ForwardedRequest;
}

const request = { method: 'tools/call', params: {} } as never;

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.catch((error: unknown) => error);
}

describe('the deadlines of calls in a host', () => {
  test('give a call that expires after the kill to the next host, if it has not begun', async () => {
    const { generation, killReasons } = openGeneration(1);
    const blocking = errorOf(generation.run(1, request, callOf('Tool "block"', 2000)));
    await vi.advanceTimersByTimeAsync(10);
    const waiting = errorOf(generation.run(1, request, callOf('Tool "wait"', 2000)));
    await vi.advanceTimersByTimeAsync(4000);
    expect(await blocking).toEqual(new HostTimeoutError('gave no answer within 2 s'));
    expect(await waiting).toBeInstanceOf(NeverBegunError);
    expect(killReasons[0]).toBe('was ended, since tool "block" gave no answer within 2 s');
  });

  test('give a call to the next host if a call without end keeps it from beginning', async () => {
    const { generation, killReasons } = openGeneration(1);
    const blocking = errorOf(generation.run(1, request, callOf('Tool "block"', 60_000)));
    const waiting = errorOf(generation.run(1, request, callOf('Tool "wait"', 2000)));
    await vi.advanceTimersByTimeAsync(4000);
    const reason = 'was ended, since other code blocked it for 2 s, and tool "wait" could not begin';
    expect(killReasons).toEqual([reason]);
    expect(await blocking).toMatchObject({ name: 'HostEndedError', message: reason });
    expect(await waiting).toBeInstanceOf(NeverBegunError);
  });
});
