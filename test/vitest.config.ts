import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';

const root = new URL('..', import.meta.url).pathname;

/** Files that only `npm run test:all` runs. */
const fullOnly = {
  'test/browser/': 'needs a browser',
  'test/e2e/': 'needs the packed package, registry servers or programs of vendors',
  '*.full.test.ts': 'needs daemons, or minutes',
} as const;

const browserFiles = 'test/browser/**/*.test.ts';
const e2eFiles = 'test/e2e/**/*.test.ts';
const fullFiles = 'test/**/*.full.test.ts';

/** Files that both tiers run, each with its own number of runs (`support/runs.ts`). */
const properties = 'test/**/*.properties.test.ts';

/**
 * Files that need a process of their own: they replace modules or timers, or use ArkType, which keeps types by process.
 */
const needsOwnProcess = /\bvi\.(?:mock|doMock|resetModules|useFakeTimers)\(|from 'arktype'/;

/** Commands end all children of their process, also the service of esbuild, so they share other processes. */
const endsEsbuild = /\b(?:runCli|runAtHome|main)\(/;

/** Files of some folders that share processes, and so load the source once. */
function sharing(folders: RegExp, own: RegExp): readonly string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => folders.test(file) && /(?<!\.full)\.test\.ts$/.test(file))
    .map((file) => `test/${file}`)
    .filter((file) => !own.test(readFileSync(path.join(root, file), 'utf8')));
}

const sourceFiles = sharing(
  /^(?:builtin|conformance|docs|engine)\//,
  new RegExp(`${needsOwnProcess.source}|${endsEsbuild.source}`),
);
const commandFiles = sharing(/^cli\//, new RegExp(`${needsOwnProcess.source}|from 'esbuild'`));
const stdioFiles = sharing(/^stdio\//, needsOwnProcess);
const httpFiles = sharing(/^http\//, needsOwnProcess);

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

/** Longest wait of `expect.poll`. The default of one second is too short for a busy machine. */
const polling = { poll: { timeout: 10_000 } };

/** Only a fault takes that long. On a busy machine any test may take seconds. */
const patient = { testTimeout: 30_000, hookTimeout: 60_000, expect: polling };

/** Downloads, programs of vendors and thousands of runs take minutes. */
const lasting = { testTimeout: 180_000, hookTimeout: 300_000, expect: polling };

interface ProjectOptions {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly limits?: typeof patient;
  readonly isolate?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

function project({
  limits = patient,
  include,
  exclude = [],
  ...rest
}: ProjectOptions): TestProjectInlineConfiguration {
  const setupFiles = ['test/support/setup.ts'];
  // Bundled extensions import the program as other extensions do.
  const alias = [{ find: /^agenttools$/, replacement: path.join(root, 'src/index.ts') }];
  const test = { root, setupFiles, include: [...include], exclude: [...exclude], ...limits, ...rest };
  return { resolve: { alias }, test };
}

/** `npm test`: the source and the commands in process, and the built program over a pipe and over HTTP. */
const shared = { source: sourceFiles, commands: commandFiles, stdio: stdioFiles, http: httpFiles };
const quick = [
  ...Object.entries(shared).map(([name, include]) => project({ name, include, isolate: false })),
  project({
    name: 'alone',
    include: ['test/{engine,builtin,cli,docs,conformance,stdio,http}/**/*.test.ts'],
    exclude: [browserFiles, e2eFiles, fullFiles, ...Object.values(shared).flat()],
  }),
];

/** `npm run test:all`, which is `--mode full`: all other tests, and the properties with more runs. */
const env = { AGENTTOOLS_TEST_ALL: '1' };
const full = [
  project({ name: 'browser', include: [browserFiles], env }),
  project({ name: 'e2e', include: [e2eFiles], limits: lasting, env }),
  project({ name: 'full', include: [fullFiles, properties], limits: lasting, env }),
];

/** `npm run test:smoke`: the main jobs, for each other Node that is supported. */
const smoke = [project({ name: 'smoke', include: ['test/smoke/**/*.test.ts'] })];

const tiers = {
  quick: { projects: quick, reporter: leftOut },
  full: { projects: full, reporter: noSkips },
  smoke: { projects: smoke, reporter: noSkips },
};

export default defineConfig(({ mode }) => {
  const { projects, reporter } = tiers[mode === 'full' || mode === 'smoke' ? mode : 'quick'];
  return {
    root,
    test: {
      projects,
      experimental: { fsModuleCache: true },
      globalSetup: ['test/support/temporary-root.ts'],
      reporters: ['default', reporter],
      // One more than cores: tests wait for programs that they start.
      maxWorkers: availableParallelism() + 1,
    },
  };
});
