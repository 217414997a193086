import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExtensionReport, LocatedDiagnostic } from '../../../engine/validate/validate.js';

/** A diagnostic with the location of its file. */
export interface FileDiagnostic extends LocatedDiagnostic {
  /** File relative to the working directory, with `/`; absolute if there is no relative path. */
  readonly place: string;
  /** The file as a URL. */
  readonly url: string;
}

/** Validation of one extension. */
export interface ValidatedExtension extends Omit<ExtensionReport, 'diagnostics'> {
  readonly diagnostics: readonly FileDiagnostic[];
}

/** Validation of all requested extensions. */
export interface Validation {
  readonly valid: boolean;
  readonly extensions: readonly ValidatedExtension[];
  readonly errors: number;
  readonly warnings: number;
}

/** Combines reports; paths become relative to `cwd`. Reports of existing servers have no folder. With `strict`, warnings make an extension invalid. */
export function summarize(
  reports: readonly { readonly directory?: string; readonly report: ExtensionReport }[],
  { cwd, strict }: { readonly cwd: string; readonly strict: boolean },
): Validation {
  const extensions = reports.map(({ directory, report }) => ({
    ...report,
    path: directory === undefined ? report.path : displayPath(cwd, directory),
    valid: !report.diagnostics.some(
      ({ severity }) => severity === 'error' || (strict && severity === 'warning'),
    ),
    diagnostics: report.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      ...(directory === undefined
        ? { place: diagnostic.file, url: `mcp:${encodeURI(diagnostic.file)}` }
        : {
            place: displayPath(cwd, path.join(directory, diagnostic.file)),
            url: pathToFileURL(path.join(directory, diagnostic.file)).href,
          }),
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
