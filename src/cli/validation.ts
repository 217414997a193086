import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExtensionReport, LocatedDiagnostic } from '../engine/validate/validate.js';

/** A diagnostic and where its file is, seen from the working directory. */
export interface FileDiagnostic extends LocatedDiagnostic {
  /** The file relative to the working directory, with `/`; absolute where there is no such way. */
  readonly place: string;
  /** The file as a URL. */
  readonly url: string;
}

/** What was found in one extension. */
export interface ValidatedExtension extends Omit<ExtensionReport, 'diagnostics'> {
  readonly diagnostics: readonly FileDiagnostic[];
}

/** What was found in all extensions that were asked for. */
export interface Validation {
  readonly valid: boolean;
  readonly extensions: readonly ValidatedExtension[];
  readonly errors: number;
  readonly warnings: number;
}

/** Puts reports together as seen from a folder. With `strict`, warnings make an extension invalid. */
export function summarize(
  reports: readonly { readonly directory: string; readonly report: ExtensionReport }[],
  { cwd, strict }: { readonly cwd: string; readonly strict: boolean },
): Validation {
  const extensions = reports.map(({ directory, report }) => ({
    ...report,
    path: displayPath(cwd, directory),
    valid: !report.diagnostics.some(
      ({ severity }) => severity === 'error' || (strict && severity === 'warning'),
    ),
    diagnostics: report.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      place: displayPath(cwd, path.join(directory, diagnostic.file)),
      url: pathToFileURL(path.join(directory, diagnostic.file)).href,
    })),
  }));
  const all = extensions.flatMap(({ diagnostics }) => diagnostics);
  return {
    valid: extensions.every(({ valid }) => valid),
    extensions,
    errors: all.filter(({ severity }) => severity === 'error').length,
    warnings: all.filter(({ severity }) => severity === 'warning').length,
  };
}

/** `path.relative` is absolute from one Windows drive to another. */
function displayPath(cwd: string, target: string): string {
  return path.relative(cwd, target).split(path.sep).join('/') || '.';
}
