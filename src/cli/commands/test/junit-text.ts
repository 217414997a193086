import { isGoodSurface } from '../../../engine/testing/surface-check.js';
import { escapeXml } from '../../shared/text/xml.js';
import { changeLine, failureLines, surfaceSentence } from './failure-lines.js';
import type { RenderRuns, TestRun } from './renderer.js';

interface JunitCase {
  readonly name: string;
  readonly ms: number;
  /** Lines of the failure; empty: passed. */
  readonly failure: readonly string[];
  /** Lines about a case that passed. */
  readonly warnings?: readonly string[];
}

/**
 * JUnit XML: a suite per case file, and one for the surface of each package.
 * @see https://github.com/testmoapp/junitxml
 */
export const renderJunit: RenderRuns = (runs) => {
  const suites = runs.flatMap((run) => [...suitesOf(run)]);
  const all = suites.flatMap(([, cases]) => cases);
  const name = runs.map((run) => run.name).join(', ');
  const total = runs.reduce((sum, { report }) => sum + report.ms, 0);
  const head = `<testsuites name="${escapeXml(name)}" ${counts(all)} time="${seconds(total)}">`;
  const bodies = suites.map(([file, cases]) => renderSuite(file, cases));
  const text = runs.map(({ report, output }) => (report.ok ? '' : output)).join('');
  const out = text === '' ? '' : `<system-err>${escapeXml(text)}</system-err>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${bodies.join('')}${out}</testsuites>\n`;
};

function suitesOf({ report, prefix }: TestRun): ReadonlyMap<string, readonly JunitCase[]> {
  const suites = new Map<string, JunitCase[]>();
  const add = (suite: string, one: JunitCase) => suites.set(suite, [...(suites.get(suite) ?? []), one]);
  for (const result of report.results)
    add(prefix + result.case.place.file, {
      name: result.era ? `${result.case.name} [${result.era}]` : result.case.name,
      ms: result.ms,
      failure: result.failures.flatMap(failureLines),
      warnings: result.warnings.map(({ code, message }) => `warning: ${message} (${code})`),
    });
  for (const { file, line, column, message } of report.faults)
    add(prefix + file, {
      name: `line ${line}`,
      ms: 0,
      failure: [`${prefix}${file}:${line}:${column} ${message}`],
    });
  const { surface } = report;
  if (surface.state !== 'skipped') {
    const lines = [surfaceSentence(report) ?? '', ...surface.changes.map(changeLine)];
    const failure = isGoodSurface(surface) ? [] : lines;
    add(`${prefix}agenttools.surface.json`, { name: 'surface', ms: 0, failure });
  }
  return suites;
}

function renderSuite(file: string, cases: readonly JunitCase[]): string {
  const total = cases.reduce((sum, { ms }) => sum + ms, 0);
  const rows = cases.map(({ name, ms, failure, warnings = [] }) => {
    const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(file)}" time="${seconds(ms)}"`;
    const [message] = failure;
    const parts = [
      ...(message === undefined
        ? []
        : [`<failure message="${escapeXml(message)}">${escapeXml(failure.join('\n'))}</failure>`]),
      ...(warnings.length === 0 ? [] : [`<system-out>${escapeXml(warnings.join('\n'))}</system-out>`]),
    ];
    if (parts.length === 0) return `${head}/>\n`;
    return `${head}>\n${parts.map((part) => `      ${part}\n`).join('')}    </testcase>\n`;
  });
  return `  <testsuite name="${escapeXml(file)}" ${counts(cases)} time="${seconds(total)}">\n${rows.join('')}  </testsuite>\n`;
}

function counts(cases: readonly JunitCase[]): string {
  const failed = cases.filter(({ failure }) => failure.length > 0).length;
  return `tests="${cases.length}" failures="${failed}" errors="0"`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
