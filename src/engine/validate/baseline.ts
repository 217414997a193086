import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { DocumentError, parseDocument } from '../base/files/document.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ExtensionReport, LocatedDiagnostic, SuppressedDiagnostic } from './validate.js';

/** Known diagnostics of one code, item and place. Lines do not count, so edits elsewhere in a file keep them. */
export interface BaselineEntry {
  /** Name of the package or server. */
  readonly package: string;
  readonly code: string;
  /** `tool/forecast`. Absent: no item. */
  readonly item?: string;
  /** File in the package, with a JSON pointer in data files. `*` is any position in a list. */
  readonly path: string;
  /** Number of equal diagnostics. Default: 1. */
  readonly count?: number;
}

/** Current form of the file. */
const version = 1;

/**
 * Reads a baseline; undefined if the file is missing.
 * @throws AgentToolsError `usage` with the position of a fault
 */
export async function readBaseline(file: string): Promise<readonly BaselineEntry[] | undefined> {
  const { text } = await rethrowAsUserError(() => readTextFile(file));
  if (text === null) return undefined;
  const value = await parseDocument(text, path.basename(file)).catch(async (error: unknown) => {
    if (!(error instanceof DocumentError)) throw error;
    const { positionAt } = await import('../base/files/json-text.js');
    const { line, column } = positionAt(text, error.offset ?? 0);
    throw new AgentToolsError('usage', `${file}:${line}:${column}: ${error.message}`);
  });
  if (!isRecord(value) || !Array.isArray(value.findings) || !value.findings.every(isEntry))
    throw new AgentToolsError('usage', `${file} is not a baseline. Name another file with --baseline.`);
  if (value.version !== version)
    throw new AgentToolsError(
      'usage',
      `${file} is a baseline of version ${JSON.stringify(value.version)}; this AgentTools reads version ${version}. Write it again with --update-baseline.`,
    );
  return value.findings;
}

function isEntry(value: unknown): value is BaselineEntry {
  return (
    isRecord(value) &&
    [value.package, value.code, value.path].every(isString) &&
    (value.item === undefined || isString(value.item)) &&
    (value.count === undefined || (Number.isInteger(value.count) && Number(value.count) > 0))
  );
}

/** Writes a baseline. @throws AgentToolsError `refused` if the file cannot be written */
export async function writeBaseline(file: string, findings: readonly BaselineEntry[]): Promise<void> {
  const lines = findings.map((entry) => `    ${JSON.stringify(entry)}`);
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  const text = `{\n  "version": ${version},\n  "findings": ${list}\n}\n`;
  await rethrowAsUserError(async () => await replaceTextFile(await readTextFile(file), text));
}

/** The errors and warnings of reports as entries, sorted. Infos never fail and are left out. */
export function baselineOf(reports: readonly ExtensionReport[]): readonly BaselineEntry[] {
  const entries = new Map<string, BaselineEntry>();
  for (const { name, diagnostics } of reports)
    for (const diagnostic of diagnostics) {
      if (diagnostic.severity === 'info') continue;
      const entry = entryOf(name, diagnostic);
      const key = keyOf(entry);
      const count = (entries.get(key)?.count ?? (entries.has(key) ? 1 : 0)) + 1;
      entries.set(key, count > 1 ? { ...entry, count } : entry);
    }
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Reports without the diagnostics of a baseline. */
export interface BaselineMatch {
  readonly reports: readonly ExtensionReport[];
  /** Entries about the packages of the reports that no longer occur, with the number of diagnostics missing. */
  readonly gone: readonly BaselineEntry[];
}

/** Moves the errors and warnings that a baseline contains to the suppressed diagnostics. `source` names the file in reasons. */
export function applyBaseline(
  reports: readonly ExtensionReport[],
  baseline: readonly BaselineEntry[],
  source: string,
): BaselineMatch {
  const left = new Map(baseline.map((entry) => [keyOf(entry), entry.count ?? 1]));
  const matched = reports.map((report): ExtensionReport => {
    const kept: LocatedDiagnostic[] = [];
    const known: SuppressedDiagnostic[] = [];
    for (const diagnostic of report.diagnostics) {
      const key = keyOf(entryOf(report.name, diagnostic));
      const count = diagnostic.severity === 'info' ? 0 : (left.get(key) ?? 0);
      if (count === 0) kept.push(diagnostic);
      else {
        left.set(key, count - 1);
        known.push({
          ...diagnostic,
          suppression: { source: 'baseline', reason: `Known since ${source} was written.` },
        });
      }
    }
    return { ...report, diagnostics: kept, suppressed: [...report.suppressed, ...known] };
  });
  const names = new Set(reports.map(({ name }) => name));
  const gone = baseline.flatMap((entry) => {
    const count = names.has(entry.package) ? left.get(keyOf(entry))! : 0;
    const { count: _, ...rest } = entry;
    return count === 0 ? [] : [count > 1 ? { ...rest, count } : rest];
  });
  return { reports: matched, gone };
}

function entryOf(name: string, { code, item, file, pointer }: LocatedDiagnostic): BaselineEntry {
  const [place = '', served] = file.split('#');
  const below = pointer ?? served;
  return {
    package: name,
    code,
    ...(item && { item: `${item.kind}/${item.name}` }),
    path: below === undefined ? place : `${place}#${below.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`,
  };
}

function keyOf({ package: name, code, item = '', path: place }: BaselineEntry): string {
  return JSON.stringify([name, code, item, place]);
}
