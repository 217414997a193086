import { expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { judge } from './verdict.mjs';

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
