import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { alwaysSkipped, httpDuties } from './runs.mjs';

/**
 * What a run of the suite found. The suite's own exit code is not enough: it lets warnings and skipped checks pass.
 * @param {string} folder where the suite left its results
 * @param {{ scenarios: number }} run
 * @param {'http' | 'stdio'} transport
 */
export function judge(folder, { scenarios }, transport) {
  const found = resultsIn(folder);
  const outcomes = found.flatMap(({ scenario, checks }) =>
    checks.map((check) => outcomeOf({ scenario, check, transport })),
  );
  const count = (kind) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const faults = outcomes.filter(({ kind }) => kind === 'fault').map(inWords);
  if (found.length !== scenarios) faults.push(`${found.length} scenarios were run, not ${scenarios}`);
  return {
    scenarios: found.length,
    passed: count('passed'),
    skipped: namesOf(outcomes, 'skipped'),
    excepted: namesOf(outcomes, 'excepted'),
    faults,
  };
}

function resultsIn(folder) {
  // A suite that was broken off leaves a scenario without checks.
  const whole = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'checks.json')));
  return whole.map((name) => ({
    scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    checks: JSON.parse(readFileSync(path.join(folder, name, 'checks.json'), 'utf8')),
  }));
}

function outcomeOf({ scenario, check, transport }) {
  const { id, status } = check;
  if (status === 'INFO') return { kind: 'note', scenario };
  const duty = [scenario, `${scenario}:${id}`].find((name) => name in httpDuties);
  // What went over the wire is the server's own, whoever made a stream of it.
  if (duty && transport === 'stdio' && id !== 'wire-schema-valid')
    return { kind: 'excepted', scenario: duty };
  if (status === 'SUCCESS') return { kind: 'passed', scenario };
  if (status === 'SKIPPED' && scenario in alwaysSkipped) return { kind: 'skipped', scenario };
  return { kind: 'fault', scenario, check };
}

function inWords({ scenario, check }) {
  return `${scenario}: ${check.id}: ${check.status}: ${check.errorMessage ?? check.description}`;
}

function namesOf(outcomes, wanted) {
  return [...new Set(outcomes.flatMap(({ kind, scenario }) => (kind === wanted ? [scenario] : [])))].sort();
}
