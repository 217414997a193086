import { escapeXml } from '../../shared/text/xml.js';
import { changeLine, failureLines, surfaceSentence } from './failure-lines.js';
import type { RenderReport } from './renderer.js';

interface JunitCase {
  readonly name: string;
  readonly ms: number;
  /** Lines of the failure; empty: passed. */
  readonly failure: readonly string[];
}

/**
 * JUnit XML: a suite per case file, and one for the surface.
 * @see https://github.com/testmoapp/junitxml
 */
export const renderJunit: RenderReport = (report, { name, prefix, output }) => {
  const suites = new Map<string, JunitCase[]>();
  const add = (suite: string, one: JunitCase) => suites.set(suite, [...(suites.get(suite) ?? []), one]);
  for (const result of report.results)
    add(prefix + result.case.place.file, {
      name: result.era ? `${result.case.name} [${result.era}]` : result.case.name,
      ms: result.ms,
      failure: result.failures.flatMap(failureLines),
    });
  for (const { file, line, column, message } of report.faults)
    add(prefix + file, {
      name: `line ${line}`,
      ms: 0,
      failure: [`${prefix}${file}:${line}:${column} ${message}`],
    });
  const { surface } = report;
  if (surface.state !== 'skipped') {
    const isGood = surface.state === 'same' || surface.state === 'written';
    const lines = [surfaceSentence(report) ?? '', ...surface.changes.map(changeLine)];
    add(`${prefix}agenttools.surface.json`, { name: 'surface', ms: 0, failure: isGood ? [] : lines });
  }
  const all = [...suites.values()].flat();
  const head = `<testsuites name="${escapeXml(name)}" ${counts(all)} time="${seconds(report.ms)}">`;
  const bodies = [...suites].map(([file, cases]) => renderSuite(file, cases));
  const text = report.ok ? '' : output;
  const out = text === '' ? '' : `<system-err>${escapeXml(text)}</system-err>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${bodies.join('')}${out}</testsuites>\n`;
};

function renderSuite(file: string, cases: readonly JunitCase[]): string {
  const total = cases.reduce((sum, { ms }) => sum + ms, 0);
  const rows = cases.map(({ name, ms, failure }) => {
    const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(file)}" time="${seconds(ms)}"`;
    if (failure.length === 0) return `${head}/>\n`;
    const [message = ''] = failure;
    return `${head}>\n      <failure message="${escapeXml(message)}">${escapeXml(failure.join('\n'))}</failure>\n    </testcase>\n`;
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
