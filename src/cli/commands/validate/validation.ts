import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BaselineEntry } from '../../../engine/validate/baseline.js';
import type {
  ExtensionReport,
  LocatedDiagnostic,
  SuppressedDiagnostic,
} from '../../../engine/validate/validate.js';

/** Address of the file of a diagnostic. */
interface FilePlace {
  /** File relative to the working directory, with `/`; absolute if there is no relative path. */
  readonly place: string;
  /** The file as a URL. */
  readonly url: string;
}

/** A diagnostic with the location of its file. */
export interface FileDiagnostic extends LocatedDiagnostic, FilePlace {}

/** A suppressed diagnostic with the location of its file. */
export interface SuppressedFileDiagnostic extends SuppressedDiagnostic, FilePlace {}

/** A package, an existing server, or a shared config, with its diagnostics. */
export interface ReportedSubject {
  readonly name: string;
  readonly path: string;
  readonly diagnostics: readonly FileDiagnostic[];
  readonly suppressed: readonly SuppressedFileDiagnostic[];
}

/** Validation of one extension. */
export interface ValidatedExtension
  extends Omit<ExtensionReport, 'diagnostics' | 'suppressed'>,
    ReportedSubject {}

/** A baseline of the run. */
export interface UsedBaseline {
  /** Relative to the working directory. */
  readonly file: string;
  readonly outcome: 'matched' | 'written' | 'updated';
  /** Entries that no longer occur. */
  readonly gone: readonly BaselineEntry[];
}

/** A change of a file by `--fix`. */
export interface MadeFix {
  /** Relative to the working directory. */
  readonly file: string;
  readonly what: string;
}

/** Facts of a run, in addition to the reports. */
interface RunFacts {
  /** Names of packages without an extension. */
  readonly skipped: readonly string[];
  readonly baselines: readonly UsedBaseline[];
  readonly fixed: readonly MadeFix[];
}

/** Validation of all requested extensions. */
export interface Validation extends RunFacts {
  readonly valid: boolean;
  readonly extensions: readonly ValidatedExtension[];
  /** Shared configs with diagnostics. */
  readonly configs: readonly ReportedSubject[];
  readonly errors: number;
  readonly warnings: number;
  readonly suppressed: number;
  /** Number of suppressed diagnostics that are in a baseline. */
  readonly known: number;
}

/** A report, and the folder of its files. Existing servers have none. */
export interface SubjectReport {
  readonly directory?: string;
  readonly report: ExtensionReport;
}

/** Diagnostics about a shared config. */
export interface ConfigReport {
  /** Absolute path. */
  readonly file: string;
  readonly diagnostics: readonly LocatedDiagnostic[];
}

export interface SummaryOptions extends Partial<RunFacts> {
  readonly cwd: string;
  /** True if warnings make an extension invalid. */
  readonly strict: boolean;
  readonly configs?: readonly ConfigReport[];
}

/** Combines reports; paths become relative to `cwd`. */
export function summarize(
  reports: readonly SubjectReport[],
  { cwd, strict, configs = [], skipped = [], baselines = [], fixed = [] }: SummaryOptions,
): Validation {
  const fails = ({ severity }: LocatedDiagnostic) =>
    severity === 'error' || (strict && severity === 'warning');
  const extensions = reports.map(({ directory, report }): ValidatedExtension => {
    const locate = <Found extends LocatedDiagnostic>(one: Found) => ({
      ...one,
      ...filePlace(one.file, directory, cwd),
    });
    return {
      ...report,
      path: directory === undefined ? report.path : displayPath(cwd, directory),
      valid: !report.diagnostics.some(fails),
      diagnostics: report.diagnostics.map(locate),
      suppressed: report.suppressed.map(locate),
    };
  });
  const configSubjects = configs.map(({ file, diagnostics }): ReportedSubject => {
    const [directory, name] = [path.dirname(file), path.basename(file)];
    const located = diagnostics.map((one) => ({ ...one, ...filePlace(name, directory, cwd) }));
    return { name, path: displayPath(cwd, directory), diagnostics: located, suppressed: [] };
  });
  const subjects = [...extensions, ...configSubjects];
  const all = subjects.flatMap(({ diagnostics }) => diagnostics);
  const suppressed = extensions.flatMap((one) => one.suppressed);
  return {
    valid: !all.some(fails),
    extensions,
    configs: configSubjects,
    errors: all.filter(({ severity }) => severity === 'error').length,
    warnings: all.filter(({ severity }) => severity === 'warning').length,
    suppressed: suppressed.length,
    known: suppressed.filter(({ suppression }) => suppression.source === 'baseline').length,
    skipped,
    baselines,
    fixed,
  };
}

function filePlace(file: string, directory: string | undefined, cwd: string): FilePlace {
  if (directory === undefined) return { place: file, url: `mcp:${encodeURI(file)}` };
  const target = path.join(directory, file);
  return { place: displayPath(cwd, target), url: pathToFileURL(target).href };
}

/** `path.relative` is absolute from one Windows drive to another. */
export function displayPath(cwd: string, target: string): string {
  return path.relative(cwd, target).split(path.sep).join('/') || '.';
}
