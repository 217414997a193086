import { afterAll, afterEach, beforeAll } from 'vitest';

const before = new Set<() => unknown>();
const afterEachTest = new Set<() => unknown>();
const after = new Set<() => unknown>();

/**
 * Runs a job at the start of each test file. A module's own `beforeAll`, `afterEach` and `afterAll` are not enough: test files
 * that share a process load the module once, and only the first of them would run these.
 */
export function beforeFile(job: () => unknown): void {
  before.add(job);
}

/** Runs a job after each test. */
export function afterTest(job: () => unknown): void {
  afterEachTest.add(job);
}

/** Runs a job at the end of each test file. */
export function afterFile(job: () => unknown): void {
  after.add(job);
}

/** Called once per test file, by `setup.ts`. */
export function runJobsOfFile(): void {
  beforeAll(async () => {
    for (const job of before) await job();
  });
  afterEach(async () => {
    for (const job of afterEachTest) await job();
  });
  afterAll(async () => {
    for (const job of after) await job();
  });
}
