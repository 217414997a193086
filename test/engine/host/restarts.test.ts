import { expect, test } from 'vitest';
import { type RestartOptions, Restarts } from '../../../src/engine/host/restarts.js';

function openRestarts(options: Partial<RestartOptions> = {}) {
  let time = 5000;
  const restarts = new Restarts({ now: () => time, ...options });
  /** Starts a host as soon as that is allowed, and lets it die. Returns the wait before the next one. */
  const live = (lifeMs: number, calls = 0): number => {
    time += restarts.waitMs;
    restarts.recordStart();
    time += lifeMs;
    restarts.recordDeath(calls);
    return restarts.waitMs;
  };
  const pass = (ms: number): void => {
    time += ms;
  };
  return { restarts, live, pass };
}

test('allows the first start', () => {
  expect(openRestarts().restarts.waitMs).toBe(0);
});

test('restarts at once, then after pauses that double up to the longest', () => {
  const { live } = openRestarts();
  const waits = Array.from({ length: 13 }, () => live(10));
  expect(waits).toEqual([0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
});

test('still restarts after thousands of deaths', () => {
  const { live } = openRestarts();
  for (let count = 0; count < 5000; count++) live(1);
  expect(live(1)).toBe(30_000);
});

test('counts the pause from the death on', () => {
  const { live, pass, restarts } = openRestarts();
  live(0);
  live(0);
  live(0);
  pass(150);
  expect(restarts.waitMs).toBe(50);
  pass(1000);
  expect(restarts.waitMs).toBe(0);
});

test.each([
  ['a long life', 60_000, 0],
  ['many calls', 5, 100],
])('restarts at once after %s', (_, lifeMs, calls) => {
  const { live } = openRestarts();
  for (let count = 0; count < 6; count++) live(10);
  expect(live(lifeMs, calls)).toBe(0);
  expect(live(10)).toBe(100);
});

test('goes on after a life that was nearly long, and nearly enough calls', () => {
  const { live } = openRestarts();
  live(10);
  expect(live(59_999, 99)).toBe(100);
});

test('does not count time without a host as life', () => {
  const { live, pass } = openRestarts();
  live(10);
  live(10);
  pass(120_000);
  expect(live(10)).toBe(200);
});

test('takes other limits', () => {
  const { live } = openRestarts({ firstPauseMs: 10, longestPauseMs: 30, goodLifeMs: 100, goodCalls: 1 });
  expect([live(1), live(1), live(1), live(1), live(100), live(1), live(1, 1)]).toEqual([
    0, 10, 20, 30, 0, 10, 0,
  ]);
});
