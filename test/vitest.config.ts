import { defineConfig } from 'vitest/config';

const root = new URL('..', import.meta.url).pathname;

/** Three suites: the source by itself, the built program on a real pipe, the packed package as a user gets it. */
export default defineConfig({
  root,
  test: {
    projects: [
      { test: { name: 'unit', root, include: ['test/{engine,cli,docs}/**/*.test.ts'] } },
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
