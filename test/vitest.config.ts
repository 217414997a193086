import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';

const root = new URL('..', import.meta.url).pathname;

/** Where everything is there to run all tests, one that did not run is a failure. */
const noSkips: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    for (const { fullName } of skipped) process.stderr.write(`skipped: ${fullName}\n`);
    if (skipped.length > 0) process.exitCode = 1;
  },
};

/**
 * Five suites: the source by itself, the built program on a real pipe and over HTTP, apps in a browser, the packed
 * package as a user gets it.
 */
export default defineConfig({
  root,
  test: {
    reporters: ['default', ...(process.env.AGENTTOOLS_TEST_ALL === '1' ? [noSkips] : [])],
    projects: [
      {
        test: {
          name: 'unit',
          root,
          include: ['test/{engine,builtin,cli,docs,conformance}/**/*.test.ts'],
          // Only a fault takes that long; on a machine that is busy otherwise everything may take seconds.
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'stdio',
          root,
          include: ['test/stdio/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'http',
          root,
          include: ['test/http/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          root,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          root,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
