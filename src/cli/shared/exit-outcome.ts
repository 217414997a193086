import { ExitCode } from './exit-code.js';

/** True if the result is a failure, for example of one client. */
export function hasFailed(result: object): boolean {
  return 'error' in result;
}

/** `Failed` if any result failed. */
export function toExitCode(results: readonly object[]): ExitCode {
  return results.some(hasFailed) ? ExitCode.Failed : ExitCode.Ok;
}

/**
 * True if there is data to print. With `--all`, failures are data; otherwise stdout stays empty if everything
 * failed.
 */
export function hasData(results: readonly object[], { all }: { readonly all: boolean }): boolean {
  return all || results.length === 0 || !results.every(hasFailed);
}
