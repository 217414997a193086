import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';

const root = new URL('..', import.meta.url).pathname;

/** Files that only `npm run test:all` runs. */
const fullOnly = {
  'test/browser/': 'needs a browser',
  'test/e2e/': 'needs the packed package, registry servers or programs of vendors',
  '*.full.test.ts': 'needs daemons, or minutes',
} as const;

const fullOnlyFiles = ['test/browser/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/**/*.full.test.ts'];

/** Files that both tiers run, each with its own number of runs (`support/runs.ts`). */
const properties = 'test/**/*.properties.test.ts';

/** Names the tests that `npm test` leaves out. */
const leftOut: Reporter = {
  onTestRunEnd() {
    for (const [files, reason] of Object.entries(fullOnly)) {
      process.stdout.write(`not run: ${files} ${reason} (npm run test:all)\n`);
    }
  },
};

/** A skipped test fails `npm run test:all`. */
const noSkips: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    for (const { fullName } of skipped) process.stderr.write(`skipped: ${fullName}\n`);
    if (skipped.length > 0) process.exitCode = 1;
  },
};

/** Only a fault takes that long. On a busy machine any test may take seconds. */
const patient = { testTimeout: 30_000, hookTimeout: 60_000 };

/** `npm test`: the source (`unit`), and the built program over a pipe (`stdio`) and over HTTP (`http`). */
const quick: readonly TestProjectInlineConfiguration[] = [
  ['unit', ['test/{engine,builtin,cli,docs,conformance}/**/*.test.ts']],
  ['stdio', ['test/stdio/**/*.test.ts']],
  ['http', ['test/http/**/*.test.ts']],
].map(([name, include]) => ({
  test: { name: name as string, root, include: include as string[], exclude: fullOnlyFiles, ...patient },
}));

/** `npm run test:all`, which is `--mode full`: all other tests, and the properties with more runs. */
const full: readonly TestProjectInlineConfiguration[] = [
  {
    test: {
      name: 'full',
      root,
      include: [...fullOnlyFiles, properties],
      env: { AGENTTOOLS_TEST_ALL: '1' },
      testTimeout: 180_000,
      hookTimeout: 300_000,
    },
  },
];

/** `npm run test:smoke`: the main jobs, for each other Node that is supported. */
const smoke: readonly TestProjectInlineConfiguration[] = [
  { test: { name: 'smoke', root, include: ['test/smoke/**/*.test.ts'], ...patient } },
];

const tiers = {
  quick: { projects: quick, reporter: leftOut },
  full: { projects: full, reporter: noSkips },
  smoke: { projects: smoke, reporter: noSkips },
} as const;

export default defineConfig(({ mode }) => {
  const { projects, reporter } = tiers[mode === 'full' || mode === 'smoke' ? mode : 'quick'];
  return {
    root,
    test: {
      projects: [...projects],
      reporters: ['default', reporter],
      // Vitest leaves one of two cores unused.
      maxWorkers: availableParallelism(),
    },
  };
});
