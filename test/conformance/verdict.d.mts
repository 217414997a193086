import type { ClientRun, Run } from './runs.mjs';

export interface Verdict {
  /** How many were run. */
  readonly scenarios: number;
  /** Checks that count. */
  readonly passed: number;
  readonly skipped: readonly string[];
  readonly excepted: readonly string[];
  /** What is wrong, in words; none: the run is fine. */
  readonly faults: readonly string[];
}
export interface ClientVerdict extends Omit<Verdict, 'excepted'> {
  /** Scenarios of extensions that the client does not support. */
  readonly unclaimed: readonly string[];
}
export declare function judgeClient(folder: string, run: Pick<ClientRun, 'checks'>): ClientVerdict;
export declare function judge(
  folder: string,
  run: Pick<Run, 'scenarios'>,
  transport: 'http' | 'stdio',
): Verdict;
