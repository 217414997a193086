import { ExitCode } from './exit-code.js';

/** Whether a part of the work failed: a client did not get what it was to get. */
export function hasFailed(result: object): boolean {
  return 'error' in result;
}

/** Work that failed in part has failed. */
export function toExitCode(results: readonly object[]): ExitCode {
  return results.some(hasFailed) ? ExitCode.Failed : ExitCode.Ok;
}

/** Whether there is data to print: with `--all` a failure is data, too; else stdout stays empty where nothing was done. */
export function hasData(results: readonly object[], { all }: { readonly all: boolean }): boolean {
  return all || results.length === 0 || !results.every(hasFailed);
}
