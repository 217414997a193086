export interface Run {
  readonly name: string;
  readonly suite: 'next' | 'stable';
  readonly args: readonly string[];
  readonly scenarios: number;
}
export interface ClientRun {
  readonly name: string;
  readonly args: readonly string[];
  /** Least number of passed checks, by scenario. */
  readonly checks: Readonly<Record<string, number>>;
}
export declare const packages: Readonly<Record<Run['suite'], string>>;
export declare const runs: readonly Run[];
export declare const clientRuns: readonly ClientRun[];
export declare const unclaimedExtensions: Readonly<Record<string, string>>;
export declare const httpDuties: Readonly<Record<string, string>>;
export declare const alwaysSkipped: Readonly<Record<string, string>>;
