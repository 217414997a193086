import { visibleTexts } from '../../../engine/base/visible-text.js';
import { escapeXml, xmlElement } from '../../shared/text/xml.js';
import type { FormatOptions, RenderValidation } from './renderer.js';
import type { FileDiagnostic, ReportedSubject, SuppressedFileDiagnostic, Validation } from './validation.js';

/**
 * JUnit XML: a suite for each extension, a failure for each diagnostic that fails. Diagnostics that do not fail are passed tests
 * with output; suppressed ones are skipped tests. An extension without diagnostics is one passed test.
 * @see https://github.com/testmoapp/junitxml
 */
export const renderJunit: RenderValidation = (validation, options) => {
  const { extensions, configs }: Validation = visibleTexts(validation);
  const suites = [...extensions, ...configs].map((subject) => toSuite(subject, options));
  const counts = sum(suites.map((suite) => suite.counts));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('testsuites', { name: 'agenttools validate', ...counts }, suites.map(({ text }) => text).join(''))}`;
};

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

function toSuite(
  { name, path, diagnostics, suppressed }: ReportedSubject,
  { strict }: FormatOptions,
): { readonly text: string; readonly counts: Counts } {
  const fails = ({ severity }: FileDiagnostic) => severity === 'error' || (strict && severity === 'warning');
  const isClean = diagnostics.length + suppressed.length === 0;
  const cases = [
    ...diagnostics.map((one) => diagnosticCase(name, one, fails(one))),
    ...suppressed.map((one) => suppressedCase(name, one)),
    ...(isClean ? [xmlElement('testcase', { classname: name, name: 'valid' })] : []),
  ];
  const counts = {
    tests: cases.length,
    failures: diagnostics.filter(fails).length,
    skipped: suppressed.length,
  };
  return { text: xmlElement('testsuite', { name, ...counts, file: path }, cases.join('')), counts };
}

function sum(counts: readonly Counts[]): Counts {
  const total = (key: keyof Counts) => counts.reduce((held, one) => held + one[key], 0);
  return { tests: total('tests'), failures: total('failures'), skipped: total('skipped') };
}

function diagnosticCase(classname: string, diagnostic: FileDiagnostic, fails: boolean): string {
  const { code, severity, message } = diagnostic;
  const text = `${locationOf(diagnostic)}: ${severity} ${code}: ${message}`;
  const outcome = fails
    ? xmlElement('failure', { type: code, message }, escapeXml(text))
    : xmlElement('system-out', {}, escapeXml(text));
  return testcase(classname, diagnostic, outcome);
}

function suppressedCase(classname: string, diagnostic: SuppressedFileDiagnostic): string {
  return testcase(classname, diagnostic, xmlElement('skipped', { message: diagnostic.suppression.reason }));
}

function testcase(classname: string, diagnostic: FileDiagnostic, outcome: string): string {
  const { code, item, place, line } = diagnostic;
  const subject = item ? `${item.kind}/${item.name}` : place;
  return xmlElement('testcase', { classname, name: `${code}: ${subject}`, file: place, line }, outcome);
}

function locationOf({ place, line, column }: FileDiagnostic): string {
  return `${place}:${line}:${column}`;
}
