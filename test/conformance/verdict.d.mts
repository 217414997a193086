import type { Run } from './runs.mjs';

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
export declare function judge(
  folder: string,
  run: Pick<Run, 'scenarios'>,
  transport: 'http' | 'stdio',
): Verdict;
