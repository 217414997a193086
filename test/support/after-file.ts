import { afterAll } from 'vitest';

const jobs = new Set<() => unknown>();

/**
 * Runs a job at the end of each test file. A module's own `afterAll` is not enough: test files that share a process load
 * the module once, and only the first of them would run it.
 */
export function afterFile(job: () => unknown): void {
  jobs.add(job);
}

/** Called once per test file, by `setup.ts`. */
export function runJobsAfterFile(): void {
  afterAll(async () => {
    for (const job of jobs) await job();
  });
}
