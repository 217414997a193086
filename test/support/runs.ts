/**
 * Runs of a property test: 100, in `npm run test:all` 3,000. `AGENTTOOLS_TEST_RUNS` sets another number.
 * A property that is slow or has few cases takes a fraction of it.
 */
export const runs: number = Number(
  process.env.AGENTTOOLS_TEST_RUNS ?? (process.env.AGENTTOOLS_TEST_ALL === '1' ? 3000 : 100),
);
