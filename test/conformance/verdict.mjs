import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { alwaysSkipped, httpDuties, unclaimedExtensions } from './runs.mjs';

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

/**
 * Judges our client. It has to pass each scenario with at least the recorded number of checks.
 * @param {string} folder where the suite left its results
 * @param {{ checks: Readonly<Record<string, number>> }} run
 */
export function judgeClient(folder, { checks: minimums }) {
  const found = resultsIn(folder);
  const faults = [];
  const outcomes = [];
  for (const { scenario, checks } of found) {
    const own = checks.map((check) => outcomeOf({ scenario, check, transport: 'http' }));
    const isFine = own.every(({ kind }) => kind !== 'fault');
    if (scenario in unclaimedExtensions) {
      if (isFine) faults.push(`${scenario}: passes, but is listed as not supported`);
      continue;
    }
    outcomes.push(...own);
    const passed = own.filter(({ kind }) => kind === 'passed').length;
    if (!(scenario in minimums)) faults.push(`${scenario}: has no recorded number of checks`);
    else if (passed < minimums[scenario])
      faults.push(`${scenario}: ${passed} checks passed, not ${minimums[scenario]}`);
  }
  const names = found.map(({ scenario }) => scenario);
  const missing = Object.keys(minimums).filter((name) => !names.includes(name));
  faults.push(...missing.map((name) => `${name}: was not run`));
  faults.push(...outcomes.filter(({ kind }) => kind === 'fault').map(inWords));
  return {
    scenarios: found.length,
    passed: outcomes.filter(({ kind }) => kind === 'passed').length,
    skipped: namesOf(outcomes, 'skipped'),
    unclaimed: names.filter((name) => name in unclaimedExtensions).sort(),
    faults,
  };
}

function resultsIn(folder) {
  // A suite that was broken off leaves a scenario without checks. Names of client scenarios have a folder.
  const files = readdirSync(folder, { recursive: true }).filter(
    (name) => path.basename(name) === 'checks.json',
  );
  return files.map((name) => ({
    scenario: path
      .dirname(name)
      .replaceAll(path.sep, '/')
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    checks: JSON.parse(readFileSync(path.join(folder, name), 'utf8')),
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
