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

/** Rooms whose tests leave their process unchanged. */
const pureRooms =
  /^(?:docs|engine\/(?:base|bridge|bundles|clients|derive|discovery|existing-servers|extension|installation|interaction|live|mcp-registry|methods|preview|protocol|runtime|schema|serve|server|server-checks|skills|surface|tasks|upstream|user-servers))\//;

/** Commands end all children of their process, also the service of esbuild. So they share other processes. */
const commands = /^cli\//;

/** Files that need a process of their own: they replace modules or timers, or use ArkType, which keeps types by process. */
const needsOwnProcess = /\bvi\.(?:mock|doMock|resetModules|useFakeTimers)\(|from 'arktype'/;

/** Files that share processes, and so load the source once. */
function sharing(rooms: RegExp, own = needsOwnProcess): readonly string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => rooms.test(file) && /(?<!\.full)\.test\.ts$/.test(file))
    .map((file) => `test/${file}`)
    .filter((file) => !own.test(readFileSync(path.join(root, file), 'utf8')));
}

/** Commands in the process of the test, which end the service of esbuild that other tests use. */
const runsCommands = /\b(?:runCli|runAtHome|main)\(/;

const pureFiles = sharing(pureRooms, new RegExp(`${needsOwnProcess.source}|${runsCommands.source}`));
const commandFiles = sharing(commands, new RegExp(`${needsOwnProcess.source}|from 'esbuild'`));

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
  return { test: { root, setupFiles, include: [...include], exclude: [...exclude], ...limits, ...rest } };
}

/** `npm test`: the source (`pure`, `commands` and `unit`), and the built program over a pipe (`stdio`) and over HTTP (`http`). */
const exclude = [browserFiles, e2eFiles, fullFiles];
const quick = [
  project({ name: 'pure', include: pureFiles, exclude, isolate: false }),
  project({ name: 'commands', include: commandFiles, exclude, isolate: false }),
  project({
    name: 'unit',
    include: ['test/{engine,builtin,cli,docs,conformance}/**/*.test.ts'],
    exclude: [...exclude, ...pureFiles, ...commandFiles],
  }),
  project({ name: 'stdio', include: ['test/stdio/**/*.test.ts'], exclude }),
  project({ name: 'http', include: ['test/http/**/*.test.ts'], exclude }),
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
      globalSetup: ['test/support/temporary-root.ts'],
      reporters: ['default', reporter],
      // One more than cores: tests wait for programs that they start.
      maxWorkers: availableParallelism() + 1,
    },
  };
});
