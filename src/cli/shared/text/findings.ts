import { FindingsError } from '../../../engine/text-checks/allowed-findings.js';
import { findingLine, type TextFinding } from '../../../engine/text-checks/text-findings.js';

/** Lines about the errors that the user has allowed, and about warnings. */
export function findingLines(findings: readonly TextFinding[]): readonly string[] {
  return findings.flatMap((one) => {
    if (one.severity === 'info') return [];
    return [`${one.severity === 'error' ? 'allowed' : 'warning'}: ${findingLine(one)}`];
  });
}

/** JSON output of findings; an empty object without any. */
export function findingsData(findings: readonly TextFinding[]): { readonly findings?: readonly object[] } {
  if (findings.length === 0) return {};
  return { findings: findings.map(({ hash: _, ...finding }) => finding) };
}

/** JSON output of the findings that an error is about. */
export function errorFindingsData(error: unknown): { readonly findings?: readonly object[] } {
  return error instanceof FindingsError ? findingsData(error.findings) : {};
}
