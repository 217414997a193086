import { ExitCode } from './exit-code.js';

/** True if the result is a failure, for example of one client. */
export function hasFailed(result: object): boolean {
  return 'error' in result;
}

/** `Failed` if any result failed. */
export function toExitCode(results: readonly object[]): ExitCode {
  return results.some(hasFailed) ? ExitCode.Failed : ExitCode.Ok;
}
