/** True in `npm run test:all`. */
export const runsAll: boolean = process.env.AGENTTOOLS_TEST_ALL === '1';
