import { expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { judge, judgeClient } from './verdict.mjs';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** What the suite leaves behind: a folder for each scenario. */
function results(scenarios: Readonly<Record<string, readonly Check[]>>): string {
  return writeFolder(
    Object.fromEntries(
      Object.entries(scenarios).map(([name, checks]) => [
        `server-${name}-2026-11-21T20-40-24-471Z/checks.json`,
        JSON.stringify(checks),
      ]),
    ),
  );
}

const check = (status: string, id = 'a-check'): Check => ({ id, status, errorMessage: 'why' });

test('counts passed checks, but no notes', () => {
  const folder = results({ ping: [check('SUCCESS'), check('SUCCESS'), check('INFO')] });
  expect(judge(folder, { scenarios: 1 }, 'http')).toMatchObject({ scenarios: 1, passed: 2, faults: [] });
});

test.each(['FAILURE', 'WARNING', 'SKIPPED'])('%s is a fault', (status) => {
  const { faults } = judge(results({ ping: [check(status)] }), { scenarios: 1 }, 'http');
  expect(faults).toEqual([`ping: a-check: ${status}: why`]);
});

test('a scenario that did not run is a fault', () => {
  const { faults } = judge(results({ ping: [check('SUCCESS')] }), { scenarios: 2 }, 'http');
  expect(faults).toEqual(['1 scenarios were run, not 2']);
});

test('duties of HTTP are left out over stdio only, but for what went over the wire', () => {
  const folder = results({
    'http-header-validation': [check('FAILURE'), check('FAILURE', 'wire-schema-valid')],
    'server-stateless': [check('FAILURE', 'sep-2575-http-server-header-mismatch-400'), check('SUCCESS')],
  });
  expect(judge(folder, { scenarios: 2 }, 'http').faults).toHaveLength(3);
  expect(judge(folder, { scenarios: 2 }, 'stdio')).toMatchObject({
    excepted: ['http-header-validation', 'server-stateless:sep-2575-http-server-header-mismatch-400'],
    faults: ['http-header-validation: wire-schema-valid: FAILURE: why'],
  });
});

test('accepts skipped checks that the suite never runs', () => {
  const folder = results({ 'tasks-status-notifications': [check('SKIPPED')] });
  expect(judge(folder, { scenarios: 1 }, 'http').faults).toEqual([]);
});

/** Results of our client: a folder for each scenario, and one for those about authorization. */
function clientResults(scenarios: Readonly<Record<string, readonly Check[]>>): string {
  return writeFolder(
    Object.fromEntries(
      Object.entries(scenarios).map(([name, checks]) => [
        `${name}-2026-11-21T20-40-24-471Z/checks.json`,
        JSON.stringify(checks),
      ]),
    ),
  );
}

test('a client that does too little is a fault', () => {
  const folder = clientResults({ tools_call: [check('INFO')], 'auth/basic-cimd': [check('SUCCESS')] });
  const { faults, passed } = judgeClient(folder, {
    checks: { tools_call: 2, 'auth/basic-cimd': 1, 'sse-retry': 3 },
  });
  expect(passed).toBe(1);
  expect(faults).toEqual(['tools_call: 0 checks passed, not 2', 'sse-retry: was not run']);
});

test('a client scenario without a recorded number is a fault', () => {
  const { faults } = judgeClient(clientResults({ tools_call: [check('SUCCESS')] }), { checks: {} });
  expect(faults).toEqual(['tools_call: has no recorded number of checks']);
});

test('extensions that the client does not support may fail, and must not pass', () => {
  const folder = clientResults({ 'auth/dpop': [check('FAILURE')], 'auth/dpop-nonce': [check('SUCCESS')] });
  expect(judgeClient(folder, { checks: {} })).toMatchObject({
    unclaimed: ['auth/dpop', 'auth/dpop-nonce'],
    faults: ['auth/dpop-nonce: passes, but is listed as not supported'],
  });
});
