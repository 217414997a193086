import { test } from 'vitest';

/** True in `npm run test:all`. */
export const runsAll: boolean = process.env.AGENTTOOLS_TEST_ALL === '1';

const noTest = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof test;

/** A test for `npm run test:all` only: it takes seconds, and `npm test` has a shorter one of its family. */
export const fullTest: typeof test = runsAll ? test : noTest;
